"""Observations go to JSON and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.measure.evaluation.observation import LARGEST, Observation

NUMBERS = st.floats(-LARGEST, LARGEST)
GOOD = {"experiment": "submit", "case": {"ops": 2}, "values": [1e-6], "unit": "s", "process": 0}


@settings(deadline=None)
@given(
    st.builds(
        Observation,
        experiment=st.text(),
        case=st.dictionaries(st.text(), NUMBERS | st.integers(-1000, 1000) | st.text()),
        values=st.lists(NUMBERS, min_size=1).map(tuple),
        unit=st.sampled_from(["s", "calls"]),
        process=st.integers(0, 9),
    )
)
def test_json_gives_the_same_observation_back(observation: Observation) -> None:
    """What was written is read again, numbers of a case included."""
    assert Observation.from_json(json.loads(json.dumps(observation.to_json()))) == observation


@pytest.mark.parametrize(
    "changed",
    [
        {"values": []},
        {"values": [float("nan")]},
        {"values": [1e300]},
        {"values": ["1"]},
        {"values": [True]},
        {"values": None},
        {"case": {"ops": None}},
        {"case": {"ops": float("inf")}},
        {"case": ["ops"]},
        {"case": {"ops": 10**400}},
        {"experiment": 3},
        {"process": "0"},
        {"process": True},
    ],
)
def test_what_is_no_observation_is_refused(changed: dict[str, Any]) -> None:
    """Missing values, other types and numbers that are not finite raise ValueError and nothing else."""
    with pytest.raises(ValueError, match=r"observation|finite"):
        Observation.from_json({**GOOD, **changed})


@pytest.mark.parametrize("missing", GOOD)
def test_a_missing_part_is_told(missing: str) -> None:
    """The message names what is not there."""
    with pytest.raises(ValueError, match=missing):
        Observation.from_json({key: value for key, value in GOOD.items() if key != missing})


def test_unknown_keys_are_ignored() -> None:
    """A newer version may have written more."""
    assert Observation.from_json({**GOOD, "added": 1}).case == {"ops": 2.0}
