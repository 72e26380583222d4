"""A gate against stored runs: what is compared, what is refused, and what it takes to fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from placement_cli.comparing.from_run import recorded_from
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.errors import NothingComparable
from placement_cli.gate.cores import ON_ONE_CORE
from placement_cli.gate.judging import GateRule
from placement_cli.gate.session import GateRequest
from placement_cli.gate.stored import STORED_BLOCKS, StoredSide, known_cases
from placement_cli.gate.stored_session import run_stored
from placement_cli.gate.suite import GateCase
from placement_cli.store.run_document import RunDocument

MakeGateCase = Callable[..., GateCase]
RunStored = Callable[..., RunDocument]
FACTS: dict[str, Any] = {"chip": "fake", "mlx": "1.0", "backend": "fake"}


def stored(case: GateCase, *, times_s: tuple[float, ...] = (1e-3,) * 12, **facts: Any) -> Recorded:
    """Return a stored run of `bench` that holds the case, each process at so many seconds a message."""
    series = Series(case.id.removesuffix(" async"), "async", "complete_s", "s", times_s)
    given = {"fingerprint": "sha256:x", "stable": FACTS, "started": "2026-11-01T00:00:00+00:00"} | facts
    return Recorded(name="old", origin="old.json", tool="placement 1", series=(series,), **given)


@pytest.fixture
def against(engine: Any) -> RunStored:
    """Compares these cases, measured on the machine made of fakes, with a stored run."""

    def run(run: Recorded, *cases: GateCase, fails: bool = False, **asked: Any) -> RunDocument:
        side = StoredSide(run, asked.pop("spread", {}))
        request = GateRequest(
            "check-1", ["check"], known_cases(cases, side), {"chain": "How much?"}, GateRule(), 0, None, **asked
        )
        return run_stored(request, side, engine.around(), fails=fails)

    return run


def test_what_is_as_fast_as_before_passes(engine: Any, against: RunStored, make_gate_case: MakeGateCase) -> None:
    """With a fresh process for each block and no process of another side."""
    engine.noise = 0.01
    case = make_gate_case(1)
    document = against(stored(case, times_s=tuple(1e-3 * (1 + 0.002 * n) for n in range(12))), case)
    assert document.gate is not None
    assert (document.exit.code, document.gate.verdict) == (0, "passed")
    assert engine.workers == STORED_BLOCKS
    assert [each.verdict for each in document.cases[0].comparisons] == ["same"]


def test_what_is_slower_is_told_and_does_not_fail(
    engine: Any, against: RunStored, make_gate_case: MakeGateCase
) -> None:
    """Unless that is asked for: a run apart in time is weak evidence."""
    engine.cost["new"] = 1.3
    case = make_gate_case(1)
    advisory, strict = against(stored(case), case), against(stored(case), case, fails=True)
    assert advisory.gate is not None
    assert strict.gate is not None
    assert [document.exit.code for document in (advisory, strict)] == [0, 1]
    assert advisory.gate.failed == []
    assert strict.gate.failed == [case.id]
    assert "advisory" in advisory.gate.reason
    assert advisory.cases[0].comparisons[0].ratio == pytest.approx(1.3, rel=0.01)


def test_less_than_five_percent_is_never_claimed(engine: Any, against: RunStored, make_gate_case: MakeGateCase) -> None:
    """However quiet both runs are; nor less than three times what days lie apart."""
    engine.cost["new"] = 1.04
    case = make_gate_case(1)
    assert against(stored(case), case, fails=True).exit.code == 0
    engine.cost["new"] = 1.1
    assert against(stored(case), case, fails=True).exit.code == 1
    (key,) = [series.key for series in stored(case).series]
    assert against(stored(case), case, fails=True, spread={key: 0.05}).exit.code == 0


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"stable": {**FACTS, "mlx": "0.9"}}, "mlx was '0.9' and is '1.0'"),
        ({"fingerprint": "", "stable": {}}, "does not say where it was measured"),
    ],
)
def test_runs_of_another_set_up_are_refused(
    engine: Any, against: RunStored, make_gate_case: MakeGateCase, facts: dict[str, Any], told: str
) -> None:
    """With the fact that differs, before anything is measured."""
    case = make_gate_case(1)
    with pytest.raises(NothingComparable, match=told):
        against(stored(case, **facts), case)
    assert engine.samples == 0


def test_a_stored_run_without_these_cases_is_refused(against: RunStored, make_gate_case: MakeGateCase) -> None:
    """With what it holds instead."""
    with pytest.raises(NothingComparable, match="holds none of these cases"):
        against(stored(make_gate_case(1)), make_gate_case(2))


def test_a_gate_can_be_the_baseline_of_the_next(engine: Any, against: RunStored, make_gate_case: MakeGateCase) -> None:
    """Its new side is what the next one compares with."""
    case = make_gate_case(1)
    first = against(stored(case), case)
    second = against(recorded_from(first, "first", "first.json"), case)
    assert {each.ratio for each in second.cases[0].comparisons} == {1.0}


def test_an_interrupt_keeps_what_was_measured(engine: Any, against: RunStored, make_gate_case: MakeGateCase) -> None:
    """With 130, and nothing claimed of what is not complete."""
    engine.interrupt_at = 20
    case = make_gate_case(1)
    document = against(stored(case), case)
    assert (document.exit.code, document.run.complete) == (130, False)
    assert document.cases[0].blocks
    assert {each.verdict for each in document.cases[0].comparisons} == {"inconclusive"}


def test_among_many_comparisons_chance_is_counted(
    engine: Any, against: RunStored, make_gate_case: MakeGateCase
) -> None:
    """A p-value just below one in a hundred is nothing among twenty."""
    engine.noise = 0.05
    cases = [make_gate_case(number) for number in range(20)]
    series = [each for case in cases for each in stored(case, times_s=(0.95e-3, 1.05e-3) * 6).series]
    run = replace(stored(cases[0]), series=tuple(series))
    document = against(run, *cases, fails=True)
    assert document.exit.code == 0
    assert all(each.p_adjusted is not None for case in document.cases for each in case.comparisons if each.gated)


def test_what_is_left_open_fails_where_that_is_asked_for(
    engine: Any, against: RunStored, make_gate_case: MakeGateCase
) -> None:
    """As in any other gate; otherwise it is inconclusive and passes."""
    engine.noise = 0.2
    case = make_gate_case(1)
    run = stored(case, times_s=(0.7e-3, 1.4e-3) * 6)
    lenient, strict = against(run, case), against(run, case, fail_on_inconclusive=True)
    assert lenient.gate is not None
    assert [document.exit.code for document in (lenient, strict)] == [0, 3]
    assert lenient.gate.verdict == "inconclusive"


def test_a_case_is_measured_on_one_core_where_it_was_stored_so(make_gate_case: MakeGateCase) -> None:
    """Two conditions never stand in one comparison."""
    case = make_gate_case(1)
    alone = Series(f"{case.id}{ON_ONE_CORE}", "new", "complete_s", "s", (1e-3,) * 12)
    (known,) = known_cases([case], StoredSide(replace(stored(case), series=(alone,)), {}))
    assert (known.one_core, known.id) == (True, alone.case)
    (plain,) = known_cases([case], StoredSide(stored(case), {}))
    assert not plain.one_core
