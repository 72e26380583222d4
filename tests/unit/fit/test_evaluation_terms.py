"""Every constant of evaluation has a unit and a phrase."""

from __future__ import annotations

import pytest

from placement_cli.fit.evaluation_terms import EVALUATION_TERMS, evaluation_meaning, evaluation_order, evaluation_term


@pytest.mark.parametrize(
    ("name", "unit", "meaning"),
    [
        ("build_op", "s/op", "building one op of a lazy graph"),
        ("device.abs.30x64", "s/message", "device time of abs, messages of 30x64"),
        ("contention.blas.host", "ratio", "blas work on the host while the device works, over alone"),
        ("contention.blas.device", "ratio", "device work while the host does blas work, over alone"),
        ("idle.0.5ms", "ratio", "device work after 0.5 ms of idling, over right after other work"),
        ("submit_asleep", "s", "on top of a submission when the device was idle for 1 ms"),
        ("submit_asleep.10ms", "s", "on top of a submission when the device was idle for 10 ms"),
    ],
)
def test_names_are_explained(name: str, unit: str, meaning: str) -> None:
    """What varies in a name stands in its phrase."""
    assert (evaluation_term(name).unit, evaluation_meaning(name)) == (unit, meaning)


@pytest.mark.parametrize("name", ["", "build", "build_op.x", "device.abs", "idle.ms", "contention.blas", "xidle.1ms"])
def test_other_names_are_refused(name: str) -> None:
    """A name that no constant has is no constant."""
    with pytest.raises(KeyError):
        evaluation_term(name)


def test_phrases_are_short() -> None:
    """They stand in a column of a table."""
    assert all(len(term.meaning) <= 70 and not term.meaning.endswith(".") for term in EVALUATION_TERMS.values())


def test_numbers_in_names_are_ordered_by_size() -> None:
    """Messages of 30 samples come before those of 128, and hosts before devices."""
    names = ["device.abs.128x512", "device.abs.30x64", "build_op", "idle.50ms", "idle.1ms"]
    assert sorted(names, key=evaluation_order) == [
        "build_op",
        "device.abs.30x64",
        "device.abs.128x512",
        "idle.1ms",
        "idle.50ms",
    ]
