"""Scenarios as cases: names, settings, base, control, twins."""

from __future__ import annotations

import pytest

from placement_cli.bench.cases import MAX_TOTAL_NODES, Scenario, make_scenario
from placement_cli.bench.overrides import parse_override
from placement_cli.bench.scenario_file import parse_scenario
from placement_cli.errors import UsageError
from placement_cli.measure.specs import Case, Reading

SCENARIO = """\
version: 1
name: mine
question: What is it?
reading: stream
source: {chunk: $chunk}
axes:
  chunk: [8x4, 16x4]
  depth: [1, 3]
arms: [async, sync, async@every-node]
base: sync
control: {chunk: 16x4, depth: 3}
quick: {depth: 2, arms: [async, off], base: off}
nodes:
  step: {op: scale, repeat: $depth}
"""
PACED = SCENARIO.replace("reading: stream", "reading: paced\nrate: 100\nduration: 0.5 s")


def make(*sets: str, scenario: str = SCENARIO, quick: bool = False) -> Scenario:
    """Return a scenario with some options set."""
    return make_scenario(parse_scenario(scenario, "f"), [parse_override(text) for text in sets], quick=quick)


def test_every_point_of_the_grid_is_a_case() -> None:
    """Cases are named by scenario and values, hold these values, and their pipelines follow them."""
    scenario = make()

    assert [case.id for case in scenario.cases] == [
        "mine[chunk=8x4,depth=1]",
        "mine[chunk=8x4,depth=3]",
        "mine[chunk=16x4,depth=1]",
        "mine[chunk=16x4,depth=3]",
    ]
    assert scenario.cases[1].params == {"chunk": "8x4", "depth": 3}
    assert [len(case.pipeline.nodes) for case in scenario.cases] == [1, 3, 1, 3]
    assert scenario.cases[2].pipeline.source.label == "16x4"
    assert scenario.axes == {"chunk": ("8x4", "16x4"), "depth": (1, 3)}
    assert (scenario.name, scenario.reading, scenario.origin) == ("mine", Reading.STREAM, "f")


def test_arms_that_are_the_same_in_a_case_are_told() -> None:
    """Only the cases with one node leave an arm out; the scenario still names all arms."""
    scenario = make()

    assert scenario.arms == ("async", "sync", "async@every-node")
    assert scenario.same == {
        "mine[chunk=8x4,depth=1]": {"async@every-node": "async"},
        "mine[chunk=16x4,depth=1]": {"async@every-node": "async"},
    }
    assert [len(case.arms) for case in scenario.cases] == [2, 3, 2, 3]
    assert {case.base for case in scenario.cases} == {"sync"}


def test_cases_travel_as_json() -> None:
    """What is made here is what the workers are sent."""
    for case in make().cases:
        assert Case.from_json(case.to_json()) == case


def test_the_control_is_the_case_described() -> None:
    """Where the described case is not measured, the first with two arms carries the control."""
    assert make().control_case == "mine[chunk=16x4,depth=3]"
    assert make("depth=7").control_case == "mine[chunk=8x4,depth=7]"
    assert make("arms=async,async@every-node", "depth=1,2").control_case == "mine[chunk=8x4,depth=2]"


def test_a_scenario_that_compares_nothing_has_no_control() -> None:
    """With one arm there is nothing that a noise floor would be for."""
    assert make("arms=async").control_case is None


def test_quick_replaces_what_it_names() -> None:
    """Axes, arms and base of the quick part count with `--quick` alone."""
    scenario = make(quick=True)

    assert [case.id for case in scenario.cases] == ["mine[chunk=8x4,depth=2]", "mine[chunk=16x4,depth=2]"]
    assert scenario.arms == ("async", "off")
    assert scenario.base == "off"


def test_set_wins_over_quick() -> None:
    """A value given on the command line is measured, quick or not."""
    scenario = make("depth=5", "arms=off,sync", quick=True)

    assert scenario.axes["depth"] == (5,)
    assert scenario.base == "off"


def test_the_base_follows_the_arms() -> None:
    """The document's base counts where it is among the arms, else the first arm; a chosen one must exist."""
    assert make("arms=async,sync").base == "sync"
    assert make("arms=window:1,async").base == "window:1"
    assert make("arms=window:1,async", "base=async").base == "async"
    with pytest.raises(UsageError, match=r"^--set 'base=off': base 'off' is none of the arms"):
        make("base=off")


