"""Progress of work that knows how far it is: a bar with the time left on a terminal, a line a step in a log."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from placement_cli.render.frame import Framed, Unframed, bar_width
from placement_cli.render.plain import harmless, plain

BESIDE = 20
"""Columns that the percentage, the time left and the gaps take."""


class StepBar(Framed):
    """One bar over several pieces of work of equal weight, each with a title."""

    def __init__(self, console: Console, pieces: int) -> None:
        self._pieces, self._at, self._title = max(1, pieces), 0, ""
        bar = bar_width(console)
        self._room = max(8, console.width - bar - BESIDE)
        self._progress = Progress(
            BarColumn(bar_width=bar),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task("starting", total=1.0)

    def piece(self, number: int, title: str) -> None:
        """Begin the piece `number`, counted from 0."""
        self._at, self._title = number, title
        self.tell(0.0, "")

    def tell(self, share: float, words: str) -> None:
        """Show that `share` of the piece is done, and a few words on it."""
        told = harmless(f"{self._title}: {words}" if words else self._title)
        shown = told if len(told) <= self._room else f"{told[: self._room - 1]}…"
        self._progress.update(self._task, completed=(self._at + share) / self._pieces, description=shown)


class StepLines(Unframed):
    """A line a piece, for logs that are no terminal; says nothing when `quiet`."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self._console, self._quiet = console, quiet

    def piece(self, number: int, title: str) -> None:
        """Say which piece begins."""
        if not self._quiet:
            self._console.print(plain(title), soft_wrap=True)

    def tell(self, share: float, words: str) -> None:
        """Steps are too many for a log."""


def steps_on(console: Console, pieces: int, *, quiet: bool) -> StepBar | StepLines:
    """Return a bar for a terminal, lines for anything else, nothing when `quiet`."""
    if console.is_terminal and not quiet:
        return StepBar(console, pieces)
    return StepLines(console, quiet=quiet)
