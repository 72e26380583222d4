"""A matrix is seen in the terminal: blocks, bands, scatter and dense lines, at every width."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType

from placement_cli.blocks.occupancy import occupancy
from placement_cli.render.matrix_picture import ASCII, UNICODE, MatrixPicture, picture_cells

Print = Callable[..., str]


def picture(weights: Any, blocks: Any = ()) -> MatrixPicture:
    """Return the picture of a matrix at its best size."""
    return MatrixPicture(occupancy(weights, *picture_cells(*weights.shape)), *weights.shape, blocks)


def cells(text: str, side: str = UNICODE.side) -> list[str]:
    """Return what is inside the frame."""
    return [line.split(side)[1] for line in text.splitlines() if line.count(side) == 2]


def test_a_small_matrix_is_drawn_weight_by_weight(printed: Print) -> None:
    """Each weight is two characters wide and so about square; the axes carry their first and last channel."""
    text = printed(picture(np.kron(np.eye(3), np.ones((2, 3)))))
    assert text.splitlines() == [
        "        0    outputs     8",
        "inputs ┌──────────────────┐",
        "     0 │██████            │",
        "       │██████            │",
        "       │      ██████      │",
        "       │      ██████      │",
        "       │            ██████│",
        "     5 │            ██████│",
        "       └──────────────────┘",
    ]


def test_blocks_of_a_large_matrix_are_seen(printed: Print) -> None:
    """Eight blocks of 512 x 512 are squares of six columns and three lines along the diagonal."""
    drawn = cells(printed(picture(np.kron(np.eye(8, dtype=bool), np.ones((64, 64), bool)))))
    assert drawn == [" " * 6 * (line // 3) + "█" * 6 + " " * 6 * (7 - line // 3) for line in range(24)]


def test_a_band_is_seen(printed: Print) -> None:
    """Full along the diagonal, fading beside it, empty elsewhere."""
    i = np.arange(1024)
    drawn = cells(printed(picture(abs(i[:, None] - i) < 60)))
    assert all(row[2 * line] in "▒▓█" for line, row in enumerate(drawn))
    assert all(set(row[: max(0, 2 * line - 6)]) <= {" "} for line, row in enumerate(drawn))


def test_scatter_is_seen(printed: Print) -> None:
    """Shuffled blocks leave no cell empty and none full."""
    rng = np.random.default_rng(0)
    weights = np.kron(np.eye(8), np.ones((64, 64)))[rng.permutation(512)][:, rng.permutation(512)]
    assert set("".join(cells(printed(picture(weights))))) <= set("░▒")


@pytest.mark.parametrize("width", [20, 33, 80])
def test_a_dense_row_and_a_dense_column_of_4096_are_seen(printed: Print, width: int) -> None:
    """One weight in thousands still darkens its cell, however narrow the terminal."""
    weights = np.zeros((4096, 4096), bool)
    weights[:, 2000] = weights[1000] = True
    drawn = cells(printed(picture(weights), width))
    assert sum(" " not in row for row in drawn) == 1
    assert sum(" " not in column for column in zip(*drawn, strict=True)) == 1


@pytest.mark.parametrize(
    ("shape", "most"),
    [((4096, 4096), (48, 24)), ((4096, 2048), (24, 24)), ((1024, 4096), (48, 6)), ((10, 20), (20, 10))],
)
def test_the_aspect_ratio_is_kept(shape: tuple[int, int], most: tuple[int, int]) -> None:
    """A character is twice as tall as wide, so that a square is 48 columns and 24 lines."""
    assert picture_cells(*shape) == most


def test_extreme_matrices_are_drawn_broader_than_they_are(printed: Print) -> None:
    """A long side never leaves the other without room, nor draws a channel twice."""
    assert picture_cells(10**6, 500) == (8, 24)
    assert picture_cells(500, 10**6) == (48, 4)
    assert picture_cells(10**6, 3) == (3, 24)
    assert printed(picture(np.ones((500, 1)))).splitlines()[:3] == ["        outputs 0", "inputs ┌─┐", "     0 │█│"]


def test_consoles_without_unicode_get_ascii() -> None:
    """The same picture, in characters that every terminal has."""
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    console = Console(file=file, width=60, color_system=None)
    console.print(picture(np.kron(np.eye(2), np.ones((2, 2)))))
    file.seek(0)
    assert file.read().splitlines() == [
        "        outputs 0-3",
        "inputs +--------+",
        "     0 |####    |",
        "       |####    |",
        "       |    ####|",
        "     3 |    ####|",
        "       +--------+",
    ]


def test_colour_is_only_added(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> None:
    """Cells of the plan's blocks are cyan, what is beside them is dim, and without colour the text is the same."""
    weights = np.ones((2, 4))
    coloured, grey = make_console(terminal=True), make_console()
    for console in (coloured, grey):
        console.print(picture(weights, [(slice(0, 1), slice(0, 3)), (slice(1, 1), slice(0, 4))]))
    assert "\x1b[36m██████\x1b[0m\x1b[2m██\x1b[0m" in read_console(coloured)
    assert "\x1b[2m████████\x1b[0m" in read_console(coloured)
    assert cells(read_console(grey)) == ["████████"] * 2


def test_a_block_colours_every_cell_that_it_reaches(
    make_console: Callable[..., Console], read_console: Callable[[Console], str]
) -> None:
    """A block of one weight among thousands colours its cell."""
    console = make_console(terminal=True)
    console.print(picture(np.ones((4800, 4800), bool), [(slice(250, 251), slice(4799, 4800))]))
    assert read_console(console).count("\x1b[36m█\x1b[0m") == 1


def test_a_matrix_without_channels_is_told(printed: Print) -> None:
    """There is nothing to draw."""
    assert printed(MatrixPicture(np.zeros((0, 3)), 0, 3)) == "0 inputs x 3 outputs: nothing to draw\n"


def _printed(part: RenderableType, width: int, encoding: str) -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=file, width=width, color_system=None, legacy_windows=False).print(part)
    file.seek(0)
    return file.read()


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    width=st.integers(20, 200),
    n_in=st.integers(1, 10**10),
    n_out=st.integers(1, 10**10),
    cells_asked=st.tuples(st.integers(1, 96), st.integers(1, 48)) | st.none(),
    encoding=st.sampled_from(["utf-8", "ascii"]),
)
def test_no_line_is_ever_wider_than_the_terminal(
    width: int, n_in: int, n_out: int, cells_asked: tuple[int, int] | None, encoding: str
) -> None:
    """Whatever the matrix, the terminal and the cells it was counted in; and all lines of the frame are alike."""
    columns, lines = cells_asked or picture_cells(n_in, n_out)
    shares = np.full((min(lines, n_in), min(columns, n_out)), 1e-9)
    text = _printed(MatrixPicture(shares, n_in, n_out, [(slice(0, n_in), slice(0, n_out))]), width, encoding)
    heading, *frame = text.splitlines()
    assert cell_len(heading) <= width
    assert str(n_out - 1) in heading
    assert len({cell_len(line) for line in frame}) == 1
    assert cell_len(frame[0]) <= width
    assert " " not in "".join(cells(text, UNICODE.side if encoding == "utf-8" else ASCII.side))
