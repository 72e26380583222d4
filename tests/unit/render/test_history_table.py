"""Medians over time on the terminal, and the bars that show them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.console import Console

from placement_cli.comparing.history import History, Unreadable, history_of
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.render.history_table import print_history
from placement_cli.render.sparkline import ASCII_BARS, BARS, MOST_POINTS, sparkline


def history(*scales: float, unreadable: tuple[Unreadable, ...] = (), **facts: object) -> History:
    """Make a history with a run a day."""
    runs = [
        Recorded(
            f"day{n}",
            f"day{n}.json",
            "pyperf 2.11.0",
            f"2026-01-{n + 1:02}T10:00:00Z",
            "",
            facts,
            (Series("sort", "", "time_s", "s", (1e-3 * scale,)), Series("sum", "", "time_s", "s", (1e-3,))),
        )
        for n, scale in enumerate(scales)
    ]
    return history_of("runs", runs, unreadable)


@pytest.fixture
def shown(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Callable[..., str]:
    """Prints a history on a console of a width."""

    def show(found: History, width: int = 120) -> str:
        console = make_console(width)
        print_history(found, console)
        return read_console(console)

    return show


def test_the_last_step_is_told(shown: Callable[..., str]) -> None:
    """When it began, by how much, and from where to where; series with a step stand first."""
    text = shown(history(*[1.0] * 6, *[1.2] * 4, mlx="0.32.4", chip="Example M1"))
    rows = [line for line in text.splitlines() if line.startswith("s")]
    assert rows[0].startswith(
        "sort  ▁▁▁▁▁▁████  10    1.20 ms  +20.0 % from 2026-01-07 10:00 UTC on (1.00 ms to 1.20 ms)"
    )
    assert rows[1].split()[-1] == "none"
    assert "10 runs: Example M1" in text


def test_what_all_rows_share_is_said_once(shown: Callable[..., str]) -> None:
    """As a comparison does."""
    assert "the same in every row: metric time" in shown(history(1.0, 1.1)).splitlines()


def test_a_set_up_without_a_series_is_told(shown: Callable[..., str]) -> None:
    """As one of which no case was asked for."""
    empty = Recorded("x", "x.json", "placement 0.1.0", "2026-02-01", "sha256:1", {"mlx": "0.33.0"}, ())
    text = shown(history_of("runs", [empty]))
    assert "no series was measured, or none that was asked for" in text


def test_few_runs_have_no_steps(shown: Callable[..., str]) -> None:
    """Which is said, and from how many on there are."""
    text = shown(history(1.0, 1.5, cpu="Example"))
    assert "too few runs" in text
    assert "2 runs: pyperf 2.11.0, cpu Example" in text
    assert "Steps are looked for from 6 runs of one set-up on." in text


def test_what_could_not_be_read_is_named(shown: Callable[..., str]) -> None:
    """The first ten files, and how many more there are."""
    files = tuple(Unreadable(f"{n}.json", "[red]torn\x1b[0m") for n in range(12))
    text = shown(history(1.0, unreadable=files))
    assert "12 files hold no run that can be read:" in text
    assert "- 9.json: [red]torn" in text
    assert "and 2 more" in text
    assert "\x1b" not in text
    assert "where is not written down" in text


@pytest.mark.parametrize("width", [120, 80, 40, 20])
def test_every_width_holds_everything(shown: Callable[..., str], width: int) -> None:
    """No line is wider than the terminal."""
    text = shown(history(*[1.0] * 6, *[1.2] * 4), width)
    assert max(map(len, text.splitlines())) <= width
    assert "+20.0 %" in " ".join(text.split())


def test_bars_span_the_row() -> None:
    """The smallest value has the lowest bar, the largest the highest."""
    assert sparkline([1.0, 2.0, 4.0]) == BARS[0] + BARS[4] + BARS[-1]
    assert sparkline([4.0, 1.0], "ascii") == ASCII_BARS[-1] + ASCII_BARS[0]


def test_noise_is_a_level_line() -> None:
    """A per cent up and down stays within one bar."""
    assert set(sparkline([1.0, 1.005, 0.995, 1.0])) == {BARS[4]}


def test_the_newest_are_shown() -> None:
    """Of long rows the end, of values of zero nothing."""
    assert len(sparkline([1.0] * 100 + [2.0])) == MOST_POINTS
    assert sparkline([1.0] * 100 + [2.0])[-1] == BARS[-1]
    assert sparkline([0.0, 1.0]) == sparkline([]) == ""
