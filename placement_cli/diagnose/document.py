"""From probes that ran to their document."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.diagnose.probes.probe import Result
from placement_cli.diagnose.probes.running import Build
from placement_cli.errors import EXIT_NAMES
from placement_cli.store.diagnosis_document import BuildRecord, DiagnosisDocument, ProbeRecord, Symptom
from placement_cli.store.run_document import Diagnostic, ExitRecord, ToolRecord

DIFFERS = "differs-from-reference"
STOPPED = "stopped"


def diagnosis_document(
    build: Build,
    results: Sequence[Result],
    tool_version: str,
    *,
    exit_code: int = 0,
    symptom: Symptom | None = None,
    left_out: int = 0,
) -> DiagnosisDocument:
    """Return the document of probes alone; what is known of a program is added with `model_copy`.

    `left_out` is how many probes were still to come when it was stopped.
    """
    return DiagnosisDocument(
        tool=ToolRecord(name="placement", version=tool_version),
        build=BuildRecord(
            mlx=build.mlx,
            backend=build.backend,
            device=build.device,
            variables=dict(build.variables),
            python=build.python,
            platform=build.platform,
            distributions=dict(build.distributions),
        ),
        probes=[probe_record(result) for result in results],
        symptom=symptom,
        exit=ExitRecord(code=exit_code, name=EXIT_NAMES[exit_code]),
        diagnostics=_diagnostics(results, left_out),
    )


def probe_record(result: Result) -> ProbeRecord:
    """Return a result as documents carry it."""
    probe = result.probe
    return ProbeRecord(
        id=probe.id,
        group=probe.group,
        claim=probe.claim,
        outcome=result.outcome,
        observed=result.observed,
        numbers=dict(result.numbers),
        reference=probe.reference,
        differs=result.differs,
        reason=result.reason,
        took_s=result.took_s,
    )


def _diagnostics(results: Sequence[Result], left_out: int) -> list[Diagnostic]:
    found = []
    if left_out:
        words = "1 probe was" if left_out == 1 else f"{left_out} probes were"
        text = f"It was stopped: {words} still to come."
        found.append(Diagnostic(level="warning", code=STOPPED, text=text))
    differing = [result.probe.id for result in results if result.differs is not None]
    if differing:
        text = f"Not as it was measured before: {', '.join(differing)}."
        found.append(Diagnostic(level="info", code=DIFFERS, text=text))
    return found
