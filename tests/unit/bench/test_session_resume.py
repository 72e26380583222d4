"""Journals of whole runs on fake workers: what they keep, and going on from them."""

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
from placement_cli.bench.session import Request, replay, start_run
from placement_cli.errors import NothingComparable, UnreadableInput, UsageError
from placement_cli.measure.specs import Case, Reading
from placement_cli.store.journal import Journal, read_journal
from placement_cli.store.run_document import Diagnostic, RunDocument

MakeCase = Callable[..., Case]
MakePlan = Callable[..., ScenarioPlan]
MakeRequest = Callable[..., Request]


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
