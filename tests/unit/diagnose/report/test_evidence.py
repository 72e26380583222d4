"""Evidence: what the trace established and what probes did; what was not tested is not said to hold."""

from __future__ import annotations

from typing import Any

from placement_cli.diagnose.report.evidence import evidence_of
from placement_cli.tracing.raw import RawInterval


def outcomes(records: list[Any]) -> dict[str, tuple[str, str]]:
    """Return what each claim came to."""
    return {each.id: (each.outcome, each.says) for each in records}


def test_claims_of_a_symptom_are_judged_by_what_was_recorded(seen: Any) -> None:
    """Those with nothing to judge by are not run; a finding above a note is against its claim."""
    interval = RawInterval(seen.place(3), 5, "perf_counter", "MainThread", 20, 0.1, 3, 0, 20, 0, 0, 0.0, None)
    process = seen.process(points=(seen.point("eval", 9),), intervals=(interval,))
    hidden = seen.finding("PL203", evidence={"blocked_s": 0.1})
    note = seen.finding("PL501", "note")
    found = outcomes(evidence_of(seen.ran(process), [hidden, note], [], ["timing"]))
    assert found == {
        "trace.record": ("passed", "1 process with MLX"),
        "trace.errors": ("passed", "100 calls"),
        "trace.clocks": ("passed", "20 measured intervals"),
        "trace.reads": ("failed", "PL203 run.py:12"),
        "trace.streams": ("not-run", "no call of synchronize was seen"),
        "trace.arrays": ("passed", "100 evaluations"),
    }


def test_records_and_errors_are_told_for_every_symptom(seen: Any) -> None:
    """What was torn, what MLX raised, and what this build does not let be seen."""
    process = seen.process(ended=False, errors=(seen.error(31, "no", count=2),), unseen=("Calls of x.",))
    found = outcomes(evidence_of(seen.ran(process, passed_over=("torn",)), [], [], ["crash"]))
    assert found == {
        "trace.record": ("failed", "1 process with MLX, without an end: 7, 1 record that cannot be read"),
        "trace.errors": ("failed", "2 errors, the first RuntimeError at run.py:31"),
        "trace.threads": ("not-run", "no further thread was seen"),
        "trace.unseen": ("not-run", "Calls of x."),
    }
    nothing = outcomes(evidence_of(seen.ran(), [], [], ["memory"]))
    assert {outcome for outcome, _ in nothing.values()} == {"not-run"}


def test_what_speaks_against_the_symptom_that_was_seen_is_among_the_evidence(seen: Any) -> None:
    """Growth costs time, too; asked about timing, its claim is not left out."""
    process = seen.process(points=(seen.point("eval", 9),))
    growth = seen.finding("PL102")
    without = outcomes(evidence_of(seen.ran(process), [growth], [], ["timing"]))
    found = outcomes(evidence_of(seen.ran(process), [growth], [], ["timing"], "side-state"))
    assert set(found) - set(without) == {"trace.growth"}
    assert found["trace.growth"] == ("failed", "PL102 run.py:12")


def test_without_a_record_there_is_one_reason_for_all_claims(seen: Any) -> None:
    """It is not said again for each of them."""
    found = outcomes(evidence_of(seen.ran(seen.process(mlx="")), [], [], ["timing", "memory", "ordering", "crash"]))
    assert found == {"trace.record": ("not-run", "no process was recorded that imported MLX")}


def test_probes_keep_their_outcome_and_what_they_observed_or_why_not(seen: Any) -> None:
    """A probe of another backend is not run, and nothing takes its place."""
    results = [
        seen.result("boundary.eval"),
        seen.result("back-pressure.evaluations", "not-run", "it is about metal, and this is cpu"),
    ]
    probes = [each for each in evidence_of(seen.ran(), [], results, ["timing"]) if each.source == "probe"]
    assert [(each.id, each.outcome, each.says) for each in probes] == [
        ("boundary.eval", "passed", "It waited 120 ms."),
        ("back-pressure.evaluations", "not-run", "it is about metal, and this is cpu"),
    ]
    assert all(each.claim for each in probes)
