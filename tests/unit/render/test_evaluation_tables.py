"""Evaluation constants on the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest
from rich.cells import cell_len
from rich.console import Group

from placement_cli.profile.constant import Constant
from placement_cli.render.evaluation_tables import evaluation_tables

Show = Callable[[Mapping[str, Constant], int], list[str]]


def constant(value: float, unit: str = "s", *, identified: bool = True) -> Constant:
    """A constant with an interval of a tenth either way."""
    return Constant(value, 0.9 * value, 1.1 * value, unit, identified, "by hand")


CONSTANTS: Mapping[str, Constant] = {
    "build_op": constant(3e-7, "s/op"),
    "submit_call": constant(3e-6),
    "wake": constant(1e-6, identified=False),
    "queue_ops": constant(50.0, "ops"),
    "device.abs.30x64": constant(3e-6, "s/message"),
    "device.abs.512x1024": constant(3e-4, "s/message"),
    "device.affine.30x64": constant(3e-5, "s/message"),
    "device.affine.512x1024": constant(3e-2, "s/message", identified=False),
}


@pytest.fixture
def shown(printed: Callable[..., str]) -> Show:
    """Prints the tables at a width and returns the lines."""

    def show(constants: Mapping[str, Constant], width: int = 120) -> list[str]:
        return printed(Group(*evaluation_tables(constants)), width).splitlines()

    return show


def test_constants_are_named_by_what_they_mean(shown: Show) -> None:
    """Each with its interval in its unit."""
    lines = shown(CONSTANTS, 120)
    assert lines[0].split() == ["what", "costs"]
    assert [re.split(r"\s{2,}", line) for line in lines[2:5]] == [
        ["building one op of a lazy graph", "300 ns [270 ns, 330 ns]"],
        ["one submission to a busy device, before its first op", "3.00 µs [2.70 µs, 3.30 µs]"],
        ["ops that fill the queue of the device", "50 [45, 55]"],
    ]


def test_what_was_not_determined_is_named_and_has_no_row(shown: Show) -> None:
    """A value that leans on nothing measured is not shown as if it were."""
    lines = shown(CONSTANTS, 120)
    assert lines[5] == "Not determined: wake, device.affine.512x1024."
    assert not any("idle for 1 ms" in line for line in lines)


def test_device_times_are_a_table_of_operators_and_shapes(shown: Show) -> None:
    """What was not determined, or not measured, is an empty cell."""
    lines = shown(CONSTANTS, 120)
    assert lines[7] == "device time of one message, samples x channels"
    assert [line.split() for line in (lines[8], *lines[10:])] == [
        ["operator", "30x64", "512x1024"],
        ["abs", "3.00", "µs", "300", "µs"],
        ["affine", "30.0", "µs"],
    ]


def test_what_was_not_measured_has_no_table(shown: Show) -> None:
    """Without device times there is none, and without doubt no sentence."""
    lines = shown({"build_op": constant(3e-7, "s/op")}, 120)
    assert len(lines) == 3


@pytest.mark.parametrize("width", [120, 80, 40, 20])
def test_no_line_is_wider_than_the_terminal(width: int, shown: Show) -> None:
    """Whatever the width."""
    assert max(map(cell_len, shown(CONSTANTS, width))) <= width


@pytest.mark.parametrize("name", ["gossip", "device", "device.abs", "device.", "submit_asleep.ms"])
def test_a_constant_that_is_not_known_here_keeps_its_name(name: str, shown: Show) -> None:
    """A newer version may have measured more, and a file may say anything."""
    assert any(line.split()[:1] == [name] for line in shown({name: constant(1e-6)}, 80))


@pytest.mark.parametrize("width", [120, 40])
def test_names_are_data(width: int, hostile: str, shown: Show) -> None:
    """Names of constants, operators and shapes come from a file."""
    names = [hostile, f"device.{hostile}.30x64", f"device.abs.{hostile}"]
    lines = shown({name: constant(1e-6) for name in names}, width)
    assert not {"\x1b", "\u202e", "\u2028"} & set("".join(lines))
    assert max(map(cell_len, lines)) <= width
    unknown = shown({name: constant(1e-6, identified=False) for name in names}, width)
    assert not {"\x1b", "\u202e", "\u2028"} & set("".join(unknown))
