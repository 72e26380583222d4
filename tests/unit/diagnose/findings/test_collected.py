"""PL101 and PL102 in containers: what a program collects without computing it."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.tracing.raw import KeptSample, RawKept

MIB = 1 << 20


def outputs(recorded: Any, arrays: tuple[int, ...], evaluations: int = 0) -> RawKept:
    """A list of outputs of a MiB each, looked at once a second."""
    looks = tuple(KeptSample(1.0 + at, at * evaluations, count, count * MIB) for at, count in enumerate(arrays))
    return RawKept("outputs", recorded.place(18), "list", False, looks)


FILLING = (10, 20, 30, 40, 50)


def test_a_list_of_lazy_outputs_is_growth(recorded: Any, told: Any, shown: Any) -> None:
    """It holds no values yet: what it keeps are the inputs, which an evaluation gives back."""
    oldest = recorded.lazy([5, 5, 5, 5, 5], name="outputs[0]")
    found = told(kept=(outputs(recorded, FILLING),), lazy=(oldest,), memory=recorded.memory([0, 10, 20, 30, 40, 50]))

    assert shown(found) == [("PL101", "warning", 18)]
    assert found[0].node == "outputs"
    assert "grew from 10 to 50 arrays, and `outputs[0]` in it was still lazy after 4.00 s" in found[0].says
    assert "Nothing was evaluated in that time. Active memory rose by 40.0 MiB meanwhile." in found[0].says


def test_beside_evaluations_it_is_side_state(recorded: Any, told: Any, shown: Any) -> None:
    """Something is computed in every cycle, but not what is collected."""
    oldest = recorded.lazy([30, 30, 30, 30, 30], name="losses[0]", evaluations=10)
    looks = tuple(KeptSample(1.0 + at, 10 * at, count, count * 4) for at, count in enumerate(FILLING))
    losses = RawKept("losses", recorded.place(18), "list", False, looks)
    found = told(kept=(losses,), lazy=(oldest,))

    assert shown(found) == [("PL102", "warning", 18)]
    assert "40 evaluations ran in that time, and none computed it." in found[0].says


@pytest.mark.parametrize(
    ("arrays", "ops"),
    [((10, 20, 30, 40, 50), [5, 5, 5, 5, 5]), ((300, 400, 500, 600, 700), [5, 5, 5, 5, 5])],
    ids=["a few numbers", "weights of a model under construction"],
)
def test_small_collections_are_a_note(
    recorded: Any, told: Any, shown: Any, arrays: tuple[int, ...], ops: list[int]
) -> None:
    """Without memory that grows, and before a backlog, leaving it to the end is fine."""
    found = told(kept=(outputs(recorded, arrays),), lazy=(recorded.lazy(ops, name="outputs[0]"),))
    assert shown(found) == [("PL101", "note", 18)]


@pytest.mark.parametrize(
    ("arrays", "name", "ops"),
    [
        ((10, 20, 30, 20, 10), "outputs[0]", [5, 5, 5, 5, 5]),
        (FILLING, "outputs[0]", [5, 0, 0, 0, 0]),
        (FILLING, "others[0]", [5, 5, 5, 5, 5]),
        ((10, 20, 20, 20, 20), "outputs[0]", [5, 5, 5, 5, 5]),
    ],
    ids=["emptied on the way", "computed soon after", "another variable", "hardly growing"],
)
def test_what_is_computed_or_does_not_grow_is_left(
    recorded: Any, told: Any, arrays: tuple[int, ...], name: str, ops: list[int]
) -> None:
    """Then a container is no matter of what is pending."""
    assert not told(kept=(outputs(recorded, arrays),), lazy=(recorded.lazy(ops, name=name),))


def test_a_counter_beside_it_does_not_hide_it(recorded: Any, told: Any, shown: Any) -> None:
    """Memory that the container keeps is not put down to a variable that piles up operations on numbers."""
    counter = recorded.lazy([60, 120, 180, 240, 300], name="step", line=9, evaluations=50)
    oldest = recorded.lazy([5, 5, 5, 5, 5], name="outputs[0]", evaluations=50)
    found = told(
        kept=(outputs(recorded, FILLING, 50),), lazy=(counter, oldest), memory=recorded.memory([0, 10, 20, 30, 40, 50])
    )

    assert shown(found) == [("PL102", "warning", 18), ("PL102", "note", 9)]
    assert "Active memory rose" not in found[1].says


def test_states_that_pile_up_themselves_are_told_as_such(recorded: Any, told: Any, shown: Any) -> None:
    """The list they are in is no second finding."""
    state = recorded.lazy([200, 400, 600, 800, 1000], name="outputs[0]", line=9, evaluations=50)
    assert shown(told(kept=(outputs(recorded, FILLING, 50),), lazy=(state,))) == [("PL102", "warning", 9)]
