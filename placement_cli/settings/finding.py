"""Finds the files that hold settings: one of the user, one of the project around the working directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from placement_cli.errors import UsageError
from placement_cli.settings.reading import PYPROJECT, SettingsFile, read_settings

PLACEMENT = "placement.toml"
USER_FILE = "config.toml"


@dataclass(frozen=True, slots=True)
class Looked:
    """A file that was looked for, and what there was."""

    path: Path
    outcome: str


USED, ABSENT, WITHOUT_TABLE = "used", "not there", "has no [tool.placement]"


@dataclass(frozen=True, slots=True)
class Sources:
    """The files with settings, and all that were looked for, in the order of looking."""

    user: SettingsFile | None
    project: SettingsFile | None
    looked: tuple[Looked, ...]


def user_folder() -> Path:
    """Return the folder of a user's own settings on this system."""
    from platformdirs import user_config_path

    return user_config_path("placement", appauthor=False)


def project_folders(start: Path) -> Iterator[Path]:
    """Yield `start` and the folders around it, up to the one that holds `.git`, or to the root of the file system."""
    for folder in (start, *start.parents):
        yield folder
        if os.path.lexists(folder / ".git"):
            return


def find_settings(cwd: Path, user_folder: Path) -> Sources:
    """Return the settings of the user and those of the project that `cwd`, an absolute path, lies in.

    The project's are the first placement.toml, or pyproject.toml with `[tool.placement]`, on the way up. Raises
    UsageError when a folder has both, UnreadableInput for a file that is there and cannot be read.
    """
    looked: list[Looked] = []
    user = _look(user_folder / USER_FILE, cwd, looked)
    for folder in project_folders(cwd):
        found = [_look(folder / name, cwd, looked) for name in (PLACEMENT, PYPROJECT)]
        match [file for file in found if file is not None]:
            case [file]:
                return Sources(user, file, tuple(looked))
            case [one, other]:
                raise UsageError(
                    f"{one.places.origin} and {other.places.origin} ([tool.placement]) both hold settings; "
                    f"expected them in one of the two."
                )
    return Sources(user, None, tuple(looked))


def _look(path: Path, cwd: Path, looked: list[Looked]) -> SettingsFile | None:
    """Read `path` when it is there, a link that leads nowhere included, and note what there was."""
    there = os.path.lexists(path)
    file = read_settings(path, cwd) if there else None
    looked.append(Looked(path, USED if file else WITHOUT_TABLE if there else ABSENT))
    return file
