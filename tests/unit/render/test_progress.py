"""Progress: a bar for a terminal, lines for a log, nothing when asked for silence."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from placement_cli.bench.watch import Watcher
from placement_cli.render.progress import ProgressBar, ProgressLines, Silence, watcher_for

MakeConsole = Callable[..., Console]
Read = Callable[[Console], str]


def state(bar: ProgressBar) -> tuple[float, float]:
    """How far the bar is, and how long."""
    task = bar._progress.tasks[0]
    return task.completed, task.total or 0.0


@pytest.fixture
def bar(make_console: MakeConsole) -> ProgressBar:
    """A bar over two scenarios whose blocks take 2 s and 4 s."""
    return ProgressBar(make_console(100, terminal=True), [("first", 2.0), ("second", 4.0)], 6)


def test_the_right_watcher_is_chosen(make_console: MakeConsole) -> None:
    """A terminal gets the bar, a log lines, and -q silence whatever it is."""
    terminal, log = make_console(terminal=True), make_console()
    assert isinstance(watcher_for(terminal, [("s", 1.0)], 6, quiet=False), ProgressBar)
    assert isinstance(watcher_for(log, [("s", 1.0)], 6, quiet=False), ProgressLines)
    assert isinstance(watcher_for(terminal, [("s", 1.0)], 6, quiet=True), Silence)


def test_the_bar_moves_with_time(bar: ProgressBar) -> None:
    """Each case's block moves the bar by its part of the scenario's time."""
    assert state(bar) == (0.0, 36.0)
    bar.scenario_started("first", 2, 6)
    for index in range(6):
        bar.block_done("first[a=1]", index, "sync 1.20x")
        bar.block_done("first[a=2]", index, "sync 1.20x")
    assert state(bar) == pytest.approx((12.0, 36.0))


def test_more_blocks_make_the_bar_longer(bar: ProgressBar) -> None:
    """A stage adds the blocks of the cases that go on, and no more."""
    bar.scenario_started("first", 2, 6)
    bar.stage_done("first", 1, 12)
    assert state(bar)[1] == pytest.approx(36.0 + 1.0 * 6)
    bar.stage_done("first", 1, 20)
    assert state(bar)[1] == pytest.approx(36.0 + 1.0 * 14)


def test_a_finished_scenario_is_full(bar: ProgressBar) -> None:
    """Whatever was measured before or left out, a scenario that is done has its whole part of the bar."""
    bar.scenario_started("first", 1, 6)
    bar.scenario_done("first")
    assert state(bar) == pytest.approx((12.0, 36.0))
    bar.scenario_started("second", 1, 6)
    bar.block_done("second[a=1]", 0, "")
    bar.scenario_done("second")
    assert state(bar) == pytest.approx((36.0, 36.0))


def test_a_scenario_that_stopped_early_is_passed(bar: ProgressBar) -> None:
    """When the time of a scenario is up the next one begins where its part of the bar does."""
    bar.scenario_started("first", 1, 6)
    bar.block_done("first[a=1]", 0, "")
    bar.scenario_started("second", 1, 6)
    assert state(bar)[0] == pytest.approx(12.0)


@pytest.mark.parametrize("width", [120, 80, 40])
def test_the_bar_shows_scenario_and_estimate(width: int, make_console: MakeConsole, read_console: Read) -> None:
    """The bar is one line, names the scenario, shows what its blocks say, and is gone at the end."""
    console = make_console(width, terminal=True)
    with ProgressBar(console, [("chunk-size", 1.0)], 6) as bar:
        bar.scenario_started("chunk-size", 1, 6)
        bar.sampling("chunk-size[chunk=30x256]", "async")
        bar.block_done("chunk-size[chunk=30x256]", 0, "sync 1.44x")
        bar._progress.refresh()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", read_console(console))
    lines = [line for line in re.split(r"[\r\n]", text) if line.strip()]
    assert any("chunk-size" in line for line in lines)
    assert any(re.search(r"[━╺╸]{10,} +17% ", line) for line in lines)
    assert all(cell_len(line) <= width for line in lines)
    if width == 120:
        assert any("chunk=30x256: sync 1.44x" in line for line in lines)
    assert read_console(console).endswith("\x1b[2K")


def test_names_in_the_bar_are_data(hostile: str, make_console: MakeConsole, read_console: Read) -> None:
    """No name is interpreted as markup or reaches the terminal as a control."""
    console = make_console(400, terminal=True)
    with ProgressBar(console, [(hostile, 1.0)], 6) as bar:
        bar.scenario_started(hostile, 1, 6)
        bar.block_done(f"{hostile}[{hostile}]", 0, hostile)
        bar._progress.refresh()
    text = read_console(console)
    assert "\x1b[31mred" not in text
    assert "\u202e" not in text
    if "]" in hostile:
        assert hostile in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_an_estimate_is_cut_to_its_place(bar: ProgressBar) -> None:
    """A long estimate does not push the bar away."""
    bar.scenario_started("first", 1, 6)
    bar.block_done("first[a=1]", 0, "漢" * 100)
    assert cell_len(bar._progress.tasks[0].fields["estimate"]) <= 60
    assert bar._progress.tasks[0].fields["estimate"].endswith("漢…")
    bar.block_done("first[a=1]", 1, "")
    assert bar._progress.tasks[0].fields["estimate"] == ""


def test_a_log_has_a_line_for_each_step(make_console: MakeConsole, read_console: Read) -> None:
    """Scenario and stages are lines, however narrow; blocks and samples are too many."""
    console = make_console(20)
    with ProgressLines(console) as lines:
        lines.scenario_started("chain-depth", 10, 6)
        lines.sampling("chain-depth[a=1]", "async")
        lines.block_done("chain-depth[a=1]", 0, "sync 1.20x")
        lines.stage_done("chain-depth", 3, 12)
        lines.scenario_done("chain-depth")
        lines.scenario_started("[red]x", 1, 6)
        lines.stage_done("[red]x", 1, 12)
    assert read_console(console).splitlines() == [
        "chain-depth: 10 cases, 6 blocks",
        "chain-depth: 3 cases to be taken to 12 blocks",
        "[red]x: 1 case, 6 blocks",
        "[red]x: 1 case to be taken to 12 blocks",
    ]


def test_silence_says_nothing() -> None:
    """Everything may be told to silence."""
    with Silence() as silence:
        watcher: Watcher = silence
        watcher.scenario_started("s", 1, 6)
        watcher.sampling("s[]", "async")
        watcher.block_done("s[]", 0, "")
        watcher.stage_done("s", 1, 12)
        watcher.scenario_done("s")
    assert vars(silence) == {}
