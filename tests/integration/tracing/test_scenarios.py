"""`placement trace` on the shipped scenarios, arm by arm, and on ordinary healthy programs: it says nothing wrong.

What is true of each arm stands in `SCENARIOS`, decided from what the arm does, not from what the trace said of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from placement_cli.bench.catalog import shipped_scenarios
from placement_cli.bench.scenario_file import load_scenario

FOLDER = Path(__file__).parents[2] / "data" / "traced"
PLAYER = FOLDER / "scenario_program.py"
HEALTHY = sorted((FOLDER / "healthy").glob("*.py"))
FALSE_ALARMS: dict[str, list[str]] = {}
"""By run: what was said of it that is not true."""


@dataclass(frozen=True)
class Truth:
    """What may be said of an arm above a note, and why; `needed` codes must be, for there is no doubt about them."""

    why: str
    right: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Played:
    """How one scenario is played: the settings that choose a small case, the messages, and the truth by arm."""

    messages: int
    arms: Mapping[str, Truth]
    settings: tuple[str, ...] = ()


def well(why: str) -> Truth:
    """Nothing is wrong with the arm."""
    return Truth(why)


def blocks(why: str) -> Truth:
    """The arm waits where it could go on; how much that costs depends on the machine, and so whether it is worth it."""
    return Truth(why, right=frozenset({"PL204"}))


SCENARIOS: Mapping[str, Played] = {
    "call-cost": Played(
        2000,
        {
            "off": well("The graph of a burst is thrown away: nothing is computed, and nothing stays behind."),
            "async": well("Each message is submitted, and the host waits once a burst."),
            "sync": blocks("Each message is waited for before the next is built, which could be built meanwhile."),
        },
        ("ops=10",),
    ),
    "chain-depth": Played(
        2000,
        {
            "async": well("Each message is submitted; the queue bounds how far the host runs ahead."),
            "sync": blocks("Each message is waited for before the next is built, which could be built meanwhile."),
            "async@every-node": well("More submissions than needed cost time, but none waits."),
            "window:1": well("It waits for the message before while this one is computed: that is overlap."),
            "window:4": well("As with window:1, with more in flight."),
            "off+values": well("Values are asked for at the end of the message, where nothing is left to build."),
        },
        ("depth=4",),
    ),
    "chunk-size": Played(
        120,
        {
            "async": well("Each message is submitted, and states are computed with it."),
            "sync": blocks("Each message is waited for before the next is built, which could be built meanwhile."),
            "async@every-node": well("Submissions do not wait."),
            "window:1": well("It waits for the message before while this one is computed."),
            "window:4": well("As with window:1, with more in flight."),
        },
        ("chunk=30-64x256",),
    ),
    "fan-out": Played(
        1500,
        {
            "async": well("One submission at the join computes all branches."),
            "async@rectify+merge": well("Submissions of branches do not wait."),
            "sync": blocks("Each join is waited for before the next message is built."),
            "sync@rectify+merge": blocks("Each branch is waited for before the next one is built."),
        },
        ("work=scale", "width=2"),
    ),
    "host-overlap": Played(
        80,
        {
            "off": well("Values are asked for at the end of the message; that this is late is no fault of a read."),
            "async": well("The device works while the host does."),
            "sync": blocks("The host waits for the segment before it does work that needs no values."),
        },
        ("length_ms=2", "kind=python"),
    ),
    "in-flight": Played(
        40,
        {
            "async@every-node": well(
                "Submissions of heavy stages return while earlier ones run, or the queue is full."
            ),
            "async": well("One submission a message; the device sets the pace."),
        },
        ("stages=2",),
    ),
    "live": Played(
        60,
        {
            "off": well("Values are asked for at the end of the message, and then the host waits for the source."),
            "async": well("The device works while the host does."),
            "sync": well("It waits a fraction of the period, most of which the source takes: nothing would be saved."),
            "window:1": well("Values are read a message later, when they are there."),
            "every:4": well("Three messages stay pending, and are computed with the fourth."),
        },
        ("rate=200",),
    ),
    "queue-depth": Played(
        256, {"async": well("It is behind work that holds the device; that the queue is full is a note.")}, ("ops=10",)
    ),
    "replay-memory": Played(
        200,
        {
            "async": well("Each message is submitted, and its buffers come back as it is computed."),
            "sync": blocks("Each message is waited for before the next is copied in, which could be done meanwhile."),
            "off": Truth(
                "All messages are pending until the end, and keep their inputs: growth that nothing computes.",
                right=frozenset({"PL101"}),
                needed=frozenset({"PL101"}),
            ),
            "window:1": well("It waits for the message before: the memory of two messages."),
            "window:2": well("As with window:1, with three in flight."),
            "window:4": well("As with window:1, with five in flight."),
            "window:8": well("As with window:1, with nine in flight."),
        },
        ("chunk=512x1024",),
    ),
    "withheld": Played(
        1500,
        {
            "async@filter": well("The point stands before the stage that withholds: states are computed every time."),
            "async": Truth(
                "Seven of eight submissions get an empty message, and the filter's state piles up until the eighth.",
                right=frozenset({"PL103"}),
            ),
            "async+state": well("States are submitted with every message, empty or not."),
            "off": Truth(
                "The states of thousands of messages hang on one another until the end.",
                right=frozenset({"PL101"}),
                needed=frozenset({"PL101"}),
            ),
        },
        ("bin=256",),
    ),
}
RUNS = [(name, arm) for name, played in SCENARIOS.items() for arm in played.arms]


@pytest.fixture(scope="module", autouse=True)
def false_alarms() -> Iterator[None]:
    """Say after all tests (`-s` shows it) in how many runs something wrong was said."""
    yield
    alarmed = sum(map(bool, FALSE_ALARMS.values()))
    sys.stdout.write(f"\nfalse alarms: {alarmed} of {len(FALSE_ALARMS)} runs\n")


@pytest.fixture(scope="module")
def traced(trace_all: Any) -> Any:
    """Every arm and every healthy program, traced, by `SCENARIO ARM` or the name of its file."""
    arms = {
        f"{name} {arm}": [PLAYER, name, arm, str(SCENARIOS[name].messages), *SCENARIOS[name].settings]
        for name, arm in RUNS
    }
    return trace_all({**arms, **{path.stem: [path] for path in HEALTHY}})


def told(finding: Mapping[str, Any]) -> str:
    """Return a finding as it is shown where it is wrong."""
    return f"{finding['code']} at {Path(finding['file'] or '').name}:{finding['line']}: {finding['says']}"


@pytest.mark.parametrize(("name", "arm"), RUNS)
def test_what_is_said_of_an_arm_is_true(traced: Any, name: str, arm: str) -> None:
    """No finding above a note is one that the arm does not deserve, and those without doubt are there."""
    truth, done = SCENARIOS[name].arms[arm], traced[f"{name} {arm}"]
    assert done.returncode == 0, done.stderr
    FALSE_ALARMS[f"{name} {arm}"] = [told(each) for each in done.findings if each["code"] not in truth.right]
    assert FALSE_ALARMS[f"{name} {arm}"] == [], truth.why
    assert truth.needed <= {each["code"] for each in done.findings}, truth.why


@pytest.mark.parametrize("name", [path.stem for path in HEALTHY])
def test_nothing_is_said_of_an_ordinary_healthy_program(traced: Any, name: str) -> None:
    """Programs that do what they should get no finding above a note."""
    done = traced[name]
    assert done.returncode == 0, done.stderr
    FALSE_ALARMS[name] = [told(each) for each in done.findings]
    assert FALSE_ALARMS[name] == []


def test_every_arm_of_every_shipped_scenario_is_played() -> None:
    """The table leaves none out."""
    written = {name: load_scenario(path).document.arms for name, path in shipped_scenarios().items()}
    assert {name: list(played.arms) for name, played in SCENARIOS.items()} == {
        name: [arms] if isinstance(arms, str) else list(arms) for name, arms in written.items()
    }
