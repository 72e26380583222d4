"""The ratios of a run as a picture of characters."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from placement_cli.render.grid import width as width_of
from placement_cli.render.run_plot import RatioPlot, ratio_plot
from placement_cli.store.run_document import RunDocument

Load = Callable[[str], RunDocument]


def changed(document: RunDocument, **update: object) -> RunDocument:
    """Return `document` with its first comparison changed, alone in its case."""
    case = document.cases[0]
    compared = case.comparisons[0].model_copy(update=update)
    return document.model_copy(update={"cases": [case.model_copy(update={"comparisons": [compared]})]})


@pytest.mark.parametrize("columns", [200, 110, 80, 60, 40, 22])
def test_it_fits_the_terminal(document: RunDocument, columns: int) -> None:
    """Every line, in every width, and every verdict is there in words."""
    lines = ratio_plot(document, columns)
    assert all(width_of(line) <= columns for line in lines)
    compared = [each for case in document.cases for each in case.comparisons]
    assert sum(line.plain.count("inconclusive") for line in lines) == sum(
        each.verdict == "inconclusive" for each in compared
    )


def test_a_slower_arm_stands_right_of_the_line(load_run_of: Load) -> None:
    """The point lies within its interval; the axis is labelled with its ends and 1."""
    *_, row, axis = ratio_plot(changed(load_run_of("stream"), ratio=2.0, ci=(1.8, 2.2)), 100)
    text = row.plain
    assert text.index("\u2502") < text.index("\u251c") < text.index("\u25cf") < text.index("\u2524")
    assert text.endswith("2.00x [1.80, 2.20]  slower")
    assert axis.plain.index("1x") == text.index("\u2502")


def test_without_a_ratio_there_are_words_alone(load_run_of: Load) -> None:
    """Also where a ratio has no place on a logarithmic axis."""
    for ratio in (None, -1.0, 0.0):
        *_, row, _ = ratio_plot(changed(load_run_of("stream"), ratio=ratio, ci=None, verdict="invalid"), 100)
        assert "\u25cf" not in row.plain
        assert row.plain.endswith("invalid")


def test_a_terminal_without_unicode_gets_ascii(load_run_of: Load) -> None:
    """The same picture in other characters."""
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=file, width=100, color_system=None, legacy_windows=False).print(RatioPlot(load_run_of("stream")))
    file.seek(0)
    assert "o-]" in file.read()


def test_names_are_data(load_run_of: Load) -> None:
    """Markup and control codes are printed as what they are, or replaced."""
    shown = "\n".join(line.plain for line in ratio_plot(changed(load_run_of("stream"), new="[red]\x1b[31m"), 100))
    assert "[red]\ufffd[31m" in shown


def test_without_comparisons_there_is_nothing(load_run_of: Load) -> None:
    """Not even a heading."""
    assert ratio_plot(load_run_of("queue"), 100) == []
