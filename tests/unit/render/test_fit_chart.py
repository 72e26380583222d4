"""Predicted against measured times as a chart of characters."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from placement_cli.render.fit_chart import LEAST_COLUMNS, LINES, WIDEST, PredictedChart

MEASURED = [1.2e-6, 4e-5, 1e-3, 0.06]


def printed_in(encoding: str, width: int, measured: list[float], predicted: list[float]) -> list[str]:
    """Print the chart for a terminal of this encoding, which takes nothing else, and return the lines."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=width, color_system=None, legacy_windows=False)
    console.print(PredictedChart(measured, predicted))
    file.seek(0)
    return file.read().splitlines()


def test_good_predictions_lie_on_the_line(printed: Callable[..., str]) -> None:
    """Every point is a circle, and those off the line are seen beside it."""
    exact = printed(PredictedChart(MEASURED, MEASURED), 80)
    assert exact.count("o") >= len(MEASURED)
    lines = printed(PredictedChart([1e-6, 1e-3], [1e-3, 1e-3]), 80).splitlines()[1:]
    (top,) = [line for line in lines if line.count("o") == 2]
    assert top.index("o") < 20 < top.rindex("o")
    assert any("." in line for line in lines if "o" not in line)


def test_axes_are_decades_that_hold_every_time(printed: Callable[..., str]) -> None:
    """Round numbers, the same up and right."""
    lines = printed(PredictedChart([3e-6, 2e-2], [2e-6, 3e-2]), 80).splitlines()
    up = [line.split("┤")[0].strip() for line in lines if "┤" in line]
    assert up == ["100 ms", "10 ms", "1 ms", "100 µs", "10 µs", "1 µs"]
    assert lines[-1].split("  ")[-1].strip() == "100 ms"


@pytest.mark.parametrize("width", [120, 80, 40, LEAST_COLUMNS])
def test_it_fits_the_terminal(width: int, printed: Callable[..., str]) -> None:
    """It is no wider than the terminal, and in a wide one as wide as is good to read."""
    lines = printed(PredictedChart(MEASURED, MEASURED), width).splitlines()
    chart = [line for line in lines if "│" in line]
    assert max(map(cell_len, lines)) <= min(width, WIDEST)
    assert LINES - 4 < len(chart) <= LINES


@pytest.mark.parametrize(("measured", "width"), [([], 80), (MEASURED, LEAST_COLUMNS - 1), ([0.0, 0.0], 80)])
def test_without_points_or_room_there_is_no_chart(
    measured: list[float], width: int, printed: Callable[..., str]
) -> None:
    """Nothing is printed, not even the heading."""
    assert printed(PredictedChart(measured, measured), width).strip() == ""


def test_terminals_without_unicode_get_ascii() -> None:
    """The same chart in characters that every terminal has."""
    plain, whole = (printed_in(encoding, 60, MEASURED, MEASURED) for encoding in ("ascii", "utf-8"))
    assert len(plain) == len(whole)
    assert [line.count("o") for line in plain] == [line.count("o") for line in whole]
    assert any("us" in line for line in plain)
    assert any(line.lstrip().startswith("+---") for line in plain)


def test_points_without_a_time_have_no_place(printed: Callable[..., str]) -> None:
    """A price of nothing, as a file may hold, is left out of a chart of logarithms."""
    charts = [PredictedChart([*MEASURED, 1e-3], [*MEASURED, 0.0]), PredictedChart(MEASURED, MEASURED)]
    assert printed(charts[0], 80) == printed(charts[1], 80)


@settings(deadline=None, max_examples=25)
@given(
    points=st.lists(st.tuples(st.floats(1e-12, 1e5), st.floats(1e-12, 1e5)), min_size=1, max_size=8),
    width=st.integers(20, 160),
    encoding=st.sampled_from(["utf-8", "ascii"]),
)
def test_any_times_are_drawn_within_the_terminal(points: list[tuple[float, float]], width: int, encoding: str) -> None:
    """One time or many, equal or many decades apart."""
    lines = printed_in(encoding, width, [x for x, _ in points], [y for _, y in points])
    assert all(cell_len(line) <= width for line in lines)
