"""A run as a picture of characters: the ratio of every arm with its interval, on one axis for each metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from placement_cli.bench.figures import verdict_word
from placement_cli.bench.metrics import TITLES
from placement_cli.render.cells import VERDICT_STYLES, ratio_text
from placement_cli.render.hanging import broken
from placement_cli.render.plain import harmless
from placement_cli.store.run_document import CaseRecord, Comparison, RunDocument
from placement_cli.units import format_ratio

LEAST_PLOT, WIDEST_PLOT = 20, 72
"""Columns of the axis: in fewer nothing is told apart, more are not read at a glance."""
MOST_NAME = 28
"""Columns for the name of an arm; a longer one stands on a line of its own."""
GAP, INDENT = "  ", "  "
POINT, BAR, LOW, HIGH, ONE, LIMIT = "\u25cf", "\u2500", "\u251c", "\u2524", "\u2502", "\u00b7"
ONE_TIMES = "1x"
_PLAIN = str.maketrans({POINT: "o", BAR: "-", LOW: "[", HIGH: "]", ONE: "|", LIMIT: ".", "\u2026": "~"})


@dataclass(frozen=True, slots=True)
class _Axis:
    """A logarithmic axis of ratios in a number of columns."""

    low: float
    high: float
    columns: int

    def column(self, ratio: float) -> int:
        """Return where `ratio` stands; what lies beyond the axis stands at its end."""
        share = log(ratio / self.low) / log(self.high / self.low)
        return max(0, min(self.columns - 1, round(share * (self.columns - 1))))

    def labels(self) -> str:
        """Return what stands below the axis: 1, and those of its ends that leave it room."""
        low, high = f"{format_ratio(self.low)}x", f"{format_ratio(self.high)}x"
        at = min(self.column(1.0), self.columns - len(ONE_TIMES))
        before = (low if len(low) < at else "").ljust(at)
        after = self.columns - at - len(ONE_TIMES)
        return f"{before}{ONE_TIMES}{(high if len(high) < after else '').rjust(after)}".rstrip()


class RatioPlot:
    """The ratios of a run as a picture, as wide as the console."""

    def __init__(self, document: RunDocument) -> None:
        self._document = document

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines, in ASCII where the terminal has no Unicode."""
        yield from ratio_plot(self._document, options.max_width, unicode=options.encoding.lower().startswith("utf"))


def ratio_plot(document: RunDocument, width: int, *, unicode: bool = True) -> list[Text]:
    """Return the lines of the picture, at most `width` columns wide; none where nothing was compared.

    Each row names its arm, draws ratio and interval, and says both and the verdict in words. Where there is no room
    for an axis, the words remain.
    """
    lines: list[Text] = []
    for scenario in document.scenarios:
        cases = [case for case in document.cases if case.scenario == scenario.name]
        for metric in dict.fromkeys(each.metric for case in cases for each in case.comparisons):
            title = f"{harmless(scenario.name)}: {harmless(TITLES.get(metric, metric))} against the base"
            lines += [Text(), *(Text(line, style="bold") for line in broken(title, width))]
            lines += _metric(cases, metric, width)
    return lines if unicode else [_ascii(line) for line in lines]


def _ascii(line: Text) -> Text:
    """Return `line` with the same styles at the same places."""
    return Text(line.plain.translate(_PLAIN), spans=list(line.spans), style=line.style)


def _metric(cases: Sequence[CaseRecord], metric: str, width: int) -> Iterator[Text]:
    found = [(case, [each for each in case.comparisons if each.metric == metric]) for case in cases]
    compared = [each for _, some in found for each in some]
    name_room = min(MOST_NAME, max(len(_name(each)) for each in compared))
    said_room = max(len(_said(each).plain) for each in compared)
    beside = width - len(INDENT) - name_room - said_room - 2 * len(GAP)
    alone = width - len(2 * INDENT)
    axis = _axis(compared, min(WIDEST_PLOT, beside if beside >= LEAST_PLOT else alone))
    for case, some in found:
        if some:
            yield from (Text(line) for line in broken(_where(case), width))
        for each in some:
            yield from _row(each, axis, name_room, width, beside=beside >= LEAST_PLOT)
    if axis.columns >= LEAST_PLOT:
        before = len(INDENT) + name_room + len(GAP) if beside >= LEAST_PLOT else len(2 * INDENT)
        yield Text(" " * before + axis.labels(), style="dim")


def _where(case: CaseRecord) -> str:
    return harmless(", ".join(f"{key} {value}" for key, value in case.params.items()) or case.id)


def _name(each: Comparison) -> str:
    return harmless(each.new)


def _said(each: Comparison) -> Text:
    """Return ratio, interval and verdict in words."""
    return Text(GAP.join(filter(None, (ratio_text(each), verdict_word(each)))), style=VERDICT_STYLES[each.verdict])


def _row(each: Comparison, axis: _Axis, name_room: int, width: int, *, beside: bool) -> Iterator[Text]:
    name, said = _name(each), _said(each)
    if not beside:
        yield from (Text(INDENT + line) for line in broken(name, max(2, width - len(INDENT))))
        if axis.columns >= LEAST_PLOT:
            yield Text(2 * INDENT) + _drawn(each, axis)
        yield from (
            Text(2 * INDENT + line, style=said.style) for line in broken(said.plain, max(2, width - len(2 * INDENT)))
        )
        return
    shown = name if len(name) <= name_room else f"{name[: name_room - 1]}\u2026"
    yield Text(f"{INDENT}{shown.ljust(name_room)}{GAP}") + _drawn(each, axis) + Text(GAP) + said


def _drawn(each: Comparison, axis: _Axis) -> Text:
    """Return the row of the axis: the limit dotted, the line at 1, the interval, and the ratio on top."""
    cells = [" "] * axis.columns
    if _usable(1 + each.limit):
        for column in range(axis.column(1 / (1 + each.limit)), axis.column(1 + each.limit) + 1):
            cells[column] = LIMIT
    cells[axis.column(1.0)] = ONE
    span = range(0)
    if each.ci is not None and _usable(*each.ci):
        span = range(axis.column(each.ci[0]), axis.column(each.ci[1]) + 1)
        for column in span:
            cells[column] = BAR
        cells[span[0]], cells[span[-1]] = LOW, HIGH
    text = Text()
    if each.ratio is not None and _usable(each.ratio):
        cells[axis.column(each.ratio)] = POINT
        span = range(min([*span, axis.column(each.ratio)]), max([*span, axis.column(each.ratio)]) + 1)
    for column, cell in enumerate(cells):
        text.append(cell, style=VERDICT_STYLES[each.verdict] if column in span else "dim")
    return text


def _usable(*ratios: float) -> bool:
    """Tell whether these have a place on a logarithmic axis."""
    return all(1e-24 <= ratio <= 1e24 for ratio in ratios)


def _axis(compared: Sequence[Comparison], columns: int) -> _Axis:
    ratios = [each.ratio for each in compared if each.ratio is not None]
    bounds = [bound for each in compared for bound in each.ci or ()]
    shown = [1.0, *(ratio for ratio in [*ratios, *bounds] if _usable(ratio))]
    return _Axis(min(shown) / 1.05, max(shown) * 1.05, columns)
