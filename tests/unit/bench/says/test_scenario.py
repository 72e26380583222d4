"""Which sentences a scenario has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.bench.run import ScenarioPlan
from placement_cli.bench.says import say_scenario
from placement_cli.bench.session import Request
from placement_cli.measure.specs import Case, Reading
from placement_cli.store.run_document import ArmSummary, BlockRecord, CaseRecord, Comparison, Estimate, ScenarioRecord

SCENARIO = ScenarioRecord(name="s", question="?", noise_floor=None, control_case=None)
MakeRecord = Callable[..., CaseRecord]


@pytest.mark.parametrize(
    ("reading", "beginnings"),
    [
        (Reading.STREAM, ["Time per message: ", "Bytes in flight: ", "At n 1 ", "At n 3 "]),
        (Reading.BURST, ["Host time per message: ", "Time per message: ", "Building and ASYNC ", "Building and SYNC "]),
        (Reading.QUEUE, ["Host time per message: ", *["At n 1 with "] * 2, *["At n 3 with "] * 2]),
        (Reading.PENDING, ["Time per message: ", "Longest message: ", "At n 1: ", "At n 3: "]),
        (
            Reading.PACED,
            ["Median latency: ", "95th percentile of latency: ", "Host time in use: ", "At n 1: ", "At n 3: "],
        ),
    ],
)
def test_every_reading_has_its_sentences(
    reading: Reading,
    beginnings: list[str],
    engine: Any,
    make_case: Callable[..., Case],
    make_plan: Callable[..., ScenarioPlan],
    make_request: Callable[..., Request],
) -> None:
    """Comparisons come first, metric by metric, then what else the reading tells."""
    plan = make_plan(*(make_case(reading=reading, ops=ops, n=ops, fixed="x") for ops in (1, 3)))
    document = engine.start(make_request(plan, stages=(6,)))
    assert len(document.says) == len(beginnings)
    for saying, beginning in zip(document.says, beginnings, strict=True):
        assert saying.text.startswith(beginning)
        assert saying.text.endswith(".")


def test_cases_are_named_by_what_tells_them_apart(
    make_record: MakeRecord, make_comparison: Callable[..., Comparison]
) -> None:
    """A parameter that all cases share is not repeated; a lone case is named by all of them."""
    first, second = (make_record([make_comparison()], {"chunk": "8x8", "depth": depth}) for depth in (1, 2))
    (together,) = say_scenario(SCENARIO, [first, second])
    (alone,) = say_scenario(SCENARIO, [first])
    assert "at depth 1 and" in together.text
    assert "chunk" not in together.text
    assert "at chunk 8x8 depth 1" in alone.text
    assert together.cases == [first.id, second.id]


def test_faults_come_last_and_spoil_no_other_sentence(
    make_record: MakeRecord,
    make_comparison: Callable[..., Comparison],
    make_block: Callable[..., BlockRecord],
    make_summary: Callable[..., ArmSummary],
) -> None:
    """A case that cannot be trusted is in no sentence but the one that says so, even where it has numbers."""
    waited = [Estimate(name="waited_share[async]", value=0.5, low=0.4, high=0.6, unit="share")]
    summary = {"async": make_summary()}
    sound = make_record([make_comparison()], {"n": 1}, summary=summary, estimates=waited)
    wrong = make_record(
        [make_comparison(verdict="invalid")],
        {"n": 2},
        summary=summary,
        estimates=waited,
        blocks=[make_block(0, "disagreement", "sync is wrong")],
    )
    compared, waits, fault = say_scenario(SCENARIO, [sound, wrong])
    assert compared.cases == waits.cases == [sound.id]
    assert fault.text == "At n 2 nothing was measured validly: sync is wrong."


def test_no_cases_say_nothing() -> None:
    """A scenario without cases has no sentences."""
    assert say_scenario(SCENARIO, []) == []
