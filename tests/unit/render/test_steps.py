"""Progress of work that knows how far it is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from placement_cli.render.plain import harmless
from placement_cli.render.steps import StepBar, StepLines, steps_on

MakeConsole = Callable[..., Console]
Read = Callable[[Console], str]


def test_the_right_kind_is_chosen(make_console: MakeConsole) -> None:
    """A terminal gets the bar, a log lines, and -q neither."""
    terminal, log = make_console(terminal=True), make_console()
    assert isinstance(steps_on(terminal, 2, quiet=False), StepBar)
    assert isinstance(steps_on(log, 2, quiet=False), StepLines)
    assert isinstance(steps_on(terminal, 2, quiet=True), StepLines)


def test_the_bar_knows_how_far_it_is(make_console: MakeConsole) -> None:
    """Every piece is an equal part, and within one its share counts."""
    bar = StepBar(make_console(100, terminal=True), 4)
    task = bar._progress.tasks[0]
    reached = []
    for number in (0, 1):
        bar.piece(number, "NumPy")
        for share in (0.0, 0.5, 1.0):
            bar.tell(share, "product")
            reached.append(task.completed)
    assert reached == [0.0, 0.125, 0.25, 0.25, 0.375, 0.5]
    assert task.total == 1.0


def test_a_bar_over_nothing_is_empty(make_console: MakeConsole, read_console: Read) -> None:
    """No pieces are no division by them."""
    with StepBar(make_console(80, terminal=True), 0) as bar:
        bar.tell(0.0, "nothing")
    assert bar._progress.tasks[0].completed == 0.0


@pytest.mark.parametrize("width", [120, 80, 40])
def test_the_bar_is_one_line_and_gone_at_the_end(width: int, make_console: MakeConsole, read_console: Read) -> None:
    """It shows the share, the piece and the last result as far as there is room."""
    console = make_console(width, terminal=True)
    with StepBar(console, 2) as bar:
        bar.piece(1, "MLX CPU, float32")
        bar.tell(0.5, "shuffled 2048 channels, 4000 samples: permuted batch is fastest")
        bar._progress.refresh()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", read_console(console))
    shown = [line for line in re.split(r"[\r\n]", text) if "75%" in line]
    assert shown
    assert all("MLX CPU" in line and "…" in line for line in shown)
    assert max(map(cell_len, shown)) <= width
    assert not text.rstrip(" ").endswith("…")


def test_words_are_data(hostile: str, make_console: MakeConsole, read_console: Read) -> None:
    """Neither the bar nor the lines interpret a title or a result."""
    console, log = make_console(80, terminal=True, color_system=None), make_console(80)
    for steps in (StepBar(console, 1), StepLines(log, quiet=False)):
        with steps:
            steps.piece(0, hostile)
            steps.tell(0.5, hostile)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", read_console(console))
    assert not {"\x1b", "\u202e", "\u2028"} & set(text)
    assert not {"\x1b", "\u202e", "\u2028"} & set(read_console(log))
    assert read_console(log) == f"{harmless(hostile)}\n"


def test_a_log_has_a_line_a_piece(make_console: MakeConsole, read_console: Read) -> None:
    """Steps are too many for a log; a line is not broken, however long."""
    console = make_console(20)
    with steps_on(console, 2, quiet=False) as steps:
        steps.piece(0, "NumPy, 1 BLAS thread, float32")
        steps.tell(0.5, "product 3")
        steps.piece(1, "MLX CPU, float32")
    assert read_console(console).splitlines() == ["NumPy, 1 BLAS thread, float32", "MLX CPU, float32"]


@pytest.mark.parametrize("terminal", [True, False])
def test_quiet_says_nothing(terminal: bool, make_console: MakeConsole, read_console: Read) -> None:
    """Neither on a terminal nor in a log."""
    console = make_console(80, terminal=terminal)
    with steps_on(console, 1, quiet=True) as steps:
        steps.piece(0, "NumPy")
        steps.tell(1.0, "done")
    assert read_console(console) == ""
