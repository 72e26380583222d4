"""The document of a profile, `placement.profile` version 1.

History: 1.0.0 the first.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from placement_cli.errors import EXIT_NAMES
from placement_cli.profile.profile import Confidence

PROFILE_SCHEMA = "placement.profile"
PROFILE_VERSION = "1.0.0"


class Record(BaseModel):
    """A part of the document: unknown keys are ignored, numbers are finite."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, populate_by_name=True, frozen=True)


class ConstantRecord(Record):
    """One constant with its interval; `low` and `high` are null where none can be given, and `source` says why."""

    value: float
    low: float | None
    high: float | None
    unit: str
    identified: bool
    source: str


class ValidationRecord(Record):
    """How the fit did on held-out timings, beside the noise floor and constant rules; see `validation.Validation`."""

    error_median: float
    error_p95: float
    regret_mean: float
    regret_p95: float
    regret_max: float
    order: float
    configurations: int
    noise_floor: float | None
    noise_floor_reason: str | None = None
    worst_fold: float | None = None
    fold: str | None = None
    rules: dict[str, float]
    misses: list[str] = Field(default_factory=list)


class EnvRecord(Record):
    """What the profile is valid for."""

    machine: str
    threads: int
    dtype: str
    versions: dict[str, str]


class ToolRecord(Record):
    """The program that wrote the document."""

    name: str
    version: str


class ExitRecord(Record):
    """The exit code and its name."""

    code: int = 0
    name: str = EXIT_NAMES[0]


class DiagnosticRecord(Record):
    """Something a reader should know about the profile."""

    level: Literal["info", "warning", "error"]
    code: str
    text: str


class ProfileDocument(Record):
    """A profile as it is written; `blocks` holds terms, thresholds and upstream's constants under their names."""

    schema_: Literal["placement.profile"] = Field(default="placement.profile", alias="schema")
    schema_version: str = PROFILE_VERSION
    tool: ToolRecord
    name: str
    env: EnvRecord
    backend: str
    confidence: Confidence
    provenance: str
    evaluation: dict[str, ConstantRecord]
    blocks: dict[str, ConstantRecord] | None
    dispatched: bool = False
    item_bytes: int = 4
    validation: ValidationRecord | None
    observations: str | None
    exit: ExitRecord = Field(default_factory=ExitRecord)
    diagnostics: list[DiagnosticRecord] = Field(default_factory=list)

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"


def profile_schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return ProfileDocument.model_json_schema(by_alias=True)
