"""The document of `placement compare`, version 1: stored runs side by side. It is advisory, whatever it says."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from placement_cli.store.run_document import Diagnostic, ExitRecord, Part, ToolRecord
from placement_cli.store.texts import FileText

COMPARISON_VERSION = "1.0.0"


class SeriesName(Part):
    """What a series is matched by between runs: its case, arm (empty where there is only one) and metric."""

    case: str
    arm: str
    metric: str


class ComparedRun(Part):
    """One run, by its place in `runs`.

    `facts` holds what varies between the runs or was asked for, `differs` the facts that it does not share with the
    first run, `counts` how often each verdict was reached on it, `alone` the series that no other run holds.
    """

    name: FileText
    origin: FileText
    tool: str
    started: str | None
    fingerprint: str | None
    facts: dict[str, str]
    differs: list[str]
    notes: list[str]
    counts: dict[str, int]
    alone: list[SeriesName]


class ComparedSeries(Part):
    """A series of the run `run` against that of the base of its line.

    `ratio` above 1 is slower or more, `ci` its interval, `ci_level` the true coverage of that, `clause` what decided.
    """

    run: int
    median: float
    n: int
    ratio: float | None
    ci: tuple[float, float] | None
    ci_level: float | None
    p: float | None
    verdict: Literal["faster", "slower", "same", "inconclusive", "invalid"]
    clause: str
    reason: str


class ComparisonLine(SeriesName):
    """One series in all runs; `base` is the number of the first run that holds it, with which the others compare."""

    unit: Literal["s", "bytes", "share", "count"]
    params: dict[str, int | float | str]
    base: int
    base_median: float
    base_n: int
    compared: list[ComparedSeries]


class ComparisonDocument(Part):
    """Stored runs side by side; `level` is that of the intervals and, less one, of the test."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    schema_: Literal["placement.comparison"] = Field(default="placement.comparison", alias="schema")
    schema_version: str = COMPARISON_VERSION
    tool: ToolRecord
    advisory: Literal[True] = True
    level: float
    runs: list[ComparedRun]
    lines: list[ComparisonLine]
    exit: ExitRecord
    diagnostics: list[Diagnostic]

    def to_json(self) -> str:
        """Return the document as JSON text that ends with a line break; what is not known is null."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"
