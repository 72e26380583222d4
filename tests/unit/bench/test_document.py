"""The document of a run: valid, finite, and every number in it follows from the samples it keeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import exp, isfinite, log
from statistics import median
from typing import Any

import jsonschema
import pytest

from placement_cli.bench.document import Finished, build_document, method_facts
from placement_cli.bench.run import Method, ScenarioPlan
from placement_cli.bench.session import Request
from placement_cli.bench.stages import Progress
from placement_cli.measure.blocks import CaseBlock
from placement_cli.measure.specs import Case, Reading
from placement_cli.statistics.control import CONTROL
from placement_cli.statistics.family import holm_adjusted
from placement_cli.store.run_document import (
    BlockRecord,
    CaseRecord,
    Environment,
    RunDocument,
    RunFacts,
    SampleRecord,
    ToolRecord,
)
from placement_cli.store.schema_files import FOLDER

MakeCase = Callable[..., Case]
MakePlan = Callable[..., ScenarioPlan]
MakeRequest = Callable[..., Request]

PAGE_BYTES = 4096
LEAST_SHARE = 1e-4

_made: dict[Reading, RunDocument] = {}
"""The documents that were made already: they never change, and many tests read them."""


@pytest.fixture(params=list(Reading))
def document(
    request: pytest.FixtureRequest, engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> RunDocument:
    """A small noisy run of each reading: two cases of different cost, one of which lost a block."""
    if request.param in _made:
        return _made[request.param]
    engine.noise, engine.lost["async"] = 0.02, 1
    engine.cost.update({"sync": 1.3, "off": 0.8})
    engine.bytes_by_arm["sync"] = 1024
    cases = [make_case(("off", "async", "sync"), reading=request.param, ops=ops, ops_=ops) for ops in (1, 3)]
    _made[request.param] = engine.start(make_request(make_plan(*cases), stages=(6,)))
    return _made[request.param]


def samples_of(block: BlockRecord, arm: str) -> list[SampleRecord]:
    """The measured samples of an arm in one block, in the order of the rounds."""
    taken = [sample for sample in block.samples if sample.arm == arm and sample.phase == "measure"]
    return sorted(taken, key=lambda sample: sample.round)


def all_samples(case: CaseRecord, arm: str) -> list[SampleRecord]:
    """The measured samples of an arm in all valid blocks."""
    return [sample for block in case.blocks if block.valid for sample in samples_of(block, arm)]


def nearest_rank(values: Sequence[float], percent: int) -> float:
    """The percentile that the document's summaries use."""
    return sorted(values)[-(-percent * len(values) // 100) - 1]


def read(metric: str, sample: SampleRecord) -> float:
    """One metric of a sample, as documented."""
    latencies = sorted(sample.latency_s or [])
    match metric:
        case "complete_s":
            return sample.complete_s / sample.messages
        case "dispatch_s":
            return sample.dispatch_s / sample.messages
        case "in_flight_bytes":
            return max(PAGE_BYTES, sample.in_flight_bytes)
        case "spike_s":
            return max(*latencies, sample.finish_s or 0.0)
        case "latency_s":
            return median(latencies)
        case "latency_p95_s":
            place = 0.95 * (len(latencies) - 1)
            low = latencies[int(place)]
            return low + (place - int(place)) * (latencies[min(int(place) + 1, len(latencies) - 1)] - low)
        case "busy_share":
            return max(LEAST_SHARE, 1 - (sample.free_share or 0.0))
    raise KeyError(metric)


def every_number(value: Any) -> list[float]:
    """All numbers anywhere in a JSON value."""
    if isinstance(value, dict):
        return [number for item in value.values() for number in every_number(item)]
    if isinstance(value, list):
        return [number for item in value for number in every_number(item)]
    return [value] if isinstance(value, int | float) else []


def test_the_document_is_valid(document: RunDocument) -> None:
    """A run is what its JSON Schema says, both the model's and the one that ships."""
    plain = json.loads(document.to_json())
    jsonschema.validate(plain, RunDocument.model_json_schema(by_alias=True, mode="serialization"))
    jsonschema.validate(plain, json.loads((FOLDER / "run-1.schema.json").read_text(encoding="utf-8")))
    assert RunDocument.model_validate(plain) == document


def test_all_numbers_are_finite(document: RunDocument) -> None:
    """No NaN and no Infinity is anywhere, so that every JSON reader can read it."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    plain = json.loads(document.to_json(), parse_constant=refuse)
    assert all(isfinite(number) for number in every_number(plain))


def test_summaries_follow_from_the_samples(document: RunDocument) -> None:
    """Median, 10th and 90th percentile and count of every quantity can be computed again."""
    for case in document.cases:
        assert set(case.summary) == {*case.arms, *([CONTROL] if case.id == document.scenarios[0].control_case else [])}
        for arm, summary in case.summary.items():
            samples = all_samples(case, arm)
            spreads = {
                "complete_s": [s.complete_s / s.messages for s in samples],
                "dispatch_s": [s.dispatch_s / s.messages for s in samples],
                "in_flight_bytes": [s.in_flight_bytes for s in samples],
                "page_faults": [s.page_faults / s.messages for s in samples],
                "finish_s": [s.finish_s for s in samples if s.finish_s is not None],
                "free_share": [s.free_share for s in samples if s.free_share is not None],
                "pending_ops_end": [s.pending_ops[-1] for s in samples if s.pending_ops],
                "pending_bytes_end": [s.pending_bytes[-1] for s in samples if s.pending_bytes],
                "stall_call": [s.stall_call for s in samples if s.stall_call is not None],
            }
            for name, values in spreads.items():
                spread = getattr(summary, name)
                if not values:
                    assert spread is None
                    continue
                assert spread.n == len(values)
                assert spread.median == pytest.approx(median(values))
                assert (spread.p10, spread.p90) == (nearest_rank(values, 10), nearest_rank(values, 90))


def test_latencies_follow_from_the_samples(document: RunDocument) -> None:
    """Percentiles over all messages, and the share of late ones, can be computed again."""
    for case in document.cases:
        for arm, summary in case.summary.items():
            samples = all_samples(case, arm)
            latencies = [value for sample in samples for value in sample.latency_s or ()]
            missed = [sample for sample in samples if sample.missed is not None]
            assert (summary.latency_s is None) == (not latencies)
            if summary.latency_s is not None:
                spread = summary.latency_s
                expected = [*(nearest_rank(latencies, p) for p in (50, 95, 99)), max(latencies)]
                assert [spread.p50, spread.p95, spread.p99, spread.max] == expected
                assert spread.n == len(latencies)
            if missed:
                late = sum(s.missed or 0 for s in missed) / sum(s.messages for s in missed)
                assert summary.missed_share == pytest.approx(late)
            else:
                assert summary.missed_share is None


def test_comparisons_follow_from_the_samples(document: RunDocument) -> None:
    """Ratio, interval and p-value of every comparison can be computed again, block by block."""
    for case in document.cases:
        for each in case.comparisons:
            rows = [
                median(
                    log(read(each.metric, new) / read(each.metric, base))
                    for base, new in zip(samples_of(block, each.base), samples_of(block, each.new), strict=True)
                )
                for block in case.blocks
                if block.valid
            ]
            assert each.n_blocks == len(rows) == 6
            assert each.ratio == pytest.approx(exp(median(rows)))
            assert each.ci == pytest.approx((exp(min(rows)), exp(max(rows))))
            assert each.ci_level == pytest.approx(1 - 2 / 2**6)
            assert each.bootstrap_ci is not None
            assert each.bootstrap_ci[0] <= each.ratio <= each.bootstrap_ci[1]
            assert each.same_within == pytest.approx(0.03)
            assert each.limit >= each.same_within - 1e-12


def test_p_values_are_adjusted_for_their_number(document: RunDocument) -> None:
    """Holm's correction over all comparisons of the scenario is there for each that has a p-value."""
    compared = [each for case in document.cases for each in case.comparisons]
    assert all(each.p is not None for each in compared)
    expected = holm_adjusted([each.p or 0.0 for each in compared])
    assert [each.p_adjusted for each in compared] == pytest.approx(expected)


def test_sentences_rest_on_cases_that_exist(document: RunDocument) -> None:
    """Every sentence names the cases it rests on."""
    ids = {case.id for case in document.cases}
    assert document.says
    for saying in document.says:
        assert saying.cases
        assert ids.issuperset(saying.cases)


def test_blocks_keep_how_they_were_measured(document: RunDocument) -> None:
    """Processes, start order, warm-up, order in time, host state and agreement are kept; the lost block too."""
    for case in document.cases:
        for block in (block for block in case.blocks if block.valid):
            assert set(block.pids) == set(block.errors)
            assert set(block.pids) <= set(block.start_order)
            assert {sample.phase for sample in block.samples} == {"warmup", "measure"}
            times = [sample.at_s for sample in block.samples]
            assert times == sorted(times)
            assert len(block.state) == 2
    lost = [block for case in document.cases for block in case.blocks if not block.valid]
    assert [block.kind for block in lost] == ["crash"]
    assert "exit status -9" in lost[0].reason


def test_arms_are_kept_as_they_were_asked_for(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """An arm has its mode in the words of graph.yaml, and its sites."""
    case = make_case(("off+values", "window:4", "async+state"))
    document = engine.start(make_request(make_plan(case), stages=(6,)))
    arms = document.cases[0].arms
    assert [arm["mode"] for arm in arms.values()] == ["off", "window:4", "async"]
    assert [arm["sites"] for arm in arms.values()] == [[], ["last"], ["last"]]
    assert document.cases[0].base == "off+values"
    assert document.cases[0].pipeline == case.pipeline.to_json()


def _document(finished: Sequence[Finished], *, interrupted: bool = False) -> RunDocument:
    run = RunFacts(id="r", started="2026-01-01T00:00:00+00:00", duration_s=1, argv=[], seed=0, complete=True)
    env = Environment(fingerprint="sha256:0", stable={}, harness={})
    tool = ToolRecord(name="placement", version="0")
    return build_document(run, env, tool, Method(), finished, [], interrupted)


def test_equal_blocks_give_equal_documents(
    make_case: MakeCase, make_plan: MakePlan, make_blocks: Callable[..., list[CaseBlock]]
) -> None:
    """Nothing but the blocks decides what stands in the document."""
    case = make_case()
    finished = Finished(make_plan(case), Progress({case.id: make_blocks(case, {"sync": [0.1] * 12})}))
    assert _document([finished]) == _document([finished])


def test_a_scenario_that_was_never_begun_is_in_the_document(make_case: MakeCase, make_plan: MakePlan) -> None:
    """Its cases are there without blocks, inconclusive, and the reason is told."""
    document = _document([Finished(make_plan(make_case()), Progress(), "interrupted")], interrupted=True)
    (case,) = document.cases
    assert (case.blocks, case.summary, case.estimates) == ([], {}, [])
    assert {each.verdict for each in case.comparisons} == {"inconclusive"}
    assert all(each.ratio is None and each.ci is None and each.p is None for each in case.comparisons)
    assert document.diagnostics[0].text == "chain: stopped early, interrupted."
    assert document.exit.code == 130


def test_a_run_of_nothing_is_a_document_too() -> None:
    """Without scenarios there is nothing to say."""
    document = _document([])
    assert (document.cases, document.says, document.exit.name) == ([], [], "ok")


def test_prices_leave_out_cases_that_cannot_be_trusted(
    make_case: MakeCase,
    make_plan: MakePlan,
    make_blocks: Callable[..., list[CaseBlock]],
    make_lost: Callable[..., CaseBlock],
) -> None:
    """A line through cases does not go through one that failed."""
    cases = [make_case(reading=Reading.BURST, ops=ops, n=ops) for ops in (1, 3)]
    blocks = {case.id: make_blocks(case, {"sync": [0.0] * 6}) for case in cases}
    whole = _document([Finished(make_plan(*cases), Progress(dict(blocks)))])
    blocks[cases[1].id] = [*blocks[cases[1].id], make_lost(cases[1], "disagreement", 6)]
    broken = _document([Finished(make_plan(*cases), Progress(blocks))])
    assert whole.scenarios[0].estimates
    assert broken.scenarios[0].estimates == []


@pytest.fixture
def leaning(
    make_case: MakeCase, make_plan: MakePlan, make_blocks: Callable[..., list[CaseBlock]]
) -> Callable[[Sequence[float]], RunDocument]:
    """Makes a run of one scenario for each of these control medians; in each an arm is 50 % slower."""

    def make(medians: Sequence[float]) -> RunDocument:
        cases = [make_case(scenario=f"s{number}") for number in range(len(medians))]
        ratios = [{"sync": [0.4] * 12, CONTROL: [middle] * 12} for middle in medians]
        blocks = [make_blocks(case, row) for case, row in zip(cases, ratios, strict=True)]
        return _document(
            [Finished(make_plan(case), Progress({case.id: found})) for case, found in zip(cases, blocks, strict=True)]
        )

    return make


def test_controls_that_lean_one_way_spoil_the_run(leaning: Callable[[Sequence[float]], RunDocument]) -> None:
    """Eight scenarios whose second process of the same arm is always slower: the design is biased, the code 5."""
    document = leaning([0.01] * 8)
    assert document.exit.code == 5
    assert [(item.level, item.code) for item in document.diagnostics] == [("error", "control-leans")]
    assert {each.verdict for case in document.cases for each in case.comparisons} == {"invalid"}
    assert len(document.says) == 8
    assert all("nothing was measured validly: The control" in saying.text for saying in document.says)


@pytest.mark.parametrize("medians", [[0.01] * 7, [-0.01, 0.01] * 4, [0.01] * 7 + [-0.01]])
def test_controls_that_may_lean_by_chance_spoil_nothing(
    medians: list[float], leaning: Callable[[Sequence[float]], RunDocument]
) -> None:
    """Seven that agree, or eight of which some do not, happen by chance."""
    document = leaning(medians)
    assert (document.exit.code, document.diagnostics) == (0, [])
    assert {each.verdict for case in document.cases for each in case.comparisons} == {"slower"}


def test_a_lean_the_other_way_is_one_too(leaning: Callable[[Sequence[float]], RunDocument]) -> None:
    """A control that is always faster shows the same bias."""
    assert leaning([-0.01] * 8).exit.code == 5


def test_the_method_is_told() -> None:
    """How the run decided stands in the document."""
    facts = method_facts(Method(0.05, (6,)))
    assert (facts["min_effect"], facts["stages"], facts["correction"]) == (0.05, [6], "holm (p_adjusted)")
