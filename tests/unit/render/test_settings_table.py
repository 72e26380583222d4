"""Settings on the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
from rich.cells import cell_len

from placement_cli.render.settings_table import looked_json, looked_table, settings_json, settings_table
from placement_cli.settings.finding import ABSENT, Looked
from placement_cli.settings.limits import LimitEntry
from placement_cli.settings.schema import CHECK_KEYS
from placement_cli.settings.settings import CheckSettings, Set, Settings
from placement_cli.store.schema_files import FOLDER

Printed = Callable[..., str]

SOME = Settings(
    CheckSettings(
        scenarios=Set(("chunk-size", "[red]fan-out[/]"), "f:1"),
        quick=Set(True, "--quick"),
        time_budget_s=Set(300.0, "PLACEMENT_CHECK_TIME_BUDGET"),
        memory_limit=Set(None, "f:2"),
    ),
    (LimitEntry(0.05, "f:3", cases="chunk\x1b[31m*"), LimitEntry(None, "f:4", metric="memory")),
)


def rows(text: str) -> dict[str, str]:
    """Return what stands behind each key."""
    lines = [line.split(maxsplit=1) for line in text.splitlines()[2:]]
    return {key: " ".join(rest.split()) for key, rest in lines}


def test_every_key_is_shown_as_it_is_written_in_files(printed: Printed) -> None:
    """Also those that nobody set: there stands what that means."""
    shown = rows(printed(settings_table(Settings(), origin=False), 120))
    assert list(shown) == [*(f"check.{key}" for key in CHECK_KEYS.values()), "limits"]
    assert shown["check.scenarios"] == "all that ship"
    assert shown["check.limit"] == "+3%"
    assert shown["check.confirm"] == "true"
    assert shown["limits"] == "none"


def test_origins_stand_behind_the_values(printed: Printed) -> None:
    """Where each was set, in the words of its source; `off` is told from what was not set."""
    shown = rows(printed(settings_table(SOME, origin=True), 120))
    assert shown["check.quick"] == "true --quick"
    assert shown["check.time-budget"] == "5 min PLACEMENT_CHECK_TIME_BUDGET"
    assert shown["check.memory-limit"] == "off f:2"
    assert shown["check.limit"] == "+3% default"
    assert shown["limits"] == "off cases * arm * metric memory f:4"


def test_names_are_data(printed: Printed) -> None:
    """Neither markup nor control characters of a file reach the terminal."""
    text = printed(settings_table(SOME, origin=True), 120)
    assert "[red]fan-out[/]" in text
    assert "\x1b" not in text


def test_nothing_is_cut_off_where_it_is_narrow(printed: Printed) -> None:
    """Each cell then has a line of its own."""
    for part in (settings_table(SOME, origin=True), looked_table([Looked(Path("/a" * 30), ABSENT)])):
        text = printed(part, 30)
        assert max(map(cell_len, text.splitlines())) <= 30
        assert printed(part, 200).split()[-1] in text


def test_json_holds_numbers_and_origins() -> None:
    """Seconds and relative changes; what was not set is null."""
    document = json.loads(settings_json(SOME))
    jsonschema.validate(document, json.loads((FOLDER / "settings-1.schema.json").read_text("utf-8")))
    assert (document["schema"], document["exit"]["code"], document["diagnostics"]) == ("placement.settings", 0, [])
    assert list(document["check"]) == [each.name for each in fields(CheckSettings)]
    assert document["check"]["time_budget_s"] == {"value": 300.0, "origin": "PLACEMENT_CHECK_TIME_BUDGET"}
    assert document["check"]["graph"] == {"value": None, "origin": "default"}
    assert document["limits"][1] == {"cases": "*", "arm": "*", "metric": "memory", "limit": None, "origin": "f:4"}


def test_files_are_shown_with_what_there_was(printed: Printed) -> None:
    """For people and for programs."""
    looked = [Looked(Path("/a/placement.toml"), ABSENT)]
    assert printed(looked_table(looked), 60).splitlines()[-1].split(maxsplit=1) == ["/a/placement.toml", ABSENT]
    assert json.loads(looked_json(looked))["files"] == [{"path": "/a/placement.toml", "found": ABSENT}]
