"""A matrix is drawn into a file: PNG, SVG, or a page that needs no network."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import numpy as np
import pytest

from placement_cli.blocks.occupancy import occupancy
from placement_cli.errors import UsageError
from placement_cli.export.matrix_plot import DARK, LIGHT, OUTLINE, check_plot, write_matrix_plot

SVG = "{http://www.w3.org/2000/svg}"
BLOCKS = [(slice(0, 200), slice(0, 100)), (slice(200, 400), slice(100, 200))]
WEIGHTS = np.kron(np.eye(2), np.ones((200, 100)))
HOSTILE = "</script><script>alert(1)</script>&amp;\x1b[31m\ud800.npy"


def _plot(path: Path, weights: Any = WEIGHTS, blocks: Any = BLOCKS, title: str = "w.npy") -> Path:
    write_matrix_plot(path, occupancy(weights, 256, 256), *weights.shape, blocks, title)
    return path


def _drawing(path: Path) -> Element:
    return fromstring(path.read_text(encoding="utf-8"))


def _texts(drawing: Element) -> list[str]:
    return [text.text or "" for text in drawing.iter(f"{SVG}text")]


def _colours(drawing: Element, attribute: str) -> list[str]:
    return [path.get(attribute, "") for path in drawing.iter(f"{SVG}path")]


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))


def test_an_svg_has_title_axes_cells_and_blocks(tmp_path: Path) -> None:
    """Channels from 0 to the last, a full cell in the darkest colour, and one outline a block."""
    drawing = _drawing(_plot(tmp_path / "w.svg"))
    texts = _texts(drawing)
    assert {"w.npy", "inputs", "outputs", "nonzero weights", "0", "400", "200"} <= set(texts)
    assert f"rgb{_rgb(DARK)}" in _colours(drawing, "fill")
    assert _colours(drawing, "stroke").count(OUTLINE) == len(BLOCKS)


def test_the_inputs_go_down(tmp_path: Path) -> None:
    """The first block is at the top left, as in the matrix."""
    drawing = _drawing(_plot(tmp_path / "w.svg"))
    places = [
        tuple(map(float, re.findall(r"-?[\d.]+", path.get("d", ""))[:2]))
        for path in drawing.iter(f"{SVG}path")
        if path.get("stroke") == OUTLINE
    ]
    assert places == [(0, 0), (128, 256)]


def test_a_single_column_is_seen(tmp_path: Path) -> None:
    """One weight in 32 of a cell is coloured, lighter than all that is fuller and darker than nothing."""
    weights = np.zeros((4096, 4096), bool)
    weights[:, 2000] = True
    drawing = _drawing(_plot(tmp_path / "w.svg", weights, ()))
    filled = [colour for colour in _colours(drawing, "fill") if re.fullmatch(r"rgb\(\d+, \d+, \d+\)", colour)]
    shades = {tuple(map(int, re.findall(r"\d+", colour))) for colour in filled}
    assert any(_rgb(DARK) < shade < _rgb(LIGHT) for shade in shades)
    assert _colours(drawing, "stroke").count(OUTLINE) == 0


def test_a_png_is_an_image(tmp_path: Path) -> None:
    """Written whole, with nothing else beside it."""
    path = _plot(tmp_path / "new" / "w.PNG")
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert list(path.parent.iterdir()) == [path]


def test_a_page_needs_no_network_and_its_title_is_no_script(tmp_path: Path) -> None:
    """All scripts are in the page; a name of a file that looks like one stays a name."""
    page = _plot(tmp_path / "w.html", title=HOSTILE).read_text(encoding="utf-8")
    assert not re.search(r"<(script|link|img)[^>]*\b(src|href)=[\"']?(https?:)?//", page)
    assert page.count("</script>") == page.count("<script")
    assert "alert(1)</script>" not in page
    assert "\\u003c/script>\\u003cscript>alert(1)" in page


def test_a_hostile_title_is_text_in_a_drawing(tmp_path: Path) -> None:
    """The drawing stays well-formed, and the title is what it was but for what cannot be shown."""
    texts = _texts(_drawing(_plot(tmp_path / "w.svg", title=HOSTILE)))
    assert "</script><script>alert(1)</script>&amp;\ufffd[31m\ufffd.npy" in texts


def test_the_smallest_and_the_most_extreme_matrix_are_drawn(tmp_path: Path) -> None:
    """One weight, and a side of a million, without a warning."""
    assert "1" in _texts(_drawing(_plot(tmp_path / "a.svg", np.ones((1, 1)), [(slice(0, 1), slice(0, 1))])))
    write_matrix_plot(tmp_path / "b.svg", np.ones((256, 2)), 10**6, 2, (), "b")
    assert "1000000" in _texts(_drawing(tmp_path / "b.svg"))


@pytest.mark.parametrize(("name", "advice"), [("w.sgv", "'.svg'"), ("w.htm", "'.html'"), ("w", "Known: .png, .svg")])
def test_another_ending_names_the_nearest(tmp_path: Path, name: str, advice: str) -> None:
    """Nothing is written, and the check alone says the same."""
    with pytest.raises(UsageError, match="no plot has the ending") as raised:
        _plot(tmp_path / name)
    assert advice in str(raised.value)
    with pytest.raises(UsageError, match="no plot has the ending"):
        check_plot(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_a_missing_extra_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """With the command that installs it."""
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UsageError, match=r"pip install 'placement-cli\[report\]'"):
        _plot(tmp_path / "w.png")


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A folder where the file should be, for images and for text."""
    for name in ("w.png", "w.svg"):
        (tmp_path / name).mkdir()
        with pytest.raises(UsageError, match=f"{name}: cannot be written"):
            _plot(tmp_path / name)
