"""The settings that hold, for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

import placement_cli
from placement_cli.errors import EXIT_NAMES
from placement_cli.render.grid import Cells, grid
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sheet import fits
from placement_cli.settings.finding import Looked
from placement_cli.settings.limits import LimitEntry, format_limit
from placement_cli.settings.schema import CHECK_KEYS
from placement_cli.settings.settings import DEFAULT, Settings
from placement_cli.store.run_document import ExitRecord, ToolRecord
from placement_cli.store.settings_document import LimitRecord, SettingRecord, SettingsDocument
from placement_cli.units import format_duration

FILES_SCHEMA, FILES_VERSION = "placement.settings-files", "1.0.0"

UNSET: Mapping[str, str] = {
    "scenarios": "all that ship",
    "graph": "none",
    "against": "nothing",
    "time_budget_s": "none",
    "expect_cases": "any number",
    "fail_on": "nothing more",
}
"""What it means that nothing was asked for."""
WORDS: Mapping[str, Callable[[Any], str]] = {
    "time_budget_s": format_duration,
    "limit": format_limit,
    "memory_limit": format_limit,
}


@dataclass(frozen=True, slots=True)
class Lines:
    """Rows under headings; where they do not fit side by side, each cell has a line of its own."""

    headings: Sequence[str]
    rows: Sequence[Cells]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines of the table, or of the list."""
        lines = grid([Text(heading) for heading in self.headings], [[row] for row in self.rows])
        if fits(lines, options.max_width):
            yield from lines
            return
        for first, *others in self.rows:
            yield Hanging(first)
            yield from (Hanging(cell, Text("  ")) for cell in others if cell)


def settings_table(settings: Settings, *, origin: bool) -> Lines:
    """Return every key with its value, and with `origin` where that was set; the entries of limits come last."""
    rows = [
        (f"check.{key}", _value(name, getattr(settings.check, name).value), getattr(settings.check, name).origin)
        for name, key in CHECK_KEYS.items()
    ]
    rows += [("limits", _entry(entry), entry.origin) for entry in settings.limits] or [("limits", "none", DEFAULT)]
    shown = 3 if origin else 2
    return Lines(("key", "value", "set by")[:shown], [_cells(row)[:shown] for row in rows])


def looked_table(looked: Iterable[Looked]) -> Lines:
    """Return the files that were looked for, and what there was."""
    return Lines(("file", "found"), [(plain(str(each.path), "bold"), plain(each.outcome)) for each in looked])


def settings_json(settings: Settings) -> str:
    """Return the settings as one JSON document: durations in seconds, limits as relative changes, null where unset."""
    values = {each.name: getattr(settings.check, each.name) for each in fields(settings.check)}
    return SettingsDocument(
        tool=ToolRecord(name="placement", version=placement_cli.__version__),
        check={name: SettingRecord(value=_jsonable(each.value), origin=each.origin) for name, each in values.items()},
        limits=[
            LimitRecord(cases=each.cases, arm=each.arm, metric=each.metric, limit=each.value, origin=each.origin)
            for each in settings.limits
        ],
        exit=ExitRecord(code=0, name=EXIT_NAMES[0]),
    ).to_json()


def looked_json(looked: Iterable[Looked]) -> str:
    """Return the files that were looked for as one JSON document."""
    document = {
        "schema": FILES_SCHEMA,
        "schema_version": FILES_VERSION,
        "tool": {"name": "placement", "version": placement_cli.__version__},
        "exit": {"code": 0, "name": EXIT_NAMES[0]},
        "files": [{"path": str(each.path), "found": each.outcome} for each in looked],
        "diagnostics": [],
    }
    return json.dumps(document, indent=1, allow_nan=False)


def _jsonable(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _cells(row: tuple[str, str, str]) -> Cells:
    key, value, origin = row
    return plain(key, "bold"), plain(value), plain(origin, "dim" if origin == DEFAULT else "")


def _value(name: str, value: Any) -> str:
    if name in WORDS and value is not None:
        return WORDS[name](value)
    match value:
        case bool():
            return "true" if value else "false"
        case None | ():
            return UNSET.get(name, format_limit(None))
        case tuple():
            return ", ".join(value)
        case _:
            return str(value)


def _entry(entry: LimitEntry) -> str:
    return f"{format_limit(entry.value)}  cases {entry.cases}  arm {entry.arm}  metric {entry.metric}"
