"""Progress of a run on stderr: a bar with the current estimate and the time left, or plain lines in a log."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from placement_cli.render.plain import harmless


class ProgressBar:
    """Watches a run and draws one bar over all scenarios.

    `weights` gives about how many seconds a block of each scenario's cases takes in all, so that the bar moves
    with time and not with counts.
    """

    def __init__(self, console: Console, weights: Sequence[tuple[str, float]], blocks: int) -> None:
        self._weights = dict(weights)
        self._cases: dict[str, int] = {}
        self._current = ""
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[estimate]}", markup=False),
            console=console,
            transient=True,
        )
        total = sum(self._weights.values()) * blocks
        self._task = self._progress.add_task("starting", total=total, estimate="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """Note how many cases share the scenario's part of the bar."""
        self._cases[name] = cases
        self._current = name
        self._progress.update(self._task, description=harmless(name))

    def sampling(self, case_id: str, arm: str) -> None:
        """Samples follow too fast to be shown one by one."""

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """Move on by one case's part of a block and show its estimate."""
        step = self._weights.get(self._current, 0.0) / max(1, self._cases.get(self._current, 1))
        shown = harmless(f"{case_id.partition('[')[2].rstrip(']')}: {estimate}") if estimate else ""
        self._progress.update(self._task, advance=step, estimate=shown[:60])

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """Make the bar longer: some cases need more blocks."""
        extra = self._weights.get(name, 0.0) * undecided / max(1, self._cases.get(name, 1))
        total = (self._progress.tasks[0].total or 0.0) + extra * blocks / 2
        self._progress.update(self._task, total=total)

    def scenario_done(self, name: str) -> None:
        """The next scenario follows."""


class ProgressLines:
    """Watches a run and writes one line a scenario and stage, for logs that are no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """Say which scenario begins."""
        self._console.print(f"{harmless(name)}: {cases} cases, {blocks} blocks", soft_wrap=True)

    def sampling(self, case_id: str, arm: str) -> None:
        """Samples are too many for a log."""

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """Blocks are too many for a log."""

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """Say how many cases go on."""
        self._console.print(f"{harmless(name)}: {undecided} cases go on to {blocks} blocks", soft_wrap=True)

    def scenario_done(self, name: str) -> None:
        """The next scenario's line says it."""


class Silence:
    """Watches a run and says nothing, for `-q`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

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
