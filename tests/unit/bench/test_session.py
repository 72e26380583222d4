"""Whole runs on fake workers: exit codes, budgets, interrupts, and going on from a journal."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.bench.run import ScenarioPlan
from placement_cli.bench.session import Request, replay, request_of, start_run
from placement_cli.errors import NothingComparable, UnreadableInput, UsageError
from placement_cli.measure.blocks import CONTROL
from placement_cli.measure.specs import Case, Reading
from placement_cli.store.journal import Journal, read_journal
from placement_cli.store.run_document import Diagnostic, RunDocument

MakeCase = Callable[..., Case]
MakePlan = Callable[..., ScenarioPlan]
MakeRequest = Callable[..., Request]


def verdicts(document: RunDocument, metric: str = "complete_s") -> dict[str, str]:
    """The verdict of each arm of each case in one metric."""
    return {
        f"{case.id} {each.new}": each.verdict
        for case in document.cases
        for each in case.comparisons
        if each.metric == metric
    }


def journal_of(engine: Any, request: Request) -> Path:
    """Where the journal of a run is."""
    path: Path = engine.folder / f"{request.run_id}.jsonl"
    return path


def unchanging(document: RunDocument) -> dict[str, Any]:
    """A document without what differs between a run and its replay."""
    plain: dict[str, Any] = json.loads(document.to_json())
    for key in ("duration_s", "resumed"):
        del plain["run"][key]
    return plain


def test_a_run_gives_every_verdict_it_can(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """One run with a slower, a faster and an equal arm says so, ends with 0 and is complete."""
    engine.cost.update({"sync": 1.5, "off": 0.5})
    document = engine.start(make_request(make_plan(make_case(("async", "sync", "off", "window:1")))))
    assert verdicts(document) == {"chain[] sync": "slower", "chain[] off": "faster", "chain[] window:1": "same"}
    assert (document.exit.code, document.exit.name, document.run.complete) == (0, "ok", True)
    assert document.diagnostics == []


def test_inconclusive_is_no_failure(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run that cannot tell ends with 0."""
    engine.noise, engine.cost = 0.1, {"sync": 1.05}
    document = engine.start(make_request(make_plan(make_case())))
    assert verdicts(document) == {"chain[] sync": "inconclusive"}
    assert document.exit.code == 0


@pytest.mark.parametrize(
    ("trouble", "code", "diagnostic"),
    [("crash", 6, "crash"), ("disagreement", 6, "disagreement"), ("drift", 5, "drift"), ("heat", 5, "heat")],
)
def test_what_cannot_be_trusted_decides_the_exit_code(
    trouble: str,
    code: int,
    diagnostic: str,
    engine: Any,
    make_case: MakeCase,
    make_plan: MakePlan,
    make_request: MakeRequest,
) -> None:
    """A failed scenario ends with 6, an invalid measurement with 5; the case and the reason are named."""
    _trouble(engine, trouble)
    document = engine.start(make_request(make_plan(make_case()), stages=(6,)))
    assert verdicts(document) == {"chain[] sync": "invalid"}
    assert document.exit.code == code
    (found,) = document.diagnostics
    assert (found.level, found.code, found.case) == ("error", diagnostic, "chain[]")
    (saying,) = document.says
    assert "nothing was measured validly" in saying.text


def _trouble(engine: Any, kind: str) -> None:
    match kind:
        case "crash":
            engine.failing["sync"] = "ValueError: no"
        case "disagreement":
            engine.disagreeing.add("sync")
        case "drift":
            engine.drift = 0.02
        case "heat":
            engine.state["thermal"] = "heavy"


