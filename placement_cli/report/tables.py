"""Tables as HTML: words flush left, numbers flush right in figures of one width."""

from __future__ import annotations

from placement_cli.report.escaping import Html, element, joined
from placement_cli.report.picture import Table


def table_html(table: Table, caption: str) -> Html:
    """Return `table` in a box that scrolls sideways where it is too wide, by keyboard too."""
    head = element("thead", element("tr", *(_head(table, place) for place in range(len(table.headings)))))
    body = element("tbody", *(_row(table, row) for row in table.rows))
    whole = element("table", element("caption", caption), head, body)
    return element("div", whole, class_="scroll", role="group", tabindex="0", aria_label=caption)


def folded(table: Table, summary: str, *, open_: bool = False) -> Html:
    """Return `table` behind a line that opens and closes it, and names it."""
    return element("details", element("summary", summary), table_html(table, summary), open=open_)


def _head(table: Table, place: int) -> Html:
    return element("th", table.headings[place], scope="col", class_=_kind(table, place))


def _row(table: Table, row: tuple[str, ...]) -> Html:
    return element("tr", joined(element("td", cell, class_=_kind(table, at)) for at, cell in enumerate(row)))


def _kind(table: Table, place: int) -> str | bool:
    return place >= table.words and "number"
