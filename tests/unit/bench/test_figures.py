"""The columns of tables, wherever they are printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.bench.figures import FIGURES, NOTHING, WAITED, verdict_word
from placement_cli.bench.run import ScenarioPlan
from placement_cli.bench.session import Request
from placement_cli.measure.specs import Case, Reading
from placement_cli.store.run_document import CaseRecord, Comparison


@pytest.fixture
def measured(
    engine: Any,
    make_case: Callable[..., Case],
    make_plan: Callable[..., ScenarioPlan],
    make_request: Callable[..., Request],
) -> Callable[..., CaseRecord]:
    """Measures a case of a reading and returns it as the document has it."""

    def measure(reading: Reading, arms: tuple[str, ...] = ("async", "off")) -> CaseRecord:
        document = engine.start(make_request(make_plan(make_case(arms, reading=reading)), stages=(6,)))
        return document.cases[0]

    return measure


@pytest.mark.parametrize(
    ("reading", "shown"),
    [
        (Reading.STREAM, ["1.00 ms", "500 µs", "64.0 KiB"]),
        (Reading.BURST, ["500 µs", "1.00 ms"]),
        (Reading.QUEUE, ["37 [37, 37]", "37", "64"]),
        (Reading.PENDING, ["4", "4.00 KiB", "1.00 ms", "2.00 ms", "2.00 ms"]),
        (Reading.PACED, ["1.05 ms", "1.10 ms", "1.10 ms", "1.10 ms", "10 %", "75 %"]),
    ],
)
def test_every_reading_has_its_columns(reading: Reading, shown: list[str], measured: Callable[..., CaseRecord]) -> None:
    """What is shown of an arm is what was measured, in units people read."""
    case = measured(reading)
    assert [figure.read(case, "async") for figure in FIGURES[reading]] == shown


@pytest.mark.parametrize("reading", list(Reading))
def test_an_arm_that_was_not_measured_has_no_figures(reading: Reading, measured: Callable[..., CaseRecord]) -> None:
    """Where nothing was measured nothing is shown."""
    case = measured(reading).model_copy(update={"summary": {}, "estimates": [], "blocks": []})
    shown = {figure.read(case, "async") for figure in (*FIGURES[reading], WAITED)}
    assert shown <= {NOTHING, "not measured"}


def test_no_stall_is_shown_as_none(engine: Any, measured: Callable[..., CaseRecord]) -> None:
    """A queue in which nothing blocked has no call to show."""
    engine.stall_calls = (0,)
    case = measured(Reading.QUEUE, ("async",))
    assert [figure.read(case, "async") for figure in FIGURES[Reading.QUEUE]] == ["none", NOTHING, "64"]


def test_the_waited_share_is_shown_with_its_interval(measured: Callable[..., CaseRecord]) -> None:
    """Only an ASYNC has a share in which it waited."""
    case = measured(Reading.STREAM)
    assert [WAITED.read(case, arm) for arm in ("async", "off")] == ["30 % [30, 30]", NOTHING]


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("complete_s", ["slower", "faster", "same", "invalid"]),
        ("in_flight_bytes", ["more", "less", "same", "invalid"]),
        ("busy_share", ["more", "less", "same", "invalid"]),
    ],
)
def test_verdicts_have_the_words_of_their_metric(metric: str, words: list[str]) -> None:
    """Bytes are more or less, times slower or faster."""
    told = {"base": "a", "new": "b", "ratio": None, "ci": None, "ci_level": None, "n_blocks": 0, "noise_floor": 0}
    limits = {"limit": 0, "same_within": 0, "p": None, "reason": ""}
    made = [
        Comparison.model_validate({**told, **limits, "metric": metric, "verdict": verdict})
        for verdict in ("slower", "faster", "same", "invalid")
    ]
    assert [verdict_word(each) for each in made] == words
