"""The stored runs of a folder; what cannot be read is told, and stops nothing."""

from __future__ import annotations

from pathlib import Path

from placement_cli.comparing.history import Unreadable, natural
from placement_cli.comparing.loading import load_recorded
from placement_cli.comparing.recorded import Recorded
from placement_cli.errors import UnreadableInput, UsageError

ENDINGS = (".json", ".json.gz")
"""Names of files that may hold a run; journals are no runs yet."""


def load_folder(folder: Path) -> tuple[list[Recorded], list[Unreadable]]:
    """Return the runs in `folder`, not in folders below it, and the files that hold none; both by name, in which
    numbers count as such: run-2 before run-10.

    Raises UsageError when it is no folder, or cannot be listed.
    """
    try:
        found = [path for path in folder.iterdir() if path.name.endswith(ENDINGS) and path.name[0] != "."]
    except OSError as error:
        raise UsageError(f"{folder}: is no folder that can be read ({error.strerror}).") from None
    paths = sorted(found, key=lambda path: (natural(path.name), path.name))
    runs: list[Recorded] = []
    unreadable: list[Unreadable] = []
    for path in paths:
        try:
            runs.append(load_recorded(path))
        except UnreadableInput as error:
            unreadable.append(Unreadable(path.name, str(error).removeprefix(f"{path}: ")))
    return runs, unreadable
