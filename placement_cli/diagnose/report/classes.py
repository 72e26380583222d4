"""Classes of symptoms: what each is called, what it bears on, and which probes have to do with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from placement_cli.diagnose.finding import Finding
from placement_cli.store.diagnosis_document import Symptom, SymptomClass


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of symptoms.

    `name` stands in a report. It may be behind each of `bears_on`, the most usual first. `rests_on` are probes whose
    claims it needs: where one does not hold, what was seen does not mean that. `probes` are others worth running.
    """

    name: str
    bears_on: tuple[Symptom, ...]
    rests_on: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()


KINDS: Mapping[SymptomClass, Kind] = MappingProxyType(
    {
        "submission-only": Kind(
            "submission-only timing", ("timing",), ("timing.submission-only",), ("boundary.build",)
        ),
        "setup-in-clock": Kind("setup in the clock", ("timing",), ("timing.lazy-input",)),
        "hidden-synchronization": Kind("hidden synchronization", ("timing",)),
        "blocking-wait": Kind(
            "wait that could overlap", ("timing",), ("boundary.in-flight",), ("boundary.lock", "back-pressure.window")
        ),
        "one-by-one": Kind("evaluations one by one", ("timing",)),
        "run-ahead-stall": Kind(
            "run-ahead / stall",
            ("timing",),
            (),
            (
                "back-pressure.dispatches",
                "back-pressure.evaluations",
                "back-pressure.uncounted",
                "back-pressure.window",
            ),
        ),
        "cold-start": Kind("first use", ("timing",), (), ("timing.first-use", "timing.first-compile")),
        "retracing": Kind("compiled anew again and again", ("timing",), ("timing.retrace",)),
        "cache-cleared": Kind(
            "cache cleared in the loop",
            ("timing", "memory"),
            (),
            ("ownership.clear-cache", "ownership.clear-cache-waits", "ownership.clear-cache-returns"),
        ),
        "no-arrays": Kind("evaluation without arrays", ("timing", "memory"), ("boundary.trees",)),
        "retained-references": Kind(
            "retained references", ("memory",), (), ("ownership.kept-outputs", "ownership.slice-parent")
        ),
        "in-flight-memory": Kind(
            "in-flight memory",
            ("memory",),
            ("ownership.counters",),
            ("back-pressure.memory-limit", "back-pressure.memory-limit-ignored", "back-pressure.window"),
        ),
        "allocator-cache": Kind(
            "allocator cache",
            ("memory",),
            (),
            ("ownership.clear-cache", "ownership.cache-limit", "ownership.cache-limit-memory"),
        ),
        "unevaluated-growth": Kind(
            "unevaluated growth", ("memory", "timing", "crash"), ("boundary.build",), ("ownership.graph-references",)
        ),
        "side-state": Kind(
            "side state", ("memory", "timing"), ("boundary.build",), ("zero-size.output-covers", "zero-size.withheld")
        ),
        "unexplained-growth": Kind("growth without a cause in sight", ("memory",)),
        "out-of-memory": Kind("out of memory", ("crash", "memory"), (), ("ownership.kept-outputs",)),
        "wrong-stream": Kind(
            "wrong stream", ("ordering", "timing"), ("boundary.synchronize-other",), ("ordering.fifo",)
        ),
        "thread-ownership": Kind(
            "thread ownership",
            ("crash", "ordering"),
            ("threads.lazy-handed-over",),
            ("threads.evaluated-handed-over", "threads.in-flight-handed-over"),
        ),
        "evaluation-in-transformation": Kind(
            "evaluation inside a transformation",
            ("crash",),
            (),
            ("transforms.compile-eval", "transforms.vmap-eval", "transforms.grad-async"),
        ),
        "late-error": Kind("late error", ("crash", "ordering"), (), ("ordering.late-error",)),
        "mlx-error": Kind("error that a call of MLX raised", ("crash",)),
        "program-error": Kind("program error, not of an evaluation of MLX", ("crash",)),
        "killed-by-signal": Kind("killed by a signal", ("crash",)),
        "other": Kind("another finding", ("timing", "memory", "ordering", "crash")),
        "not-seen": Kind("not seen", ()),
    }
)

BASE: Mapping[Symptom, tuple[str, ...]] = MappingProxyType(
    {
        "timing": ("boundary.async-eval", "boundary.eval", "timing.evaluated-twice"),
        "memory": ("ownership.counters", "ownership.graph-references", "boundary.build"),
        "ordering": ("ordering.two-streams-two-calls", "ordering.fifo", "boundary.synchronize-other"),
        "crash": ("ordering.late-error", "threads.lazy-handed-over"),
    }
)
"""Probes that are run for a symptom whatever is found: the ones that its other evidence stands on."""

_BY_CODE: Mapping[str, SymptomClass] = {
    "PL101": "unevaluated-growth",
    "PL102": "side-state",
    "PL103": "unevaluated-growth",
    "PL204": "blocking-wait",
    "PL206": "one-by-one",
    "PL207": "run-ahead-stall",
    "PL302": "thread-ownership",
    "PL304": "wrong-stream",
    "PL405": "cold-start",
    "PL501": "submission-only",
    "PL502": "setup-in-clock",
    "PL503": "no-arrays",
}
_BY_EVIDENCE: Mapping[str, tuple[tuple[str, SymptomClass], ...]] = {
    "PL203": (("blocked_s", "hidden-synchronization"), ("", "evaluation-in-transformation")),
    "PL901": (
        ("kept_bytes", "retained-references"),
        ("sizes", "allocator-cache"),
        ("traces", "retracing"),
        ("blocked_s", "cache-cleared"),
        ("", "out-of-memory"),
    ),
    "PL902": (("signal", "killed-by-signal"), ("times", "late-error"), ("", "unexplained-growth")),
}
"""Codes with more than one class: a number that only one of them carries, the last one without any."""


def class_of(finding: Finding) -> SymptomClass:
    """Return the class that a finding belongs to."""
    if (simple := _BY_CODE.get(finding.code)) is not None:
        return simple
    told = _BY_EVIDENCE.get(finding.code, ())
    return next((kind for key, kind in told if not key or key in finding.evidence), "other")


def bears_on(finding: Finding, symptom: Symptom | None) -> bool:
    """Tell whether a finding may be behind `symptom`, None standing for any.

    Only what broke the program, or may have, is behind a crash.
    """
    if symptom is None:
        return True
    breaks = finding.severity == "error" or finding.code == "PL902"
    return symptom in KINDS[class_of(finding)].bears_on and (symptom != "crash" or breaks)
