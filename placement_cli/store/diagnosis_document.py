"""The document of a diagnosis, `placement.diagnosis` version 1: what the installed MLX does, and what a program did.

History: 1.0.0 the first.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from placement_cli.store.run_document import Diagnostic, ExitRecord, Part, ToolRecord
from placement_cli.store.texts import FileText
from placement_cli.store.trace_document import TraceDocument

DIAGNOSIS_VERSION = "1.0.0"

ProbeOutcome = Literal["passed", "failed", "not-run"]
Symptom = Literal["timing", "memory", "ordering", "crash"]
SymptomClass = Literal[
    "submission-only",
    "setup-in-clock",
    "hidden-synchronization",
    "blocking-wait",
    "one-by-one",
    "run-ahead-stall",
    "cold-start",
    "retracing",
    "cache-cleared",
    "no-arrays",
    "retained-references",
    "in-flight-memory",
    "allocator-cache",
    "unevaluated-growth",
    "side-state",
    "unexplained-growth",
    "out-of-memory",
    "wrong-stream",
    "thread-ownership",
    "evaluation-in-transformation",
    "late-error",
    "mlx-error",
    "program-error",
    "killed-by-signal",
    "other",
    "not-seen",
]
"""What kind of thing a symptom is; the report has a name for each."""
Link = Literal["producer", "evaluation", "wait", "backend", "clean-up"]
Holder = Literal["live-references", "in-flight-or-graphs", "cache", "process-beyond-mlx"]
Moment = Literal["highest", "end"]
Bound = Literal["exact", "about", "at-least", "at-most"]
EvidenceSource = Literal["trace", "probe"]


class BuildRecord(Part):
    """What is installed, and on what; `variables` are the environment variables that alter how MLX works.

    `distributions` are the installed packages of MLX with their versions. A variable that holds a path is `<path>`.
    """

    mlx: str
    backend: str
    device: str
    variables: dict[str, str]
    python: str
    platform: str
    distributions: dict[str, str]


class ProbeRecord(Part):
    """One claim and what executing it showed.

    `numbers` have their unit in the key. `reference` is what was measured before, and where; `differs` says where this
    is not what was measured before. `reason` says why it was not run, or failed by accident: with one, nothing was
    observed. `took_s` is the time of the probe alone.
    """

    id: str
    group: str
    claim: str
    outcome: ProbeOutcome
    observed: str
    numbers: dict[str, float | int | str | None]
    reference: str
    differs: str | None
    reason: str | None
    took_s: float


class ChainLink(Part):
    """One link from the producer to clean-up in a sentence or two; `seen` is false where nothing of it was seen."""

    link: Link
    says: FileText
    seen: bool


class OwnershipRecord(Part):
    """Who held how many bytes, and how many arrays, at a moment: that of the highest active memory, or the end.

    `at_s` counts from the start of the process that the report is about. `rests_on` says where the number comes from,
    and `bound` what it is worth; it is null with a `reason` where it is not known.
    """

    holder: Holder
    moment: Moment
    at_s: float | None
    bytes: int | None
    bound: Bound
    arrays: int | None
    rests_on: str
    reason: str | None


class ObservedSymptom(Part):
    """The symptom that was observed: its class with a name, the symptoms it bears on, and what was seen where.

    `code` is that of a finding, PL902 where the evidence does not decide, null where there is none for it. `fix` is
    what would cure it, empty where that is not known.
    """

    class_: SymptomClass = Field(alias="class")
    name: str
    bears_on: list[Symptom]
    code: str | None
    file: FileText | None
    line: int | None
    says: FileText
    fix: FileText


class EvidenceRecord(Part):
    """One claim that was put to the test, by a probe or by the trace itself, and what that showed or why it was not.

    `id` is that of a probe, or begins with `trace.`.
    """

    source: EvidenceSource
    id: str
    claim: str
    outcome: ProbeOutcome
    says: FileText


class ReportRecord(Part):
    """The report on a program. `decided` says whether the evidence establishes the class of the symptom.

    `tied_to` names the build and the program that all of it holds for.
    """

    chain: list[ChainLink]
    symptom: ObservedSymptom
    decided: bool
    evidence: list[EvidenceRecord]
    tied_to: FileText


class DiagnosisDocument(Part):
    """The probes that ran and, with a program, what was seen of it; without one the last five parts are null.

    `symptom` is what was asked for. `trace` is the document of the trace, `ownership` has a row for each place that
    holds arrays or memory, `report` the steps from the producer to clean-up and what they come to, and `next_check` one
    command or up to three lines of Python.
    """

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    schema_: Literal["placement.diagnosis"] = Field(default="placement.diagnosis", alias="schema")
    schema_version: str = DIAGNOSIS_VERSION
    tool: ToolRecord
    build: BuildRecord
    probes: list[ProbeRecord]
    symptom: Symptom | None = None
    trace: TraceDocument | None = None
    ownership: list[OwnershipRecord] | None = None
    next_check: FileText | None = None
    report: ReportRecord | None = None
    exit: ExitRecord
    diagnostics: list[Diagnostic] = Field(default_factory=list)

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"
