"""Whole runs on fake workers: exit codes, budgets and interrupts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from placement_cli.bench.run import ScenarioPlan
from placement_cli.bench.session import Request, request_of
from placement_cli.measure.specs import Case, Reading
from placement_cli.statistics.control import CONTROL
from placement_cli.store.journal import read_journal
from placement_cli.store.run_document import RunDocument

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
    assert document.says[0].text == "At the one case nothing was measured validly: async: ValueError: no."


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


def test_a_request_keeps_what_its_readers_should_know(
    engine: Any, make_case: MakeCase, make_plan: MakePlan, make_request: MakeRequest
) -> None:
    """The notes of a plan come back from the journal and stand in the document; older journals have none."""
    request = make_request(replace(make_plan(make_case()), notes=("Threads are left out.",)), stages=(6,))
    written = request.to_json()
    assert Request.from_json(json.loads(json.dumps(written))) == request
    told = [(each.level, each.code, each.text) for each in engine.start(request).diagnostics]
    assert told == [("info", "as-run", "Threads are left out.")]
    del written["plans"][0]["notes"]
    assert Request.from_json(written).plans[0].notes == ()