def test_a_failure_wins_over_an_invalid_measurement(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """Where one case crashes and all others drift the code is 6."""
    engine.drift, engine.failing = 0.02, {"off": "ValueError: no"}
    plan = make_plan(make_case(chunk=1), make_case(("async", "off"), chunk=2))
    document = engine.start(make_request(plan, stages=(6,)))
    assert document.exit.code == 6
    assert [item.code for item in document.diagnostics] == ["drift", "crash"]


def test_a_lone_arm_that_crashes_is_a_failure_too(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A case in which nothing is compared fails as any other."""
    engine.failing["async"] = "ValueError: no"
    document = engine.start(make_request(make_plan(make_case(("async",), reading=Reading.QUEUE)), stages=(6,)))
    assert (document.exit.code, document.cases[0].comparisons) == (6, [])
    assert document.says[0].text == "At the one case nothing was measured validly: ValueError: no."


def test_a_block_that_was_lost_and_replaced_is_told(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run that lost a worker and made up for it ends with 0 and a warning."""
    engine.lost["sync"] = 1
    document = engine.start(make_request(make_plan(make_case()), stages=(6,)))
    assert (document.exit.code, document.run.complete) == (0, True)
    assert [(item.level, item.code) for item in document.diagnostics] == [("warning", "block-lost")]
    assert [block.kind for block in document.cases[0].blocks].count("crash") == 1
    assert sum(block.valid for block in document.cases[0].blocks) == 6


def test_an_interrupt_finishes_the_block_in_hand(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """Ctrl-C in the first scenario keeps what is measured, begins no other, and ends with 130."""
    plans = [make_plan(make_case(scenario=name)) for name in ("first", "second")]
    engine.interrupt_at = 100
    request = make_request(*plans)
    document = engine.start(request)
    assert (document.exit.code, document.run.complete) == (130, False)
    first, second = document.cases
    assert 0 < len(first.blocks) < 6
    assert all(block.valid for block in first.blocks)
    assert second.blocks == []
    assert set(verdicts(document).values()) == {"inconclusive"}
    assert [item.code for item in document.diagnostics] == ["stopped-early", "stopped-early"]
    assert read_journal(journal_of(engine, request))[-1]["kind"] == "stopped"
    assert engine.open_workers == 0


def test_an_interrupt_wins_over_a_failure(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run that was interrupted ends with 130 even where a scenario failed before."""
    engine.disagreeing.add("sync")
    plans = [make_plan(make_case(scenario="wrong")), make_plan(make_case(("async", "off"), scenario="right"))]
    engine.interrupt_at = 20
    assert engine.start(make_request(*plans)).exit.code == 130


def test_a_used_up_budget_gives_inconclusive_never_same(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run whose time is up says how it ended, and calls nothing the same."""
    request = make_request(make_plan(*(make_case(n=n) for n in range(3))), budget_s=1.0)
    document = engine.start(request)
    assert set(verdicts(document).values()) == {"inconclusive"}
    assert (document.exit.code, document.run.complete) == (0, False)
    (found,) = document.diagnostics
    assert found.text == "chain: stopped early, its share of the time budget of 1 s is used up."
    assert document.run.duration_s < 1.5


def test_a_budget_is_shared_between_scenarios(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """Where time runs short every scenario gets its part of it."""
    plans = [make_plan(make_case(scenario=name)) for name in ("first", "second", "third")]
    document = engine.start(make_request(*plans, budget_s=3.0))
    counts = [len(case.blocks) for case in document.cases]
    assert all(0 < count < 6 for count in counts)
    assert max(counts) - min(counts) <= 1


def test_a_budget_that_suffices_changes_nothing(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run that ends in time is complete."""
    document = engine.start(make_request(make_plan(make_case()), budget_s=1e6))
    assert document.run.complete
    assert verdicts(document) == {"chain[] sync": "same"}


def test_the_control_is_kept_in_the_document(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """Samples and summary of the control are there, and the noise floor as a relative change."""
    engine.noise = 0.05
    document = engine.start(make_request(make_plan(make_case()), stages=(6,)))
    assert CONTROL in document.cases[0].summary
    assert CONTROL not in document.cases[0].arms
    noise = document.scenarios[0].noise_floor
    assert noise is not None
    assert 0.01 < noise < 0.2
    assert document.cases[0].comparisons[0].noise_floor == pytest.approx(noise)


def test_every_block_is_in_the_journal(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A journal holds the header, host work, blocks as they ended with the time spent, and the end."""
    request = make_request(make_plan(make_case(host={"kind": "sleep", "length_ms": 1.0})), stages=(6,))
    document = engine.start(request)
    records = read_journal(journal_of(engine, request))
    assert [record["kind"] for record in records] == ["header", "amounts", *["block"] * 6, "finished"]
    assert request_of(records) == request
    spent = [record["spent_s"] for record in records[2:]]
    assert spent == sorted(spent)
    assert document.run.duration_s == pytest.approx(spent[-1])


def test_the_document_is_kept_before_the_journal_ends(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run killed while its document is written is not yet over for its journal."""
    request = make_request(make_plan(make_case()), stages=(6,))
    path = journal_of(engine, request)
    seen: list[str] = []
    start_run(request, path, engine.around(), lambda _: seen.append(read_journal(path)[-1]["kind"]))
    assert seen == ["block"]


def test_a_request_survives_its_journal(make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest) -> None:
    """What a run was asked to do reads back as it was written."""
    case = make_case(("async", "window:4", "off+values"), reading=Reading.PACED, rate=20, kind="x")
    request = make_request(make_plan(case), make_plan(make_case(scenario="other")), budget_s=60.0)
    assert Request.from_json(json.loads(json.dumps(request.to_json()))) == replace(request, argv=["bench"])


def _two_scenarios(make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest) -> Request:
    """A request whose run takes two stages, host work, a lost worker and a control."""
    first = make_plan(make_case(("async", "sync"), scenario="first", n=1), make_case(scenario="first", n=2))
    second = make_plan(make_case(("off", "async"), scenario="second", host={"kind": "sleep", "length_ms": 1.0}))
    return make_request(first, second, stages=(6, 12))


def _recorded(engine: Any, request: Request) -> tuple[RunDocument, list[bytes]]:
    engine.noise, engine.cost = 0.01, {("first[n=1]", "sync"): 1.4, "async": 1.0}
    engine.lost["sync"], engine.workers = 1, 0
    document = engine.start(request)
    path = journal_of(engine, request)
    lines = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    return document, lines


def test_a_finished_journal_gives_the_same_document_again(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """Replaying all records of a run measures nothing and comes to the same numbers, verdicts and sentences."""
    request = _two_scenarios(make_case, make_plan, make_request)
    document, lines = _recorded(engine, request)
    path = engine.folder / "again.jsonl"
    path.write_bytes(b"".join(lines))
    workers = engine.workers
    again = engine.resume(path)
    assert engine.workers == workers
    assert unchanging(again) == unchanging(document)
    assert again.run.resumed == 1


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_run_cut_anywhere_goes_on(
    data: st.DataObject, engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """Whichever record was the last, also half of one: the resumed run is complete and every block is kept."""
    request = _two_scenarios(make_case, make_plan, make_request)
    _, lines = _recorded(engine, request)
    cut = data.draw(st.integers(1, len(lines)), label="records kept")
    torn = data.draw(st.sampled_from([b"", b'{"kind": "blo', lines[min(cut, len(lines) - 1)][:-1]]), label="torn end")
    path = engine.folder / "cut.jsonl"
    path.write_bytes(b"".join(lines[:cut]) + torn)
    kept = [record for record in map(json.loads, lines[:cut]) if record["kind"] == "block"]
    document = engine.resume(path)
    assert document.run.complete
    found = {(case.id, block.index): block for case in document.cases for block in case.blocks}
    assert sum(len(case.blocks) for case in document.cases) == len(found)
    for record in kept:
        block = found[record["case"], record["index"]]
        assert block.pids == record["pids"]
        assert [s.complete_s for s in block.samples] == [s["complete_s"] for s in record["samples"]]
    assert all(sum(block.valid for block in case.blocks) >= 6 for case in document.cases)
    assert read_journal(path)[-1]["kind"] == "finished"


def test_host_work_is_kept_over_a_resume(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """The host work of a case is calibrated once, however often its run is resumed."""
    request = make_request(make_plan(make_case(host={"kind": "sleep", "length_ms": 1.0})), stages=(6,))
    engine.interrupt_at = 60
    engine.start(request)
    engine.interrupt_at = float("inf")
    engine.resume(journal_of(engine, request))
    assert len(engine.calibrations) == 1
    assert {tuple(said["amounts"].items()) for do, said in engine.asked if do == "prepare"} == {(("work", 1001),)}


def test_resuming_counts_and_adds_up(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run interrupted twice is resumed twice; its time is the sum, its start the first one."""
    request = make_request(make_plan(make_case()))
    began = engine.now_s
    engine.interrupt_at = 40
    first = engine.start(request)
    engine.now_s += 1000.0
    engine.interrupt_at = 80
    path = journal_of(engine, request)
    second = engine.resume(path)
    engine.now_s += 1000.0
    engine.interrupt_at = float("inf")
    third = engine.resume(path)
    assert [each.run.resumed for each in (first, second, third)] == [0, 1, 2]
    assert [each.exit.code for each in (first, second, third)] == [130, 130, 0]
    assert third.run.started == first.run.started
    assert third.run.complete
    assert third.run.duration_s == pytest.approx(engine.now_s - began - 2000.0, abs=0.5)


def test_another_set_up_is_refused_with_reasons(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run that began on another MLX does not go on: what differs is named, and nothing is measured."""
    request = make_request(make_plan(make_case()))
    engine.interrupt_at = 40
    engine.start(request)
    engine.stable = {**engine.stable, "mlx": "2.0"}
    workers = engine.workers
    with pytest.raises(NothingComparable, match=r"mlx was '1.0' and is '2.0'") as refused:
        engine.resume(journal_of(engine, request))
    assert refused.value.exit_code == 4
    assert engine.workers == workers


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "block", "case": "no such case"},
        {"kind": "amounts", "case": "chain[]"},
        {"kind": "block"},
    ],
)
def test_a_foreign_record_is_refused(
    record: dict[str, Any], engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A record that this program did not write ends with one sentence that names its line."""
    request = make_request(make_plan(make_case()))
    records = [{"kind": "header", "request": request.to_json()}, record]
    with pytest.raises(UnreadableInput, match="line 2"):
        replay(request, records)


def test_what_is_known_of_the_surroundings_is_told(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """Diagnostics, the harness's costs, the set-up and its fingerprint stand in the document."""
    known = Diagnostic(level="warning", code="mlx-builds", text="two builds")
    document = engine.start(make_request(make_plan(make_case()), stages=(6,)), diagnostics=[known])
    assert document.diagnostics == [known]
    assert document.env.harness == {"empty_sample_s": 1e-6}
    assert document.env.stable == engine.stable
    assert document.env.fingerprint.startswith("sha256:")


def test_a_journal_is_never_overwritten(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """Two runs of one name do not share a journal."""
    request = make_request(make_plan(make_case()), stages=(6,))
    engine.start(request)
    before = journal_of(engine, request).read_bytes()
    with pytest.raises(UsageError, match="exists already"):
        engine.start(request)
    assert journal_of(engine, request).read_bytes() == before


def test_a_journal_can_be_reopened_after_an_error(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """A run that ended in an error has let go of its journal, which keeps every block."""
    request = make_request(make_plan(make_case()))

    def failing() -> float:
        if engine.samples > 100:
            raise KeyboardInterrupt
        return float(engine.now_s)

    with pytest.raises(KeyboardInterrupt):
        engine.start(request, now=failing)
    journal, records = Journal.reopen(journal_of(engine, request))
    journal.close()
    assert [record["kind"] for record in records].count("block") >= 1
