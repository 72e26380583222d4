"""Cases and arms survive the pipe to a worker."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    ],
)
def test_labels_are_the_words_of_graph_yaml(arm: Arm, label: str) -> None:
    """The label is the mode with its K, without sites."""
    assert arm.label == label
