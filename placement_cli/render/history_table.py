"""Medians of stored runs over time on the terminal: one line a series, with its last step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from rich.console import Console
from rich.text import Text

from placement_cli.comparing.columns import Columns, Layout
from placement_cli.comparing.dates import moment_text
from placement_cli.comparing.history import History, SetUp, Track
from placement_cli.comparing.setups import flat_facts
from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.run_report import machine_line
from placement_cli.render.sheet import Group, Row, Sheet, fit
from placement_cli.render.sparkline import sparkline
from placement_cli.render.stored_cells import quantity_text, shared_line
from placement_cli.statistics.steps import FEWEST_POINTS, Step
from placement_cli.statistics.wording import change

MOST_UNREADABLE = 10
"""Files without a run that are named."""
MOST_FACTS = 8
"""Facts of another tool's set-up that are shown."""
CAPTION = (
    f"Steps are looked for from {FEWEST_POINTS} runs of one set-up on. They are advisory: what moved may be the "
    "machine. Positive is slower, or more."
)


def print_history(history: History, console: Console) -> None:
    """Print a table for each set-up, the files that were passed over, and how to read it."""
    for set_up in history.set_ups:
        console.print(Hanging(heading(set_up)))
        for line in _lines(set_up, console):
            console.print(line)
        console.print()
    for sentence in _unreadable(history):
        console.print(sentence)
    console.print(Hanging(Text(CAPTION, style="dim")))


def heading(set_up: SetUp) -> Text:
    """Return how many runs a set-up has, and what it is."""
    runs = "1 run" if set_up.runs == 1 else f"{set_up.runs} runs"
    if "mlx" in set_up.stable:
        return Text(f"{runs}: ", style="bold") + machine_line(set_up.stable)
    facts = ", ".join(f"{name} {value}" for name, value in list(flat_facts(set_up.stable).items())[:MOST_FACTS])
    where = facts or "where is not written down"
    return Text(f"{runs}: ", style="bold") + plain(f"{', '.join(set_up.tools[:3])}, {where}", "dim")


def _lines(set_up: SetUp, console: Console) -> Iterator[Hanging | Text]:
    """Yield what all series of a set-up share, and a line for each."""
    if not set_up.tracks:
        yield Hanging(Text("no series was measured, or none that was asked for", style="dim"))
        return
    tracks = sorted(set_up.tracks, key=lambda track: track.last_step is None)
    layout = Columns((), frozenset()).layout([((t.case, t.arm, t.metric), t.params) for t in tracks])
    if shared := shared_line(layout):
        yield shared
    yield from fit(_sheet(tracks, layout, console.encoding), console.width)


def _sheet(tracks: Sequence[Track], layout: Layout, encoding: str) -> Sheet:
    groups = [
        Group(tuple(map(plain, where)), (_row(track, encoding),))
        for track, where in zip(tracks, layout.where, strict=True)
    ]
    return Sheet(tuple(map(plain, layout.names)), ("over time", "runs", "newest", "last step"), tuple(groups))


def _row(track: Track, encoding: str) -> Row:
    medians = [point.median for point in track.points]
    return Row(
        (
            Text(sparkline(medians, encoding)),
            Text(str(len(medians))),
            Text(quantity_text(medians[-1], track.unit)),
            _last_step(track),
        )
    )


def _last_step(track: Track) -> Text:
    step = track.last_step
    if step is None:
        return Text("none" if len(track.points) >= FEWEST_POINTS else "too few runs", style="dim")
    return plain(step_words(track, step), "red" if step.ratio > 1 else "green")


def step_words(track: Track, step: Step) -> str:
    """Return a step in words: `+10.1 % from 2026-01-05 14:30 UTC on (1.00 ms to 1.10 ms)`."""
    point = track.points[step.index]
    levels = f"{quantity_text(step.before, track.unit)} to {quantity_text(step.after, track.unit)}"
    return f"{change(log(step.ratio))} from {moment_text(point.started) or point.run} on ({levels})"


def _unreadable(history: History) -> Iterator[Hanging]:
    found = history.unreadable
    if not found:
        return
    files = "1 file holds" if len(found) == 1 else f"{len(found)} files hold"
    yield Hanging(plain(f"{files} no run that can be read:", "yellow"))
    for each in found[:MOST_UNREADABLE]:
        yield Hanging(plain(f"{each.path}: {each.reason}"), Text("  - "))
    if len(found) > MOST_UNREADABLE:
        yield Hanging(plain(f"and {len(found) - MOST_UNREADABLE} more"), Text("  - "))
