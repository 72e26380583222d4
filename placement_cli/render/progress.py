"""Progress of a run on stderr: a bar with the current estimate and the time left, or plain lines in a log."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from placement_cli.render.frame import Framed, Unframed, bar_width
from placement_cli.render.plain import harmless, plain

FIGURES = 18
"""Columns that the percentage, the time left and the gaps take."""
LEAST_SHOWN, MOST_SHOWN = 16, 60
"""Columns of the current estimate beside the bar; with fewer it says nothing."""


class ProgressBar(Framed):
    """Watches a run and draws one bar over all scenarios.

    `weights` gives about how many seconds a block of each scenario's cases takes in all, so that the bar moves
    with time and not with counts.
    """

    def __init__(self, console: Console, weights: Sequence[tuple[str, float]], blocks: int) -> None:
        self._weights = dict(weights)
        self._ends = {name: weight * blocks for name, weight in weights}
        self._cases, self._blocks, self._current = 1, blocks, ""
        self._past = 0.0
        bar = bar_width(console)
        names = max((cell_len(harmless(name)) for name, _ in weights), default=0)
        self._shown = min(MOST_SHOWN, console.width - names - bar - FIGURES)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=bar),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[estimate]}", markup=False),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task("starting", total=sum(self._ends.values()), estimate="")

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """Begin the scenario's part of the bar, which its cases share; one that stopped early is passed."""
        if self._current:
            self.scenario_done(self._current)
        self._current, self._cases, self._blocks = name, max(1, cases), blocks
        self._progress.update(self._task, description=harmless(name), estimate="")

    def sampling(self, case_id: str, arm: str) -> None:
        """Samples follow too fast to be shown one by one."""

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """Move on by one case's part of a block and show its estimate."""
        told = harmless(f"{case_id.partition('[')[2].rstrip(']')}: {estimate}") if estimate else ""
        self._progress.update(self._task, advance=self._step(), estimate=self._cut(told))

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """Make the bar longer: some cases need more blocks."""
        self._ends[name] = self._ends.get(name, 0.0) + self._step() * undecided * max(0, blocks - self._blocks)
        self._blocks = blocks
        self._progress.update(self._task, total=sum(self._ends.values()))

    def scenario_done(self, name: str) -> None:
        """Go to the end of the scenario's part: it may have begun with blocks of an earlier run, or lost some."""
        self._past += self._ends.get(name, 0.0)
        self._current = ""
        self._progress.update(self._task, completed=self._past)

    def _cut(self, estimate: str) -> str:
        """Return what of `estimate` fits beside the bar; a number that is cut must not pass for a whole one."""
        if self._shown < LEAST_SHOWN:
            return ""
        if cell_len(estimate) <= self._shown:
            return estimate
        return f"{set_cell_size(estimate, self._shown - 1).rstrip()}…"

    def _step(self) -> float:
        """Return one case's part of a block."""
        return self._weights.get(self._current, 0.0) / self._cases


class ProgressLines(Unframed):
    """Watches a run and writes one line a scenario and stage, for logs that are no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """Say which scenario begins."""
        self._say(f"{name}: {_cases(cases)}, {blocks} blocks")

    def sampling(self, case_id: str, arm: str) -> None:
        """Samples are too many for a log."""

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """Blocks are too many for a log."""

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """Say how many cases go on."""
        self._say(f"{name}: {_cases(undecided)} to be taken to {blocks} blocks")

    def scenario_done(self, name: str) -> None:
        """The next scenario's line says it."""

    def _say(self, text: str) -> None:
        self._console.print(plain(text), soft_wrap=True)


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


class Silence(Unframed):
    """Watches a run and says nothing, for `-q`."""

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """Say nothing."""

    def sampling(self, case_id: str, arm: str) -> None:
        """Say nothing."""

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """Say nothing."""

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """Say nothing."""

    def scenario_done(self, name: str) -> None:
        """Say nothing."""


def watcher_for(
    console: Console, durations: Sequence[tuple[str, float]], blocks: int, *, quiet: bool
) -> ProgressBar | ProgressLines | Silence:
    """Return a bar for a terminal, lines for anything else, nothing when `quiet`.

    `durations` names the scenarios and gives about how many seconds a block of each takes.
    """
    if quiet:
        return Silence()
    if console.is_terminal:
        return ProgressBar(console, durations, blocks)
    return ProgressLines(console)
