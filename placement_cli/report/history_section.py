"""The section of a history: for each set-up the series that moved, as charts, and all of them as a table."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.comparing.history import History, SetUp, Track
from placement_cli.comparing.titles import metric_title
from placement_cli.render.history_table import CAPTION, heading, step_words
from placement_cli.render.plain import harmless
from placement_cli.render.stored_cells import quantity_text
from placement_cli.report.charts.course_of_time import time_panel
from placement_cli.report.escaping import Html, element
from placement_cli.report.picture import Picture, Section, Table
from placement_cli.statistics.steps import FEWEST_POINTS

MOST_PANELS = 24
"""Series of a set-up that are drawn: those with a step first, then in their order."""
READING = (
    "One dot a run: the median over its processes. A line across marks where a new level begins. It is advisory: what "
    "moved may be the machine."
)


def history_section(history: History, number: int) -> Section:
    """Return the section of `history`, the `number`-th of a page (from 1)."""
    return Section(f"history-{number}", f"Over time: {harmless(history.folder)}", tuple(_parts(history)))


def _parts(history: History) -> Iterator[Html | Picture]:
    yield element("p", CAPTION, class_="question")
    for set_up in history.set_ups:
        yield element("h3", heading(set_up).plain)
        yield _picture(set_up)
    if history.unreadable:
        told = (element("li", f"{each.path}: {each.reason}") for each in history.unreadable)
        yield element("details", element("summary", "Files that are no runs"), element("ul", *told))


def _picture(set_up: SetUp) -> Picture:
    tracks = sorted(set_up.tracks, key=lambda track: track.last_step is None)
    drawn = [track for track in tracks if len(track.points) > 1][:MOST_PANELS]
    left = len(tracks) - len(drawn)
    reading = READING if not left else f"{READING} {left} more series stand in the table alone."
    headings = ("case", "arm", "metric", "runs", "oldest", "newest", "last step")
    table = Table(headings, tuple(map(_row, tracks)), words=3)
    panels = tuple(map(time_panel, drawn))
    return Picture("over-time", "Medians over time", reading, panels, table, about="All series")


def _row(track: Track) -> tuple[str, ...]:
    medians = [point.median for point in track.points]
    return (
        harmless(track.case),
        harmless(track.arm),
        metric_title(track.metric),
        str(len(medians)),
        quantity_text(medians[0], track.unit),
        quantity_text(medians[-1], track.unit),
        _step(track),
    )


def _step(track: Track) -> str:
    step = track.last_step
    if step is None:
        return "none" if len(track.points) >= FEWEST_POINTS else "too few runs"
    return harmless(step_words(track, step))
