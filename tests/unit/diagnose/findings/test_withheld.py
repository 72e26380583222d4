"""PL103: states that pile up behind a stage that withholds output."""

from __future__ import annotations

from typing import Any

import pytest

RISING = (200, 400, 600, 800, 1000, 1200)
TEETH = (900, 4000, 9000, 2000, 7000, 800, 6000, 0)


def empty_messages(recorded: Any, calls: int) -> Any:
    """The only evaluation, of which so many in 100 received nothing but arrays without elements."""
    return recorded.point("async_eval", 20, zero_size_calls=calls, pending_calls=0)


@pytest.mark.parametrize(("ops", "most"), [(RISING, "1,200"), (TEETH, "9,000")], ids=["endless", "until a message"])
def test_a_state_behind_empty_messages_is_withheld(
    recorded: Any, told: Any, shown: Any, ops: tuple[int, ...], most: str
) -> None:
    """Whether it is never reached, or with thousands of operations when a message comes at last."""
    found = told(
        lazy=(recorded.lazy(ops, name="smooth.state", evaluations=50),), points=(empty_messages(recorded, 90),)
    )

    assert shown(found) == [("PL103", "warning", 12)]
    assert found[0].node == "smooth.state"
    assert f"up to {most} operations pending" in found[0].says
    assert "90 of 100 evaluations received nothing but arrays of zero elements" in found[0].says
    assert found[0].next_check == "placement diagnose --probe zero-size.fresh"


@pytest.mark.parametrize("ops", [(90, 400, 900, 200, 700), (0, 0, 0)])
def test_what_is_reached_soon_enough_is_not(recorded: Any, told: Any, ops: tuple[int, ...]) -> None:
    """A bin that fills up every few dozen messages, and a state that is evaluated each time."""
    assert not told(lazy=(recorded.lazy(ops, evaluations=50),), points=(empty_messages(recorded, 90),))


def test_few_empty_messages_do_not_withhold(recorded: Any, told: Any) -> None:
    """A minority of them is the last message of a stream, or its first; what grows then is side state."""
    (found,) = told(lazy=(recorded.lazy(RISING, evaluations=50),), points=(empty_messages(recorded, 40),))
    assert found.code == "PL102"
