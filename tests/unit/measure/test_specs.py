"""Cases and arms survive the pipe to a worker."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.mode import ASYNC, OFF, SYNC, every, window
from placement_cli.graph.pipeline import ITEM_BYTES, Node, Pipeline, Source
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading, Workload

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
PARAMETERS = st.dictionaries(st.text(), st.one_of(st.integers(), NUMBERS, st.text()), max_size=3)
SOURCES = st.builds(
    Source, st.integers(1, 99), st.integers(1, 99), st.integers(1, 99), st.sampled_from(sorted(ITEM_BYTES))
)
NODES = st.builds(Node, st.text(), st.text(), st.lists(st.text(), max_size=3).map(tuple), PARAMETERS)
PIPELINES = st.builds(Pipeline, SOURCES, st.lists(NODES, max_size=4).map(tuple))
ARMS = st.builds(
    Arm,
    st.text(),
    st.sampled_from(ArmMode),
    st.lists(st.text(), max_size=3).map(tuple),
    st.integers(0, 99),
    st.booleans(),
    st.booleans(),
    st.floats(0, 1),
    st.dictionaries(st.text(), st.sampled_from([OFF, ASYNC, SYNC, window(2), every(999_999)]), max_size=3),
)
CASES = st.builds(
    Case,
    st.text(),
    st.text(),
    st.sampled_from(Reading),
    PIPELINES,
    st.lists(ARMS, max_size=3).map(tuple),
    st.text(),
    PARAMETERS,
    st.integers(0, 10**6),
    st.floats(0, 1e5),
    st.floats(0, 1e3),
    st.sampled_from(Workload),
)


@given(ARMS)
@settings(deadline=None)
def test_arms_survive_json(arm: Arm) -> None:
    """What is read back is what was written, whatever the names."""
    assert Arm.from_json(json.loads(json.dumps(arm.to_json()))) == arm


@given(CASES)
@settings(deadline=None)
def test_cases_survive_json(case: Case) -> None:
    """What is read back is what was written, pipeline and parameters included."""
    assert Case.from_json(json.loads(json.dumps(case.to_json(), allow_nan=False))) == case


def test_arms_are_found_by_name() -> None:
    """A case gives its arms by name, and KeyError for one that it does not have."""
    arms = (Arm("off", ArmMode.OFF), Arm("async", ArmMode.ASYNC, ("a",)))
    case = Case("c", "s", Reading.STREAM, Pipeline(Source(1, 1, 1), ()), arms, "off")
    assert case.arm("async") is arms[1]
    assert case.others == [arms[1]]
    with pytest.raises(KeyError, match="sync"):
        case.arm("sync")


@pytest.mark.parametrize(
    ("arm", "label"),
    [
        (Arm("async@x", ArmMode.ASYNC, ("x",)), "async"),
        (Arm("w", ArmMode.WINDOW, ("x",), 4), "window:4"),
        (Arm("e", ArmMode.EVERY, ("x",), 2), "every:2"),
        (Arm.placed("p", {"x": window(3), "y": OFF, "z": window(3)}), "window:3"),
        (Arm.placed("p", {"x": SYNC, "y": window(3)}), "mixed"),
        (Arm.placed("p", {"x": OFF}), "off"),
    ],
)
def test_labels_are_the_words_of_graph_yaml(arm: Arm, label: str) -> None:
    """The label is the mode with its K, without sites."""
    assert arm.label == label


def test_a_placement_has_points_where_nodes_are_not_off() -> None:
    """Its mode is that of the last point; what an arm of one mode does at its sites reads alike."""
    modes = {"a": every(4), "b": OFF, "c": window(2)}
    arm = Arm.placed("mine", modes, values=True)
    assert (arm.sites, arm.mode, arm.depth, arm.values) == (("a", "c"), ArmMode.WINDOW, 2, True)
    assert arm.points == {"a": every(4), "c": window(2)}
    assert arm.modes == modes
    assert Arm("window:2", ArmMode.WINDOW, ("a", "c"), 2).points == {"a": window(2), "c": window(2)}


def test_arms_of_older_documents_have_no_modes_of_their_own() -> None:
    """Only a placement writes them, and what is no mode is refused."""
    written = Arm("sync", ArmMode.SYNC, ("a",)).to_json()
    assert "modes" not in written
    assert Arm.from_json(written).modes == {}
    with pytest.raises(ValueError, match="is no mode"):
        Arm.from_json({**written, "modes": {"a": "asinc"}})
