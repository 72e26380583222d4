"""Finds the lines of a TOML document on which its keys stand, which Python's reader does not tell.

The reader itself decides what is TOML and what a key means; here a document is only cut into statements. Limits on
nesting and on the parts of a key come first: the reader takes quadratic time for the one and a recursion for the other.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from placement_cli.errors import UnreadableInput
from placement_cli.located.places import Mark, Path, Places

MAX_DEPTH = 32
"""Brackets inside brackets."""
MAX_PARTS = 32
"""Parts of a dotted key."""

# A string that is not closed reaches to the end of its line, or of the document: each character is looked at once.
_TOKEN = re.compile(
    r'"""(?:[^\\"]|\\.|"(?!""))*+"{0,5}'
    r"|'''(?:[^']|'(?!''))*+'{0,5}"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+"
    r"|[^\s\"'#\[\]{}=,.]++"
    r"|[^\S\n]++"
    r"|[\n\[\]{}=,.]",
    re.DOTALL,
)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


@dataclass(frozen=True, slots=True)
class Statement:
    """A header or the key of a value, as written, and the position of its first character."""

    source: str
    start: int

    @property
    def is_header(self) -> bool:
        """Whether a table begins here."""
        return self.source.startswith("[")

    def path(self) -> tuple[Path, bool]:
        """Return the parts of the key, and whether it adds to a list of tables; nothing when it is no TOML."""
        try:
            inner: Any = tomllib.loads(self.source if self.is_header else f"{self.source}=0")
        except ValueError:
            return (), False
        path: list[str] = []
        while isinstance(inner, dict) and inner:
            [(key, inner)] = inner.items()
            path.append(key)
        return tuple(path), isinstance(inner, list)


@dataclass(slots=True)
class _Marks:
    """Collects where the keys stand, statement by statement."""

    text: str
    places: dict[Path, Mark] = field(default_factory=dict)
    _lines: list[int] = field(default_factory=list)
    _lists: dict[Path, int] = field(default_factory=dict)
    _table: Path = ()

    def __post_init__(self) -> None:
        self._lines = [0, *(found.end() for found in re.finditer("\n", self.text))]

    def add(self, statement: Statement) -> None:
        path, in_list = statement.path()
        if not path:
            return
        if not statement.is_header:
            self._note((*self._table, *path), statement.start)
            return
        if in_list:
            *around, last = path
            whole = (*self._in_lists(tuple(around)), last)
            self._note(whole, statement.start)
            self._lists[whole] = self._lists.get(whole, -1) + 1
        self._table = self._in_lists(path)
        self._note(self._table, statement.start)

    def _in_lists(self, path: Path) -> Path:
        """Return `path` with the number of the newest entry behind each key that holds a list of tables."""
        whole: Path = ()
        for part in path:
            whole = (*whole, part)
            if whole in self._lists:
                whole = (*whole, self._lists[whole])
        return whole

    def _note(self, path: Path, start: int) -> None:
        self.places.setdefault(path, mark_at(start, self._lines))


def mark_at(position: int, line_starts: list[int]) -> Mark:
    """Return line and column, from 1, of a position in a text whose lines start at `line_starts`."""
    line = bisect_right(line_starts, position)
    return line, position - line_starts[line - 1] + 1


def check_nesting(text: str, origin: str) -> None:
    """Refuse a document that no person wrote: brackets or keys nested deeper than `MAX_DEPTH` and `MAX_PARTS`."""
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        depth += _STEP.get(token[0], 0)
        dots = dots + 1 if token[0] == "." else 0 if token[0] in _ENDS else dots
        if depth > MAX_DEPTH or dots >= MAX_PARTS:
            line = text.count("\n", 0, token.start()) + 1
            raise UnreadableInput(f"{origin}:{line}: nested deeper than {MAX_DEPTH} levels.")


_ENDS = frozenset("\n[]{}=,")
"""Tokens that end a dotted key."""


def statements(text: str) -> Iterator[Statement]:
    """Yield the headers and keys of a document that is TOML, in their order."""
    source, start, depth, reading = "", 0, 0, True
    for token in _TOKEN.finditer(text):
        part = token[0]
        depth += _STEP.get(part, 0)
        if part == "\n" and depth == 0:
            if source.strip():
                yield Statement(source.strip(), start)
            source, reading = "", True
        elif part == "=" and depth == 0:
            reading = False
        elif reading and not part.startswith("#"):
            start = start if source.strip() else token.start()
            source += part
    if source.strip():
        yield Statement(source.strip(), start)


def places_of(text: str, origin: str, table: Path) -> Places:
    """Return where the keys of `table` and of all inside it stand in a document that is TOML, by their paths in it."""
    marks = _Marks(text)
    for statement in statements(text):
        marks.add(statement)
    inside = {path[len(table) :]: mark for path, mark in marks.places.items() if path[: len(table)] == table}
    return Places(origin, inside, inside)
