"""What the report is made of: pictures with their tables, and the sections that hold them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from placement_cli.report.escaping import Html

Spec = dict[str, Any]
"""A chart as Vega-Lite's JSON, with the colours of the theme by name."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under headings; the first `words` columns are words, the others numbers, set flush right."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart of a picture; its title says which part of the picture it is."""

    title: str
    spec: Spec


@dataclass(frozen=True, slots=True)
class Picture:
    """One or more charts that answer one question, and the same as a table.

    `slug` is the beginning of its files' names. `reading` says how to read it and what it does not show. `about` says
    what the rows of the table are where they are fewer than what is drawn. `scenario` is told where the picture stands
    alone, as a file.
    """

    slug: str
    title: str
    reading: str
    panels: tuple[Panel, ...]
    table: Table
    about: str = "The data of this picture"
    scenario: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a page, with a heading of its own: what was measured in one run, or what a command has to show.

    `anchor` is its address in the page: letters, digits and hyphens.
    """

    anchor: str
    title: str
    parts: tuple[Html | Picture, ...]

    @property
    def pictures(self) -> Iterator[Picture]:
        """Its pictures, in their order."""
        return (part for part in self.parts if isinstance(part, Picture))
