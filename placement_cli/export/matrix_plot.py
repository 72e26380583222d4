"""A weight matrix and the blocks of a plan as a chart: PNG, SVG, or a page that needs no network."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placement_cli.blocks.occupancy import Cells, joined
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.store.files import write_whole, write_whole_bytes

if TYPE_CHECKING:
    import altair as alt
    import numpy as np
    from numpy.typing import NDArray

    Blocks = Sequence[tuple[slice, slice]]
    Chart = alt.LayerChart | alt.FacetChart

MOST_CELLS = 128
"""Cells along a side at most: more would be smaller than a point of the printed chart."""
LONG_SIDE = 512
SHORT_SIDE = 128
"""Pixels of the longer side, and of the shorter one at least."""
PIXELS_PER_INCH = 144
"""Twice the resolution of a screen, for PNG."""
LIGHT, DARK = "#c6dbef", "#08306b"
"""Colours of the least and the greatest share: lightness alone tells them apart, and no share is as light as none."""
OUTLINE = "#e6550d"
"""Colour of the blocks' outlines, which are seen on white and on the darkest cells, in grey too."""
STEPS = 100
"""Shares are told apart to the percent; neighbours of one percentage are one rectangle."""
MISSING = "A plot needs Vega-Altair: pip install 'placement-cli[report]'."


def check_plot(path: Path) -> None:
    """Raise UsageError where no plot can be written to `path`: for another ending, or without the extra `report`."""
    if path.suffix.lower() not in WRITERS:
        raise UsageError(
            f"--plot {path}: no plot has the ending {path.suffix!r}. {did_you_mean(path.suffix, list(WRITERS))}"
        )
    try:
        for name in ("altair", "vl_convert"):
            import_module(name)
    except ImportError:
        raise UsageError(f"--plot {path}: {MISSING}") from None


def write_matrix_plot(
    path: Path, occupancy: NDArray[np.float64], n_in: int, n_out: int, blocks: Blocks, title: str
) -> None:
    """Draw a matrix of `n_in` inputs x `n_out` outputs and write it whole, as .png, .svg or .html.

    `occupancy` is the share of nonzero weights (0 to 1) in cells of equal size, as
    `placement_cli.blocks.occupancy` counts it; `blocks` are outlined, (inputs, outputs) in channels. Raises
    UsageError for another ending, without the extra `report`, and where the file cannot be written.
    """
    check_plot(path)
    cells = joined(occupancy, n_in, n_out, MOST_CELLS, MOST_CELLS)
    WRITERS[path.suffix.lower()](path, _chart(cells, n_in, n_out, blocks, title))


def _chart(cells: Cells, n_in: int, n_out: int, blocks: Blocks, title: str) -> Chart:
    import altair as alt

    outputs = alt.X("x:Q", title="outputs", axis=_axis("top"), scale=_scale(n_out))
    inputs = alt.Y("y:Q", title="inputs", axis=_axis("left"), scale=_scale(n_in, reverse=True))
    shades = alt.Scale(domain=[0, 1], range=[LIGHT, DARK])
    fill = alt.Fill("share:Q", title="nonzero weights", scale=shades, legend=alt.Legend(format="%"))
    edge = alt.Stroke("share:Q", scale=shades, legend=None)  # closes the gaps between neighbours
    filled = alt.Chart(alt.InlineData(list(_rectangles(cells)))).mark_rect(strokeWidth=1)
    outlines = alt.Chart(alt.InlineData([_rectangle(*block) for block in blocks])).mark_rect(
        filled=False, stroke=OUTLINE, strokeWidth=1.5
    )
    width, height = _size(n_in, n_out)
    return alt.layer(
        filled.encode(outputs, inputs, alt.X2("x2"), alt.Y2("y2"), fill=fill, stroke=edge),
        outlines.encode(outputs, inputs, alt.X2("x2"), alt.Y2("y2")),
    ).properties(title=_printable(title), width=width, height=height)


def _axis(side: Any) -> alt.Axis:
    import altair as alt

    return alt.Axis(orient=side, grid=False, format="d", tickMinStep=1, labelOverlap=True)


def _scale(channels: int, *, reverse: bool = False) -> alt.Scale:
    import altair as alt

    return alt.Scale(domain=[0, channels], nice=False, zero=False, reverse=reverse)


def _rectangles(cells: Cells) -> Iterator[dict[str, float]]:
    """Yield the cells that are not empty; neighbours in a line of the same shade are one."""
    import numpy as np

    percents = np.ceil(cells.shares * STEPS).clip(0, STEPS).astype(int)
    edges = cells.out_edges.tolist()
    for line, row in enumerate(percents.tolist()):
        ins = slice(*cells.in_edges[line : line + 2].tolist())
        for percent, run in groupby(range(len(row)), key=row.__getitem__):
            first, *others = run
            if percent:
                last = others[-1] if others else first
                yield _rectangle(ins, slice(edges[first], edges[last + 1])) | {"share": percent / STEPS}


def _rectangle(ins: slice, outs: slice) -> dict[str, float]:
    return {"x": outs.start, "x2": outs.stop, "y": ins.start, "y2": ins.stop}


def _size(n_in: int, n_out: int) -> tuple[int, int]:
    """Return width and height in pixels: the aspect ratio of the matrix, unless it is extreme."""
    width, height = (max(SHORT_SIDE, LONG_SIDE * side // max(n_in, n_out, 1)) for side in (n_out, n_in))
    return width, height


def _printable(title: str) -> str:
    """Return the title, which may be the name of a file, without characters that no chart can show."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in title)


class _ScriptSafe(json.JSONEncoder):
    """JSON that stands inside a script of a page: no text in it can end the script."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c")


def _write_png(path: Path, chart: Chart) -> None:
    image = io.BytesIO()
    chart.save(image, format="png", ppi=PIXELS_PER_INCH)
    write_whole_bytes(path, image.getvalue())


def _write_svg(path: Path, chart: Chart) -> None:
    image = io.StringIO()
    chart.save(image, format="svg")
    write_whole(path, image.getvalue())


def _write_html(path: Path, chart: Chart) -> None:
    write_whole(path, chart.to_html(inline=True, json_kwds={"cls": _ScriptSafe}))


WRITERS: dict[str, Callable[[Path, Chart], None]] = {
    ".png": _write_png,
    ".svg": _write_svg,
    ".html": _write_html,
}
"""Endings of files that a plot can be written to."""
