"""Lines of a person's source, and names of files as they are shown: both are data, and may not be there any more."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len, chop_cells

from placement_cli.render.plain import harmless

LARGEST_BYTES = 16 * 2**20
"""Files above this are no source, and are not read."""
CUT = "..."


@dataclass(frozen=True, slots=True)
class Sources:
    """Source files as seen from `folder`."""

    folder: Path

    def name(self, file: str) -> str:
        """Return the path of `file`, from the folder where it lies in it."""
        path = Path(file)
        return str(path.relative_to(self.folder)) if path.is_relative_to(self.folder) else file

    def place(self, file: str, line: int | None) -> str:
        """Return where something is, such as `train.py:12`."""
        return self.name(file) if line is None else f"{self.name(file)}:{line}"

    def line(self, file: str, line: int) -> str:
        """Return the text of a line without its indentation; nothing where it cannot be read."""
        path = self.folder / file
        try:
            # Asked first: what is no file, a pipe for one, is not to be opened.
            readable = path.is_file() and path.stat().st_size <= LARGEST_BYTES
        except (OSError, ValueError):
            return ""
        return harmless(linecache.getline(str(path), line).strip()) if readable else ""


def cut(text: str, columns: int) -> str:
    """Return `text`, cut where it is wider than `columns`."""
    if cell_len(text) <= columns:
        return text
    return chop_cells(text, max(2, columns - len(CUT)))[0] + CUT
