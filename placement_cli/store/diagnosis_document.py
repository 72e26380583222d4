"""The document of a diagnosis, `placement.diagnosis` version 1: what the installed MLX does, and what a program did.

History: 1.0.0 the first.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from placement_cli.store.run_document import Diagnostic, ExitRecord, Part, ToolRecord

DIAGNOSIS_VERSION = "1.0.0"

ProbeOutcome = Literal["passed", "failed", "not-run"]
Symptom = Literal["timing", "memory", "ordering", "crash"]


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


class DiagnosisDocument(Part):
    """The probes that ran and, with a program, what was seen of it; without one the last five parts are null.

    `trace` is the document of the trace, `ownership` has a row for each place that holds arrays or memory, `report` the
    steps from the producer to clean-up, and `next_check` one command or up to three lines of Python.
    """

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    schema_: Literal["placement.diagnosis"] = Field(default="placement.diagnosis", alias="schema")
    schema_version: str = DIAGNOSIS_VERSION
    tool: ToolRecord
    build: BuildRecord
    probes: list[ProbeRecord]
    symptom: Symptom | None = None
    trace: dict[str, Any] | None = None
    ownership: list[dict[str, Any]] | None = None
    next_check: str | None = None
    report: dict[str, Any] | None = None
    exit: ExitRecord
    diagnostics: list[Diagnostic] = Field(default_factory=list)

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"
