"""Explanations on the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from placement_cli.advice.explaining import EXPLANATIONS
from placement_cli.codes import CODES
from placement_cli.render.console import PIPE_WIDTH
from placement_cli.render.explanations import explanations_json, print_codes, print_explanation

LONGEST = 15
"""Lines of an explanation, in a pipe."""
Read = Callable[[Console], str]


@pytest.mark.parametrize("code", CODES)
def test_an_explanation_is_short_and_fits(code: str, make_console: Callable[..., Console], read_console: Read) -> None:
    """It begins with code and name, and no line is wider than the terminal."""
    for width in (PIPE_WIDTH, 80, 40):
        console = make_console(width)
        print_explanation(EXPLANATIONS[code], console)
        lines = read_console(console).splitlines()
        assert lines[0].startswith(f"{code} {CODES[code]}: ")
        assert max(map(cell_len, lines)) <= width
        assert width < PIPE_WIDTH or len(lines) <= LONGEST


def test_what_is_printed(make_console: Callable[..., Console], read_console: Read, snapshot: SnapshotAssertion) -> None:
    """An explanation is printed as it was looked at and found good."""
    console = make_console(80)
    print_explanation(EXPLANATIONS["PL204"], console)
    assert read_console(console) == snapshot


def test_all_codes_are_a_line_each(make_console: Callable[..., Console], read_console: Read) -> None:
    """With their names below each other."""
    console = make_console(PIPE_WIDTH)
    print_codes(EXPLANATIONS.values(), console)
    lines = read_console(console).splitlines()
    assert [tuple(line.split()[:2]) for line in lines] == list(CODES.items())
    assert len({line.index(each.summary) for line, each in zip(lines, EXPLANATIONS.values(), strict=True)}) == 1


def test_json_has_every_part() -> None:
    """For programs that show findings themselves."""
    (entry,) = json.loads(explanations_json([EXPLANATIONS["PL101"]]))["findings"]
    assert (entry["code"], entry["name"]) == ("PL101", "growth")
    assert all(entry[part] for part in ("summary", "means", "why", "decided", "do"))
