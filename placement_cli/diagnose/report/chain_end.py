"""The chain of a program, its last links: what it ran on, and what was there, held and left over."""

from __future__ import annotations

from collections.abc import Sequence

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.findings.seen import counted
from placement_cli.diagnose.report.chain import evaluation, producer, wait
from placement_cli.diagnose.trace_verdict import place_text
from placement_cli.store.diagnosis_document import BuildRecord, ChainLink
from placement_cli.tracing.raw import RawProcess
from placement_cli.units import format_duration, format_size

NOTHING = "Not seen. No process of the program was recorded that imported MLX."


def chain_of(process: RawProcess | None, findings: Sequence[Finding], build: BuildRecord) -> list[ChainLink]:
    """Return all links of a process, from the producer to clean-up; without one all but the backend were not seen."""
    if process is None:
        unseen = [ChainLink(link=link, says=NOTHING, seen=False) for link in ("producer", "evaluation", "wait")]
        return [*unseen, backend(process, build), ChainLink(link="clean-up", says=NOTHING, seen=False)]
    return [producer(process), evaluation(process), wait(process), backend(process, build), clean_up(process, findings)]


def backend(process: RawProcess | None, build: BuildRecord) -> ChainLink:
    """Return what the program ran on, and what the probes ran on where that is something else."""
    if process is None:
        says = f"Not seen of the program; this command has {_has(build)}."
        return ChainLink(link="backend", says=says, seen=False)
    variables = ", ".join(f"{name}={value}" for name, value in process.variables.items())
    says = f"MLX {process.mlx} on {process.backend}, default device {process.device}, Python {process.python}; "
    says += f"with {variables}." if variables else "no variable that alters MLX."
    if (build.mlx, build.backend) != (process.mlx, process.backend):
        says += f" The probes ran on {_has(build)}."
    return ChainLink(link="backend", says=says, seen=True)


def clean_up(process: RawProcess, findings: Sequence[Finding]) -> ChainLink:
    """Return what was left when the process ended, and what held memory on the way there."""
    held = "".join(f" {each}" for each in _held(findings))
    if not process.ended:
        says = f"Not seen. The record ends after {format_duration(process.duration_s)} without an end.{held}"
        return ChainLink(link="clean-up", says=says, seen=bool(held))
    return ChainLink(link="clean-up", says=f"{_left(process)}{held}", seen=True)


def _has(build: BuildRecord) -> str:
    return f"MLX {build.mlx} on {build.backend}"


def _left(process: RawProcess) -> str:
    live, last = process.live, process.memory[-1] if process.memory else None
    arrays = (
        "What was alive at the end was not counted"
        if live is None
        else f"{counted(live.arrays, 'array')} alive at the end, {live.lazy:,} of them lazy, and "
        f"{counted(live.views, 'NumPy view')}"
    )
    if last is None:
        return f"{arrays}; no sample of memory was taken."
    most = max(sample.active for sample in process.memory)
    return (
        f"{arrays}; {format_size(last.active)} active after {format_size(most)} at the highest, "
        f"{format_size(last.cache)} cached."
    )


def _held(findings: Sequence[Finding]) -> list[str]:
    """Return a sentence for each finding about something that held memory."""
    told = []
    for finding in findings:
        kept, pending = finding.evidence.get("kept_bytes"), finding.evidence.get("ops_most")
        where = "" if finding.file is None else f" ({place_text(finding.file, finding.line)})"
        if isinstance(kept, int | float):
            told.append(f"`{finding.node}`{where} pinned {format_size(kept)}.")
        elif isinstance(pending, int | float):
            told.append(f"`{finding.node}`{where} pinned up to {counted(pending, 'pending operation')}.")
    return told[:2]
