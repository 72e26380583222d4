"""What each comparison of a run means to whoever must act on it: whether it fails, and what is shown first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from placement_cli.bench.says import fault_reason
from placement_cli.gate.words import leaves_open
from placement_cli.store.run_document import CaseRecord, Comparison, RunDocument


class Outcome(IntEnum):
    """What came of a comparison, the most pressing first."""

    FAILED = 0
    INVALID = 1
    INCONCLUSIVE = 2
    PASSED = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison of one case, or, with None, a case in which nothing competes; `note` is about the gate."""

    case: CaseRecord
    comparison: Comparison | None
    outcome: Outcome
    note: str
    reason: str

    @property
    def gated(self) -> bool:
        """Whether a gate could fail for it."""
        return self.comparison is not None and self.comparison.gated


def outcomes(document: RunDocument) -> list[Compared]:
    """Return what came of every comparison, in the order of the document.

    Without a gate what is slower counts as failed. In a gate that takes more: the comparison is one of those that
    could fail it, its case is among those that did, and its second measurement, where there was one, repeated it.
    """
    return [compared for case in document.cases for compared in _of_case(document, case)]


def pressing_first(found: list[Compared]) -> list[Compared]:
    """Return the comparisons with those first that ask for something, and those last that are the same."""
    verdicts = ("slower", "faster", "same")

    def rank(compared: Compared) -> tuple[int, int]:
        verdict = compared.comparison.verdict if compared.comparison else ""
        return compared.outcome, verdicts.index(verdict) if verdict in verdicts else len(verdicts)

    return sorted(found, key=rank)


def _of_case(document: RunDocument, case: CaseRecord) -> Iterator[Compared]:
    fault = fault_reason(case)
    if not case.comparisons:
        yield Compared(case, None, Outcome.INVALID if fault else Outcome.PASSED, "", fault)
    for each in case.comparisons:
        yield Compared(case, each, _outcome(document, case, each), _note(document, case, each), each.reason)


def _outcome(document: RunDocument, case: CaseRecord, each: Comparison) -> Outcome:
    by_verdict = {"invalid": Outcome.INVALID, "inconclusive": Outcome.INCONCLUSIVE}
    if each.verdict == "slower" and _fails(document, case, each):
        return Outcome.FAILED
    if document.gate is not None and each.verdict == "inconclusive" and not leaves_open(each):
        # It ended early because the limit is kept for certain, which is all that a gate asks.
        return Outcome.PASSED
    return by_verdict.get(each.verdict, Outcome.PASSED)


def _fails(document: RunDocument, case: CaseRecord, slower: Comparison) -> bool:
    if document.gate is None:
        return True
    refuted = slower.confirmation is not None and not slower.confirmation.repeated
    return slower.gated and case.id in document.gate.failed and not refuted


def _note(document: RunDocument, case: CaseRecord, each: Comparison) -> str:
    if document.gate is None:
        return ""
    if not each.gated:
        return "not gated"
    if each.verdict != "slower":
        return ""
    return "failed" if _fails(document, case, each) else "not confirmed"
