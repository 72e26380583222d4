"""A self-test on the terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Group

from placement_cli.bench.harness import HarnessCost
from placement_cli.bench.selftest import SelfTest
from placement_cli.render.selftest import harness_table, rate_lines
from placement_cli.statistics.order_statistics import Interval
from placement_cli.statistics.rates import rate

COSTS = [
    HarnessCost("chunk-size", 1.5e-4, 1.49e-4, 1.0067, Interval(0.998, 1.012, 0.96)),
    HarnessCost("call-cost", 2e-5, 1.9e-5, 1.053, None),
]


def test_the_harness_is_shown_beside_the_bare_loop(printed: Callable[..., str]) -> None:
    """Times, ratio with interval, and whether it is within the limit, in a word."""
    lines = printed(harness_table(COSTS), 100).splitlines()
    assert lines[1].split() == ["scenario", "tool", "by", "hand", "ratio", "within", "2", "%"]
    assert lines[3].split() == ["chunk-size", "150", "µs", "149", "µs", "1.0067", "[0.9980,", "1.0120]", "yes"]
    assert lines[4].split() == ["call-cost", "20.0", "µs", "19.0", "µs", "1.0530", "no"]


@pytest.mark.parametrize("width", [80, 60, 40, 20])
def test_it_fits_everywhere(width: int, printed: Callable[..., str]) -> None:
    """No line is wider than the terminal."""
    false_alarm = SelfTest(0.0, ["slower"], rate(1, 1), 6.0, ["+4.8 % over 12 blocks: clear of zero"])
    text = printed(Group(harness_table(COSTS), *rate_lines(false_alarm)), width)
    assert max(map(cell_len, text.splitlines())) <= width


def test_false_alarms_are_counted_and_explained(printed: Callable[..., str]) -> None:
    """The rate of false alarms has its bounds, and each alarm its reason, in which nothing is interpreted."""
    test = SelfTest(0.0, ["same", "same", "slower"], rate(1, 3), 8.0, ["[red]+4.8 %[/]"])
    assert printed(Group(*rate_lines(test)), 120).splitlines() == [
        "An arm against itself: 1 of 3 verdicts are false alarms, 33.3 % [0.8, 90.6]",
        "  2 same, 1 slower; 8.0 blocks a verdict in the mean",
        "  false alarm: [red]+4.8 %[/]",
    ]


def test_power_is_what_was_caught(printed: Callable[..., str]) -> None:
    """An injected slowness is told with how often it was caught; its verdicts are no alarms."""
    test = SelfTest(0.05, ["slower"] * 9 + ["inconclusive"], rate(9, 10), 12.0, ["because"] * 9)
    assert printed(Group(*rate_lines(test)), 120).splitlines() == [
        "5 % slower: caught in 9 of 10 verdicts, 90.0 % [55.5, 99.7]",
        "  1 inconclusive, 9 slower; 12.0 blocks a verdict in the mean",
    ]
