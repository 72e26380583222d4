"""A trial of the planner on the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from placement_cli.planning.trial import Trial
from placement_cli.render.planner_trial import print_trials

PROVENANCE = "Costs: fitted to 24 products timed on this machine."


def trial(name: str, milliseconds: Sequence[float], chosen: int = 0, theirs: int | None = None) -> Trial:
    """A trial of ways that take so many milliseconds in each of eight rounds, the last of them dense."""
    names = (*(f"way {number}" for number in range(len(milliseconds) - 1)), "dense")
    rounds = np.array([milliseconds] * 8) * 1e-3
    return Trial(name, 30, names, rounds, (chosen,), len(names) - 1, theirs)


DRAWN = (trial("uniform 64", [1.0, 2.0, 4.0], 0, 2), trial("shuffled 96", [2.0, 1.0, 4.0], 0, 0))
HARD = (trial("W4 8 shuffled banks", [1.1, 1.0, 4.4], 0, 2), trial("W8 one dense output", [1.0, 3.0], 0, None))


@pytest.fixture
def report(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Callable[..., str]:
    """Prints a trial on a console of this width and returns the text."""

    def show(drawn: Sequence[Trial] = DRAWN, hard: Sequence[Trial] = HARD, width: int = 120, **more: Any) -> str:
        facts = {"provenance": PROVENANCE, "version": "3.11.1"} | more
        console = make_console(width)
        print_trials(drawn, hard, facts["provenance"], facts["version"], console)
        return read_console(console)

    return show


def rows(text: str) -> dict[str, list[str]]:
    """The cells of every line by the first of them."""
    cells = [re.split(r"\s{2,}", line) for line in text.splitlines()]
    return {first: others for first, *others in cells}


def test_ways_of_choosing_stand_side_by_side(report: Callable[..., str]) -> None:
    """By price, by measuring, the noise of measuring, and always dense: mean, 95 % and most."""
    text = report()
    found = rows(text)
    assert text.splitlines()[0] == PROVENANCE
    assert "2 drawn products: time over that of the fastest way" in text
    assert found["choice"] == ["mean", "95 %", "most"]
    assert found["chosen by price"] == ["50.0 %", "95.0 %", "100.0 %"]
    assert found["the fastest of the best three by price"] == ["50.0 %", "95.0 %", "100.0 %"]
    assert found["the fastest of all (noise)"] == ["0.0 %"] * 3
    assert found["always the dense product"] == ["300.0 %"] * 3


def test_one_product_is_one_product(report: Callable[..., str]) -> None:
    """A trial may be as short as that."""
    assert "1 drawn product: " in report(DRAWN[:1])


def test_the_other_planner_is_compared(report: Callable[..., str]) -> None:
    """Over all drawn products, and at each hard case where it has a plan."""
    text = report()
    assert "ezmsg-sigproc 3.11.1's plans take 2.00 [1.00, 4.00] times as long (geometric mean)." in text
    assert rows(text)["case"] == ["samples", "plan", "time", "of fastest", "ezmsg's"]
    assert rows(text)["W4 8 shuffled banks"] == ["30", "way 0", "1.10 ms", "1.10", "4.00"]
    assert rows(text)["W8 one dense output"] == ["30", "way 0", "1.00 ms", "1.00"]


def test_without_another_planner_there_is_no_comparison(report: Callable[..., str]) -> None:
    """Neither the sentence nor the column."""
    text = report([trial("uniform 64", [1.0, 2.0])], [trial("W4", [1.0, 2.0])], version=None)
    assert "plans take" not in text
    assert "None" not in text
    assert rows(text)["case"] == ["samples", "plan", "time", "of fastest"]


@pytest.mark.parametrize("width", [120, 80, 40, 20])
def test_no_line_is_wider_than_the_terminal(width: int, report: Callable[..., str]) -> None:
    """Whatever the width."""
    assert max(map(cell_len, report(width=width).splitlines())) <= width


@pytest.mark.parametrize("width", [120, 40])
def test_names_are_data(width: int, hostile: str, report: Callable[..., str]) -> None:
    """The sentence on costs comes from a profile."""
    text = report(hard=[trial(hostile, [1.0, 2.0])], width=width, provenance=hostile, version=hostile)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    flat = re.sub(r"\s", "", text).replace("\N{REPLACEMENT CHARACTER}", "")
    assert flat.count(re.sub(r"[\s\x1b\u2028\u202e]", "", hostile)) >= 3
