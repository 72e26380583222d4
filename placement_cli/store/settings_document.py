"""The document of `placement config show`, version 1: the settings that hold, each with where it was set."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from placement_cli.store.run_document import Diagnostic, ExitRecord, Part, ToolRecord
from placement_cli.store.texts import FileText

SETTINGS_DOCUMENT_VERSION = "1.0.0"


class SettingRecord(Part):
    """A value and its origin: `default`, `FILE:LINE`, a variable or an option.

    Durations are seconds, limits relative changes; null is what nobody asked for, or a limit that is off.
    """

    value: bool | int | float | FileText | list[FileText] | None
    origin: FileText


class LimitRecord(Part):
    """One entry of `limits`: the globs that it holds for, and the limit as a relative change, null for `off`."""

    cases: str
    arm: str
    metric: str
    limit: float | None
    origin: FileText


class SettingsDocument(Part):
    """All settings; `check` holds those of `placement check` by their names, `limits` its entries in their order."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    schema_: Literal["placement.settings"] = Field(default="placement.settings", alias="schema")
    schema_version: str = SETTINGS_DOCUMENT_VERSION
    tool: ToolRecord
    check: dict[str, SettingRecord]
    limits: list[LimitRecord]
    exit: ExitRecord
    diagnostics: list[Diagnostic] = Field(default_factory=list)

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return self.model_dump_json(by_alias=True, indent=1)
