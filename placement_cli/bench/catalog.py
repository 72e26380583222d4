"""Finds scenarios: those that ship with the program by name, a user's own by path."""

from __future__ import annotations

import os
from pathlib import Path

from placement_cli.errors import InternalError, UsageError, did_you_mean
from placement_cli.located.places import quoted

PACKAGE = Path(__file__).resolve().parent.parent
FOLDER = "scenarios"
SUFFIXES = (".yaml", ".yml")

READING_ORDER = (
    "chunk-size",
    "chain-depth",
    "fan-out",
    "host-overlap",
    "replay-memory",
    "in-flight",
    "queue-depth",
    "call-cost",
    "withheld",
    "live",
)
"""The order in which people read about the shipped scenarios; any others follow by name."""


def scenario_folder(package: Path = PACKAGE) -> Path:
    """Return the folder of the shipped scenarios: inside the installed package, or beside it in a checkout."""
    installed, checkout = package / FOLDER, package.parent / FOLDER
    if installed.is_dir():
        return installed
    if checkout.is_dir() and (package.parent / "pyproject.toml").is_file():
        return checkout
    raise InternalError(f"The installation is incomplete: there is no folder {installed}. Install it again.")


def shipped_scenarios(folder: Path | None = None) -> dict[str, Path]:
    """Return the shipped scenarios by name, in the order in which people read about them."""
    found = {path.stem: path for path in (folder or scenario_folder()).glob("*.yaml")}
    return {name: found[name] for name in sorted(found, key=_rank)}


def _rank(name: str) -> tuple[int, str]:
    return (READING_ORDER.index(name) if name in READING_ORDER else len(READING_ORDER), name)


def find_scenario(wanted: str, folder: Path | None = None) -> Path:
    """Return the file of a scenario given by its shipped name or by the path of a YAML file.

    Raises UsageError, with the nearest name, when there is none.
    """
    path = Path(wanted)
    if path.suffix in SUFFIXES or "/" in wanted or os.sep in wanted:
        return path
    shipped = shipped_scenarios(folder)
    if wanted not in shipped:
        hint = did_you_mean(wanted, list(shipped))
        raise UsageError(
            f"There is no scenario {quoted(wanted)}. {hint} A scenario of your own is given as a path that ends "
            f"in .yaml."
        )
    return shipped[wanted]
