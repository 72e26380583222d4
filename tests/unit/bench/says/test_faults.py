"""Sentences about what cannot be trusted."""

from __future__ import annotations

from collections.abc import Callable

from placement_cli.bench.says.faults import fault_reason, say_faults
from placement_cli.store.run_document import BlockRecord, CaseRecord, Comparison

MakeRecord = Callable[..., CaseRecord]


def test_one_reason_is_told_once(make_record: MakeRecord, make_block: Callable[..., BlockRecord]) -> None:
    """Cases that failed for one reason share a sentence."""
    cases = [make_record(params={"n": n}, blocks=[make_block(0, "disagreement", "wrong.")]) for n in range(3)]
    (saying,) = say_faults(cases)
    assert saying.text == "At n 0, n 1 and n 2 nothing was measured validly: wrong."
    assert saying.cases == [case.id for case in cases]


def test_different_reasons_are_told_apart(make_record: MakeRecord, make_block: Callable[..., BlockRecord]) -> None:
    """Each reason has its own sentence."""
    cases = [make_record(params={"n": n}, blocks=[make_block(0, "disagreement", f"wrong {n}")]) for n in range(2)]
    assert len(say_faults(cases)) == 2


def test_a_case_that_can_be_trusted_has_no_fault(
    make_record: MakeRecord, make_block: Callable[..., BlockRecord], make_comparison: Callable[..., Comparison]
) -> None:
    """Valid blocks and verdicts are no fault, nor is a case that was never begun."""
    sound = make_record([make_comparison()], blocks=[make_block(n) for n in range(6)])
    assert [fault_reason(case) for case in (sound, make_record())] == ["", ""]
    assert say_faults([sound, make_record()]) == []


def test_a_biased_run_shows_in_the_verdicts(
    make_record: MakeRecord, make_comparison: Callable[..., Comparison]
) -> None:
    """Where the blocks are sound but the verdicts invalid, their reason is told."""
    case = make_record([make_comparison(verdict="invalid", reason="the run is biased")])
    assert fault_reason(case) == "the run is biased"
