"""Units made of functions."""

from __future__ import annotations

from placement_cli.operators.unit import FunctionUnit, identity


def test_a_stateless_unit_is_its_function() -> None:
    """Nothing stands between the caller and the function, and nothing is carried."""
    unit = FunctionUnit(abs)
    assert unit.step is abs
    assert unit.state() == ()
    unit.reset()
    assert unit.step(-2) == 2


def test_identity_hands_on_the_same_object() -> None:
    """The message comes out, not a copy."""
    message = object()
    assert identity(message) is message