def test_settings_arrive_in_the_cases() -> None:
    """Messages are whole; rate and duration belong to paced readings, a duration may have a unit."""
    (case, *_) = make(scenario=PACED).cases

    assert (case.messages, case.rate, case.duration_s) == (0, 100.0, 0.5)
    assert make("duration=200ms", scenario=PACED).cases[0].duration_s == 0.2
    assert make("duration=2", scenario=PACED).cases[0].duration_s == 2.0
    assert [case.messages for case in make("messages=5,6").cases[:2]] == [5, 6]


@pytest.mark.parametrize(
    ("sets", "scenario", "message"),
    [
        ("messages=0", SCENARIO, "messages is '0'; expected a whole number from 1 to 100000"),
        ("messages=1e6", SCENARIO, "messages is '1000000'"),
        ("messages=1.5", SCENARIO, "messages is '1.5'"),
        ("messages=many", SCENARIO, "messages is 'many'"),
        ("rate=0", PACED, "rate is '0'; expected 0.01 to 100000 messages per second"),
        ("rate=fast", PACED, "rate is 'fast'"),
        ("duration=0", PACED, "duration is '0'; expected 0.01 to 600 seconds"),
        ("duration=2h", PACED, "duration is '2h'"),
        ("duration=long", PACED, "duration: 'long' is not a duration"),
        ("depth=0", SCENARIO, "repeat of node 'step' is '0'"),
        ("chunk=8", SCENARIO, "chunk '8' is not SAMPLESxCHANNELS"),
        ("arms=async,asinc", SCENARIO, "arm 'asinc': 'asinc' is not a mode"),
        ("arms=async@stp", SCENARIO, "site 'stp' is no node here. Did you mean 'step'?"),
        ("step.gain=1e9", SCENARIO, "scale: parameter 'gain' is 1000000000"),
    ],
)
def test_values_out_of_bounds_name_their_place(sets: str, scenario: str, message: str) -> None:
    """A value is blamed where it was given, also when it arrives through an axis."""
    with pytest.raises(UsageError) as raised:
        make(sets, scenario=scenario)

    assert str(raised.value).startswith(f"--set {sets!r}: {message}")


def test_a_paced_sample_holds_a_message() -> None:
    """Rate and duration together must give at least one message, and not too many."""
    with pytest.raises(UsageError, match=r"are 0.5 messages; expected 1 to"):
        make("rate=1", scenario=PACED)
    with pytest.raises(UsageError, match="are 5e\\+06 messages"):
        make("rate=1e5", "duration=50", scenario=PACED)


@pytest.mark.parametrize(
    ("control", "message"),
    [
        ("{chnk: 8x4}", "f:11:11: 'chnk' is no axis. Did you mean 'chunk'?"),
        ("{chunk: 9x4}", "f:11:18: '9x4' is no value of axis 'chunk'. Did you mean '8x4'?"),
        ("{depth: 9}", "f:11:18: '9' is no value of axis 'depth'. Known: 1, 3."),
    ],
)
def test_the_control_must_be_a_case(control: str, message: str) -> None:
    """A mistyped control is not quietly the first case."""
    with pytest.raises(UsageError) as raised:
        make(scenario=SCENARIO.replace("{chunk: 16x4, depth: 3}", control))

    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("quick", "message"),
    [
        ("{dpth: 2}", "f:12:9: 'dpth' is nothing that scenario mine has. Did you mean 'depth'?"),
        ("{depth: 0}", "f:12:16: repeat of node 'step' is '0'"),
        ("{arms: asinc}", "f:12:15: arm 'asinc'"),
        ("{arms: async@x}", "f:12:15: site 'x' is no node"),
        ("{base: off}", "f:12:15: base 'off' is none of the arms"),
    ],
)
def test_mistakes_in_the_quick_part_show_in_a_full_run(quick: str, message: str) -> None:
    """What is wrong with the quick part does not wait for the first quick run."""
    with pytest.raises(UsageError) as raised:
        make(scenario=SCENARIO.replace("{depth: 2, arms: [async, off], base: off}", quick))

    assert str(raised.value).startswith(message)


def test_all_cases_together_are_bounded() -> None:
    """Many large cases are refused before they fill the memory."""
    with pytest.raises(UsageError, match=f"f: its cases have more than {MAX_TOTAL_NODES} nodes together"):
        make("depth=256", "messages=1-256", "chunk=8x4,16x4")


def test_two_arms_that_mean_the_same_are_an_error() -> None:
    """In the document as on the command line, with the place of the second."""
    with pytest.raises(UsageError, match="f:9:15: arm 'async@tail' is the same as 'async'"):
        make(scenario=SCENARIO.replace("async, sync", "async, async@tail"))
