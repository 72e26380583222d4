"""A whole report, put together from the trace of a program and from the probes that were run for it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.probes.probe import Probe, Result
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.report.chain_end import chain_of
from placement_cli.diagnose.report.evidence import evidence_of
from placement_cli.diagnose.report.next_check import next_check_of
from placement_cli.diagnose.report.observing import observed, with_probes
from placement_cli.diagnose.report.ownership import ownership_of
from placement_cli.diagnose.report.probing import probes_for
from placement_cli.diagnose.report.sighting import Sighting
from placement_cli.diagnose.report.subject import subject_of
from placement_cli.store.diagnosis_document import (
    DiagnosisDocument,
    ObservedSymptom,
    ReportRecord,
    Symptom,
)
from placement_cli.store.trace_document import TraceDocument


@dataclass(frozen=True, slots=True)
class Case:
    """A program that ran, what was found about it, and the symptom that was asked for, None for any.

    `module` says that the first word of the program is the name of a module.
    """

    ran: Ran
    findings: tuple[Finding, ...]
    symptom: Symptom | None
    module: bool = False

    @property
    def program(self) -> str:
        """The program with its arguments, as words of a shell."""
        return shlex.join([*(["-m"] if self.module else []), *self.ran.argv])

    @property
    def sighting(self) -> Sighting:
        """What the trace alone supports best."""
        return observed(self.ran, self.findings, self.symptom, self.program)

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The probes that bear on it."""
        sighting = self.sighting
        process = subject_of(self.ran.processes, sighting.file, sighting.line)
        return probes_for(sighting, self.symptom, process)


def with_report(
    document: DiagnosisDocument, case: Case, trace: TraceDocument, results: Sequence[Result]
) -> DiagnosisDocument:
    """Return the document of the probes that ran with what they and the trace come to."""
    sighting = with_probes(case.sighting, results)
    process = subject_of(case.ran.processes, sighting.file, sighting.line)
    symptoms = (case.symptom,) if case.symptom else sighting.bears_on or get_args(Symptom)
    report = ReportRecord(
        chain=chain_of(process, case.findings, document.build),
        symptom=_symptom(sighting),
        decided=sighting.decided,
        evidence=evidence_of(case.ran, case.findings, results, symptoms, sighting.kind),
        tied_to=_tied_to(case, document),
    )
    changes: dict[str, Any] = {
        "symptom": case.symptom,
        "trace": trace,
        "ownership": ownership_of(process),
        "next_check": next_check_of(sighting, case.symptom, results, case.program),
        "report": report,
        "diagnostics": [*document.diagnostics, *(each for each in trace.diagnostics if each.level != "info")],
    }
    return document.model_copy(update=changes)


def _symptom(sighting: Sighting) -> ObservedSymptom:
    # By its alias: the name of the field is no word of Python.
    return ObservedSymptom(
        **{"class": sighting.kind},
        name=sighting.name,
        bears_on=list(sighting.bears_on),
        code=sighting.code,
        file=sighting.file,
        line=sighting.line,
        says=sighting.says,
        fix=sighting.fix,
    )


def _tied_to(case: Case, document: DiagnosisDocument) -> str:
    build = document.build
    packages = ", ".join(f"{name} {version}" for name, version in build.distributions.items())
    return (
        f"MLX {build.mlx} on {build.backend} ({packages or 'not installed by pip'}), {build.platform}, {build.python}; "
        f"{case.program}, which ended with exit code {case.ran.exit_code}"
    )
