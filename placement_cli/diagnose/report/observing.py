"""Which symptom was seen: decided from findings and records, and said to be undecided where they do not decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.findings.seen import counted, run_share
from placement_cli.diagnose.findings.thresholds import STALL_SHARE
from placement_cli.diagnose.probes.probe import Result
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.report.classes import KINDS, bears_on, class_of
from placement_cli.diagnose.report.crashes import broke, crash_of
from placement_cli.diagnose.report.in_flight import in_flight
from placement_cli.diagnose.report.sighting import ANY, UNSURE, Sighting, leaning, sighting_of
from placement_cli.store.diagnosis_document import Symptom

WOULD_DECIDE = {
    "timing": "placement trace --timeline trace.json {program}  # and open it in ui.perfetto.dev",
    "memory": (
        "import gc, mlx.core as mx\n"
        "arrays = [x for x in gc.get_objects() if isinstance(x, mx.array)]  # in two cycles, far apart\n"
        "print(len(arrays), sum(x.nbytes for x in arrays), mx.get_active_memory(), mx.get_cache_memory())"
    ),
    "ordering": (
        "first = f(x); mx.eval(first)  # with a wait after every step\n"
        "second = f(x); mx.async_eval(second); mx.eval(second)  # as the program does it\n"
        "print(mx.array_equal(first, second).item())"
    ),
    "crash": "python -X faulthandler {program}  # with the input on which it breaks",
}
"""What would decide where nothing was seen."""
NOTHING = "No process of the program was recorded that imported MLX: there is nothing to judge by."
WHICH_MLX = 'python -c "import mlx.core; print(mlx.core.__version__)"  # with the interpreter that the program uses'
ASK_AGAIN = "placement diagnose --symptom {symptom} {program}"


def observed(ran: Ran, findings: Sequence[Finding], symptom: Symptom | None, program: str) -> Sighting:
    """Return the symptom that the evidence supports best, of those that bear on `symptom`; None stands for any.

    What broke the program comes first, then findings above a note, then what was in flight; a note decides only about
    the symptom that was asked for, and where it is no small part of the run. `program` are its words as in a shell.
    """
    asked = symptom == "crash" or (symptom is None and broke(ran))
    if asked and (broken := crash_of(ran, findings, program)) is not None:
        return broken
    fitting = [each for each in findings if bears_on(each, symptom)]
    wrong = next((each for each in fitting if each.severity != "note"), None)
    if wrong is not None:
        return sighting_of(wrong)
    if symptom == "memory" and (held := _held(ran)) is not None:
        return held
    if symptom is not None and (heavy := next((each for each in fitting if _weighs(each, ran)), None)) is not None:
        return sighting_of(heavy)
    if symptom is not None and fitting:
        return leaning(fitting[0])
    return _not_seen(ran, findings, symptom, program)


def with_probes(sighting: Sighting, results: Sequence[Result]) -> Sighting:
    """Return the sighting, undecided where a claim that it rests on does not hold on this build."""
    needed = KINDS[sighting.kind].rests_on
    broken = next((each for each in results if each.probe.id in needed and _refuted(each)), None)
    if broken is None:
        return sighting
    return replace(
        sighting,
        decided=False,
        code=UNSURE,
        says=f"{sighting.says} But a claim that this rests on does not hold on this build: {broken.observed}",
        next_check=f"placement diagnose --probe {broken.probe.id}",
    )


def _refuted(result: Result) -> bool:
    """Tell whether a claim was seen not to hold; a probe that crashed or hung has seen nothing."""
    return result.outcome == "failed" and result.reason is None


def _held(ran: Ran) -> Sighting | None:
    return next((found for process in ran.processes if (found := in_flight(process)) is not None), None)


def _weighs(finding: Finding, ran: Ran) -> bool:
    """Tell whether a note accounts for a part of the run that a person would notice."""
    if class_of(finding) not in {"run-ahead-stall", "cold-start"}:
        return False
    seconds = finding.evidence.get("excess_s", finding.evidence.get("first_s"))
    longest = max(ran.processes, key=lambda process: process.duration_s, default=None)
    return isinstance(seconds, float) and longest is not None and run_share(longest, seconds) >= STALL_SHARE


def _not_seen(ran: Ran, findings: Sequence[Finding], symptom: Symptom | None, program: str) -> Sighting:
    if not any(process.mlx for process in ran.processes):
        return Sighting("not-seen", NOTHING, WHICH_MLX, decided=False, code=UNSURE if symptom else None)
    told = f"{_judged(ran)} Nothing of {f'the symptom {symptom}' if symptom else 'any symptom'} was seen in them."
    check = WOULD_DECIDE[symptom or ANY].format(program=program)
    if (other := _elsewhere(ran, findings, symptom)) is not None:
        bearing, what = other
        told += f" What was seen bears on {bearing}: {what}."
        check = ASK_AGAIN.format(symptom=bearing, program=program)
    return Sighting("not-seen", told, check, decided=False, code=UNSURE if symptom else None)


def _elsewhere(ran: Ran, findings: Sequence[Finding], symptom: Symptom | None) -> tuple[Symptom, str] | None:
    """Return another symptom that was seen, and what of it; None where all is well."""
    if broke(ran) and symptom != "crash":
        return "crash", f"the program ended with exit code {ran.exit_code}"
    for wrong in findings:
        bearing = next((each for each in KINDS[class_of(wrong)].bears_on if each != symptom), None)
        if wrong.severity != "note" and bearing is not None:
            return bearing, f"{wrong.code} {wrong.name}"
    return None


def _judged(ran: Ran) -> str:
    """Say what there was to judge by."""
    processes = [process for process in ran.processes if process.mlx]
    points = sum(len(process.points) for process in processes)
    calls = sum(point.count for process in processes for point in process.points)
    samples = sum(len(process.memory) for process in processes)
    return (
        f"{counted(calls, 'call')} at {counted(points, 'point')} and {counted(samples, 'sample')} of memory in "
        f"{counted(len(processes), 'process', 'processes')} were judged."
    )
