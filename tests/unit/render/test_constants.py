"""Constants of a profile as text."""

from __future__ import annotations

import pytest

from placement_cli.profile.constant import Constant
from placement_cli.render.constants import NAMED_AT_MOST, interval_text, number_text, some_names, value_text


def constant(value: float, unit: str, *, half: float | None = None, identified: bool = True) -> Constant:
    """A constant whose interval reaches from half of it to twice, where it has one."""
    low, high = (None, None) if half is None else (half, 4 * half)
    return Constant(value, low, high, unit, identified, "by hand")


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (3e-6, "s", "3.00 µs"),
        (1.5e-3, "s/message", "1.50 ms"),
        (3.2e-9, "s/element", "3.20 ns"),
        (3.2e-11, "s/MAC", "32 ps"),
        (0.0, "s/B", "0 s"),
        (1.3, "ratio", "1.3"),
        (53.5, "ops", "53.5"),
        (108.0, "samples", "108"),
        (1.6e6, "MAC", "1.6e+06"),
    ],
)
def test_only_times_are_written_as_times(value: float, unit: str, told: str) -> None:
    """Seconds, alone or for each of something, down to picoseconds; anything else is a number."""
    assert value_text(constant(value, unit)) == told


def test_an_interval_is_in_the_unit_of_its_value() -> None:
    """Each end in the prefix that suits it; without ends there is the value alone."""
    assert interval_text(constant(1e-9, "s/MAC", half=5e-10)) == "1.00 ns [500 ps, 2.00 ns]"
    assert interval_text(constant(1.3, "ratio", half=0.65)) == "1.3 [0.65, 2.6]"
    assert interval_text(constant(3e-6, "s")) == "3.00 µs"


def test_a_number_says_when_it_was_not_determined() -> None:
    """Three digits, and a word where the data left it open."""
    assert number_text(constant(51234.0, "MAC", half=25000.0)) == "5.12e+04 [2.5e+04, 1e+05]"
    assert number_text(constant(4.0, "samples", half=2.0, identified=False)) == "4 [2, 8] (not determined)"
    assert number_text(constant(40.0, "MAC/element")) == "40"


def test_many_names_are_counted() -> None:
    """The first are named, the rest is a number."""
    names = [f"n{number}" for number in range(NAMED_AT_MOST + 2)]
    assert some_names(names[:2]) == "n0, n1"
    assert some_names(names[:NAMED_AT_MOST]).endswith(names[NAMED_AT_MOST - 1])
    assert some_names(names).endswith(f"{names[NAMED_AT_MOST - 1]} and 2 more")
