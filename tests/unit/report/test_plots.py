"""Charts as files: inside their folder, whatever cases are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from placement_cli.errors import UsageError
from placement_cli.report.charts.ratios import ratios
from placement_cli.report.picture import Panel, Picture, Section
from placement_cli.report.plots import write_plots
from placement_cli.store.run_document import RunDocument

HOSTILE = "../../<b>\x1b[31m/c:\\con"


@pytest.fixture
def section(load_run_of: Callable[[str], RunDocument]) -> Section:
    """A section with one picture of two charts, which has a hostile name."""
    found = ratios(load_run_of("burst").cases)
    assert found is not None
    panels = tuple(Panel(HOSTILE, panel.spec) for panel in found.panels)
    return Section("run-1", HOSTILE, (Picture(HOSTILE, HOSTILE, "", panels, found.table),))


def test_each_chart_is_a_png_and_an_svg_in_the_folder(tmp_path: Path, section: Section) -> None:
    """With plain names, and nothing beside the folder."""
    folder = tmp_path / "plots"
    written = write_plots([section], folder)
    assert sorted(written) == sorted(folder.iterdir())
    assert list(tmp_path.iterdir()) == [folder]
    assert [path.suffix for path in written] == [".svg", ".png"] * 2
    assert written[1].read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    drawing = fromstring(written[0].read_text(encoding="utf-8"))
    assert "../../<b>\ufffd[31m/c:\\con" in "".join(drawing.itertext())
    assert "var(--" not in written[0].read_text(encoding="utf-8")


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path, section: Section) -> None:
    """Nothing is written."""
    (tmp_path / "plots").write_text("")
    with pytest.raises(UsageError, match="is no folder"):
        write_plots([section], tmp_path / "plots")
