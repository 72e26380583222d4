"""The document of `placement history`, version 1: the medians of stored runs over time. Its steps are advisory."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from placement_cli.store.run_document import Diagnostic, ExitRecord, Part, ToolRecord
from placement_cli.store.texts import FileText

HISTORY_VERSION = "1.0.0"


class HistoryPoint(Part):
    """One run: its name, when it began (ISO 8601, null where that is not known), and the median of its `n` values."""

    run: FileText
    started: str | None
    median: float
    n: int


class HistoryStep(Part):
    """Where a new level began: the number of its first point, and the medians of the levels before and after."""

    index: int
    run: FileText
    started: str | None
    before: float
    after: float
    ratio: float


class HistorySeries(Part):
    """One series over time, its points oldest first."""

    case: str
    arm: str
    metric: str
    unit: Literal["s", "bytes", "share", "count"]
    params: dict[str, int | float | str]
    points: list[HistoryPoint]
    steps: list[HistoryStep]


class HistorySetUp(Part):
    """The runs of one set-up: its fingerprint (empty where nothing is known of it), and its facts."""

    fingerprint: str
    stable: dict[str, Any]
    tools: list[str]
    runs: int
    series: list[HistorySeries]


class UnreadableFile(Part):
    """A file that holds no run that can be read, and why."""

    path: FileText
    reason: FileText


class HistoryDocument(Part):
    """What the runs of a folder say over time; set-ups with the newest run come first."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    schema_: Literal["placement.history"] = Field(default="placement.history", alias="schema")
    schema_version: str = HISTORY_VERSION
    tool: ToolRecord
    advisory: Literal[True] = True
    folder: FileText
    set_ups: list[HistorySetUp]
    unreadable: list[UnreadableFile]
    exit: ExitRecord
    diagnostics: list[Diagnostic]

    def to_json(self) -> str:
        """Return the document as JSON text that ends with a line break; what is not known is null."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"
