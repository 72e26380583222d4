"""Evidence for a report: what the trace of a program established, and what the probes did, or why neither did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.findings.seen import counted
from placement_cli.diagnose.probes.probe import Result
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.report.classes import class_of
from placement_cli.diagnose.trace_verdict import place_text
from placement_cli.store.diagnosis_document import EvidenceRecord, ProbeOutcome, Symptom, SymptomClass
from placement_cli.tracing.raw import RawProcess

GROWING: frozenset[SymptomClass] = frozenset({"unevaluated-growth", "side-state"})
Count = Callable[[Sequence[RawProcess]], int]


@dataclass(frozen=True, slots=True)
class Check:
    """A claim about the program that its trace puts to the test.

    It does not hold where a finding above a note is of one of `against`; `seen` counts what it was judged by, which is
    called `judged`, and none of it means that the claim was not tested.
    """

    id: str
    claim: str
    bears_on: tuple[Symptom, ...]
    against: frozenset[SymptomClass]
    judged: str
    seen: Count


def _points(*kinds: str) -> Count:
    """Return what counts calls of points of these kinds, or of all where none is named."""
    return lambda processes: sum(
        point.count for process in processes for point in process.points if not kinds or point.kind in kinds
    )


def _threads(processes: Sequence[RawProcess]) -> int:
    """Return how many threads there are beyond the first one of each process."""
    return sum(
        max(0, len({each.thread for several in (process.points, process.builds) for each in several}) - 1)
        for process in processes
    )


CHECKS: tuple[Check, ...] = (
    Check(
        "trace.clocks",
        "The clock is stopped when the work is done, and inputs are made before it is started.",
        ("timing",),
        frozenset({"submission-only", "setup-in-clock"}),
        "measured interval",
        lambda processes: sum(each.count for process in processes for each in process.intervals),
    ),
    Check(
        "trace.reads",
        "No value is read in the middle of a cycle.",
        ("timing",),
        frozenset({"hidden-synchronization"}),
        "call",
        _points(),
    ),
    Check(
        "trace.streams",
        "Every synchronize waits for the stream that has work.",
        ("timing", "ordering"),
        frozenset({"wrong-stream"}),
        "call of synchronize",
        _points("synchronize"),
    ),
    Check(
        "trace.arrays",
        "Every evaluation is given arrays.",
        ("timing", "memory"),
        frozenset({"no-arrays"}),
        "evaluation",
        _points("eval", "async_eval"),
    ),
    Check(
        "trace.growth",
        "No variable piles up operations.",
        ("memory",),
        GROWING,
        "operation",
        lambda processes: sum(process.cost.ops for process in processes),
    ),
    Check(
        "trace.references",
        "No container of arrays grows along with active memory.",
        ("memory",),
        frozenset({"retained-references"}),
        "sample of memory",
        lambda processes: sum(len(process.memory) for process in processes),
    ),
    Check(
        "trace.threads",
        "No thread evaluates a lazy array of another one.",
        ("ordering", "crash"),
        frozenset({"thread-ownership"}),
        "further thread",
        _threads,
    ),
)


def evidence_of(
    ran: Ran,
    findings: Sequence[Finding],
    results: Sequence[Result],
    symptoms: Sequence[Symptom],
    kind: SymptomClass | None = None,
) -> list[EvidenceRecord]:
    """Return the evidence that bears on any of `symptoms` or speaks for a class: the trace's first, then the probes'.

    Where no process with MLX was recorded, that alone is told: there is nothing to judge claims by.
    """
    processes = [process for process in ran.processes if process.mlx]
    if not processes:
        return [_recorded(ran, processes), *map(_probed, results)]
    checks = [check for check in CHECKS if set(check.bears_on) & set(symptoms) or kind in check.against]
    own = [_checked(check, processes, findings) for check in checks]
    return [_recorded(ran, processes), _errors(processes), *own, *_blind(processes), *map(_probed, results)]


def _trace(name: str, claim: str, outcome: ProbeOutcome, says: str) -> EvidenceRecord:
    return EvidenceRecord(source="trace", id=name, claim=claim, outcome=outcome, says=says)


def _recorded(ran: Ran, processes: Sequence[RawProcess]) -> EvidenceRecord:
    claim = "Every process is recorded to its end."
    if not processes and not ran.passed_over:
        return _trace("trace.record", claim, "not-run", "no process was recorded that imported MLX")
    torn = [str(process.pid) for process in processes if not process.ended]
    says = f"{counted(len(processes), 'process', 'processes')} with MLX"
    says += f", without an end: {', '.join(torn)}" if torn else ""
    says += f", {counted(len(ran.passed_over), 'record')} that cannot be read" if ran.passed_over else ""
    return _trace("trace.record", claim, "failed" if torn or ran.passed_over else "passed", says)


def _errors(processes: Sequence[RawProcess]) -> EvidenceRecord:
    claim = "No evaluation, read or wait of MLX raises an error."
    errors = [error for process in processes for error in process.errors]
    calls = _points()(processes)
    if errors:
        first = errors[0]
        told = f"{counted(sum(error.count for error in errors), 'error')}, the first {first.type} at "
        return _trace("trace.errors", claim, "failed", told + place_text(first.place.file, first.place.line))
    if not calls:
        return _trace("trace.errors", claim, "not-run", "no call was recorded")
    return _trace("trace.errors", claim, "passed", f"{counted(calls, 'call')}")


def _checked(check: Check, processes: Sequence[RawProcess], findings: Sequence[Finding]) -> EvidenceRecord:
    against = [each for each in findings if each.severity != "note" and class_of(each) in check.against]
    if against:
        where = [
            each.code if each.file is None else f"{each.code} {place_text(each.file, each.line)}" for each in against
        ]
        return _trace(check.id, check.claim, "failed", ", ".join(dict.fromkeys(where)))
    seen = check.seen(processes)
    if not seen:
        return _trace(check.id, check.claim, "not-run", f"no {check.judged} was seen")
    return _trace(check.id, check.claim, "passed", counted(seen, check.judged, _many(check.judged)))


def _many(noun: str) -> str:
    """Return the plural of a noun with what may follow it, such as `samples of memory`."""
    word, of, rest = noun.partition(" of ")
    return f"{word}s{of}{rest}"


def _blind(processes: Sequence[RawProcess]) -> list[EvidenceRecord]:
    """Return what could not be recorded at all."""
    unseen = dict.fromkeys(sentence for process in processes for sentence in process.unseen)
    return [_trace("trace.unseen", "Everything that MLX is asked is recorded.", "not-run", each) for each in unseen]


def _probed(result: Result) -> EvidenceRecord:
    return EvidenceRecord(
        source="probe",
        id=result.probe.id,
        claim=result.probe.claim,
        outcome=result.outcome,
        says=result.observed or result.reason or "",
    )
