"""Paragraphs: broken between words, never inside a quantity or an interval, behind a mark where they have one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

LEAST_ROOM = 16
"""Where a mark leaves the paragraph fewer columns than this, it gets lines of its own."""
INDENT = 2
GLUE = "\N{NO-BREAK SPACE}"

_QUANTITY = re.compile(r"(?<=\d) (?=(?:[nmµ]?s|min|h|B|[KMGT]iB|%|times)\b|%)")
_INTERVAL = re.compile(r"\[[^\[\]]{1,30}\]")


@dataclass(frozen=True, slots=True)
class Hanging:
    """`text`, in its one style, behind `mark`, a bullet or a name that is explained, in a column `room` wide."""

    text: Text
    mark: Text = field(default_factory=Text)
    room: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines, the further ones under the first."""
        columns, indent = options.max_width, max(self.room, self.mark.cell_len)
        lead = Text().append_text(self.mark).append(" " * (indent - self.mark.cell_len))
        if indent and columns - indent < LEAST_ROOM:
            yield from (Text(line, style=self.mark.style) for line in broken(self.mark.plain.rstrip(), columns))
            indent = INDENT
            lead = Text(" " * indent)
        for number, line in enumerate(broken(self.text.plain, max(2, columns - indent))):
            yield (Text(" " * indent) if number else lead) + Text(line, style=self.text.style)


def broken(text: str, columns: int) -> Iterator[str]:
    """Yield the lines of `text`; a word that is wider than `columns` is cut."""
    line = ""
    for word in _glued(text).split(" "):
        longer = f"{line} {word}" if line else word
        if cell_len(longer) <= columns:
            line = longer
            continue
        if line:
            yield line.replace(GLUE, " ")
        *full, line = chop_cells(word, columns) or [""]
        yield from (piece.replace(GLUE, " ") for piece in full)
    yield line.replace(GLUE, " ")


def _glued(text: str) -> str:
    """Return `text` with the spaces that belong together made unbreakable."""
    whole = _QUANTITY.sub(GLUE, text)
    return _INTERVAL.sub(lambda found: found[0].replace(" ", GLUE), whole)
