"""PL503: evaluations that receive no array."""

from __future__ import annotations

from typing import Any


def test_an_object_with_arrays_inside_is_a_warning(recorded: Any, told: Any, shown: Any) -> None:
    """The fix names its fields."""
    point = recorded.point("eval", 20, empty_calls=100, receivers=("Message(data, state)",))
    found = told(points=(point,))

    assert shown(found) == [("PL503", "warning", 20)]
    assert "100 of 100 calls of mx.eval received no array, but `Message(data, state)`" in found[0].says
    assert "mx.eval(message.data, message.state)" in found[0].fix
    assert found[0].next_check == "placement diagnose --probe boundary.trees"


def test_a_set_of_arrays_becomes_a_list(recorded: Any, told: Any) -> None:
    """It has no fields to name."""
    (found,) = told(points=(recorded.point("eval", 20, empty_calls=5, receivers=("set(elements)",)),))
    assert "a list or a tuple instead of a set" in found.fix


def test_calls_without_anything_to_evaluate_are_a_note(recorded: Any, told: Any) -> None:
    """No argument at all, or none that holds an array."""
    nothing = recorded.point("eval", 20, empty_calls=100, receivers=("",))
    number = recorded.point("async_eval", 21, empty_calls=3, receivers=("int", "list"))
    found = told(points=(nothing, number))

    assert {(each.code, each.severity) for each in found} == {("PL503", "note")}
    assert any("and no other argument" in each.says for each in found)
    assert any("`int` and `list`" in each.says for each in found)


def test_calls_with_arrays_are_no_finding(recorded: Any, told: Any) -> None:
    """Whatever else they were given."""
    assert not told(points=(recorded.point("eval", 20, receivers=()),))
