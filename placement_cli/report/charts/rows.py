"""Charts in rows: under the name of each case a row for each of its arms, the same in every picture of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from placement_cli.report.charts.drawing import inline, placed, spec_of
from placement_cli.report.picture import Spec
from placement_cli.report.theme import colour

STEP = 22
"""Pixels of a row."""
NAME_ROOM = 150
"""Pixels for the name of an arm; a longer one is cut in the chart, and whole in the table."""

HEADING: dict[str, Any] = {
    "align": "left",
    "baseline": "middle",
    "fontWeight": 600,
    "limit": {"expr": "width"},
    "aria": False,
    "dy": 2,
}
"""How the name of a case is written."""

Datum = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Group:
    """A case, and the names of its rows."""

    title: str
    rows: tuple[str, ...]


class Rows:
    """The places of rows from top to bottom; rows of different cases may have the same name."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = groups

    def key(self, group: int, row: int) -> str:
        """Return the place of a row: its number keeps it apart, what follows the tab is its name."""
        return f"{group}.{row}\t{self._groups[group].rows[row]}"

    def y(self) -> alt.Y:
        """Return the axis: names of arms, none where a case's name stands in the picture."""
        axis = alt.Axis(
            labelExpr="slice(datum.value, indexof(datum.value, '\t') + 1)",
            labelLimit=NAME_ROOM,
            ticks=False,
            domain=False,
            grid=False,
        )
        return alt.Y("row:N", title=None, scale=alt.Scale(domain=list(self._keys()), paddingInner=0.2), axis=axis)

    def headings(self) -> list[alt.Chart]:
        """Return the names of the cases, above their rows, with an edge that keeps lines off them."""
        data = [{"row": self._heading(number), "case": group.title} for number, group in enumerate(self._groups)]
        edge: dict[str, Any] = {"stroke": colour("paper"), "strokeWidth": 4, "strokeJoin": "round"}
        styles = ({**HEADING, **edge}, HEADING)
        return [placed(inline(data).mark_text(**style), self.y(), x=alt.value(0), text="case:N") for style in styles]

    def drawn(self, layers: Sequence[alt.Chart], says: str) -> Spec:
        """Return the chart of `layers` under the names of the cases; `says` is what it is read out as."""
        return spec_of([*layers, *self.headings()], says, STEP * len(list(self._keys())))

    def _heading(self, group: int) -> str:
        return f"{group}\t"

    def _keys(self) -> Iterator[str]:
        for number, group in enumerate(self._groups):
            yield self._heading(number)
            yield from (self.key(number, row) for row in range(len(group.rows)))
