"""What each source of settings sets, each value with its origin: a file, environment variables, options."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from placement_cli.errors import UnreadableInput, UsageError, did_you_mean
from placement_cli.located.places import QUOTED_CHARACTERS, quoted
from placement_cli.settings.limits import LimitEntry
from placement_cli.settings.merging import Layer
from placement_cli.settings.mistakes import complaint, first_error, shown
from placement_cli.settings.reading import SettingsFile
from placement_cli.settings.schema import CHECK_KEYS, SCALAR_KEYS, SETTINGS_VERSION, CheckTable, SettingsTable
from placement_cli.settings.settings import Set

VARIABLE = "PLACEMENT_CHECK_"
"""What the names of environment variables that set something begin with."""
TRUTH = {"true": True, "1": True, "false": False, "0": False}
OPTIONS = {name: f"--{key}" for name, key in CHECK_KEYS.items()} | {"scenarios": "the command line"}
"""Field to the option that sets it."""
SUFFIXES = (".yaml", ".yml")
"""A scenario that ends so, or has a separator of folders, is a path; otherwise it is the name of a shipped one."""


def file_layer(file: SettingsFile) -> Layer:
    """Return what a file sets; raises UsageError, with file and line, for what no settings file may hold."""
    table, places = file.table, file.places
    if not isinstance(table, dict):
        raise UsageError(f"{places.of()}: expected a table, [tool.placement], not {shown(table)}.")
    _check_version(table, file)
    try:
        document = SettingsTable.model_validate(table)
    except ValidationError as failure:
        raise first_error(failure, places) from None
    check = _values(document.check, file.path.parent, lambda key: _line(file, "check", key))
    entries = (
        LimitEntry(entry.limit, _line(file, "limits", number), entry.cases, entry.arm, entry.metric)
        for number, entry in enumerate(document.limits)
    )
    return Layer(check, tuple(entries) if "limits" in document.model_fields_set else None)


def _line(file: SettingsFile, *path: str | int) -> str:
    """Return the file and the line of a key, as origins name it."""
    line, _ = file.places.key_mark(*path)
    return f"{file.places.origin}:{line}" if line else file.places.origin


def _check_version(table: Mapping[str, Any], file: SettingsFile) -> None:
    version = table.get("schema", SETTINGS_VERSION)
    place = file.places.of_key("schema")
    if type(version) is not int or version < 1:
        raise UsageError(f"{place}: schema: expected {SETTINGS_VERSION}, not {shown(version)}.")
    if version > SETTINGS_VERSION:
        raise UnreadableInput(
            f"{place}: schema {shown(version)} is newer than this placement reads ({SETTINGS_VERSION}). Update."
        )


def environment_layer(env: Mapping[str, str], cwd: Path) -> Layer:
    """Return what variables such as PLACEMENT_CHECK_TIME_BUDGET set; an empty one sets nothing.

    Raises UsageError for a value that is wrong, and for a name that begins so and is no single value.
    """
    fields = {VARIABLE + CHECK_KEYS[name].replace("-", "_").upper(): name for name in CHECK_KEYS}
    known = [variable for variable, name in fields.items() if name in SCALAR_KEYS]
    check: dict[str, Set[Any]] = {}
    for variable, text in sorted(env.items()):
        if not variable.startswith(VARIABLE) or not text:
            continue
        if variable not in fields:
            raise UsageError(
                f"{quoted(variable)}: there is no such setting. {did_you_mean(variable[:QUOTED_CHARACTERS], known)}"
            )
        if variable not in known:
            raise UsageError(f"{variable}: a list cannot be set by a variable; write it to placement.toml.")
        check |= _single(fields[variable], _typed(fields[variable], text), cwd, variable)
    return Layer(check)


def _typed(name: str, text: str) -> Any:
    """Return the text of a variable as a file would have it; what does not fit stays text and is refused as such."""
    match CheckTable.model_fields[name].annotation:
        case kind if kind is bool:
            return TRUTH.get(text.strip().lower(), text)
        case kind if kind is int:
            return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else text
        case _:
            return text


def options_layer(options: Mapping[str, Any], cwd: Path) -> Layer:
    """Return what the options of a command set, by the field; None is an option that was not given."""
    check: dict[str, Set[Any]] = {}
    for name, value in options.items():
        if value is None:
            continue
        option = OPTIONS[name] if value is not False else OPTIONS[name].replace("--", "--no-")
        raw = list(value) if isinstance(value, tuple) else str(value) if isinstance(value, Path) else value
        check |= _single(name, raw, cwd, option)
    return Layer(check)


def _single(name: str, raw: Any, cwd: Path, origin: str) -> dict[str, Set[Any]]:
    """Return the one field `name` as it is set to `raw` outside a file; raises UsageError that begins with `origin`."""
    try:
        document = SettingsTable.model_validate({"check": {CHECK_KEYS[name]: raw}})
    except ValidationError as failure:
        raise UsageError(f"{origin}: {complaint(failure.errors(include_url=False)[0])}") from None
    return _values(document.check, cwd, lambda _: origin)


def _values(table: CheckTable, folder: Path, origin: Callable[[str], str]) -> dict[str, Set[Any]]:
    """Return the fields that `table` sets, as CheckSettings has them; paths in it are relative to `folder`."""
    values: dict[str, Set[Any]] = {}
    for name in table.model_fields_set:
        values[name] = Set(_plain(name, getattr(table, name), folder), origin(CHECK_KEYS[name]))
    return values


def _plain(name: str, value: Any, folder: Path) -> Any:
    match name:
        case "graph":
            return folder / value
        case "scenarios":
            return tuple(str(folder / each) if _is_path(each) else each for each in value)
        case "against":
            return str(folder / value) if value.partition(os.sep)[0] in {".", ".."} else value
        case _:
            return tuple(value) if isinstance(value, list) else value


def _is_path(scenario: str) -> bool:
    return Path(scenario).suffix in SUFFIXES or "/" in scenario or os.sep in scenario
