"""Units around processors: what goes in, what comes out, what is carried, what a reset does."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from placement_cli.operators.catalog import OPERATORS, check_params, find_operator
from placement_cli.operators.ezmsg.routes import ROUTES
from placement_cli.operators.ezmsg.units import through_ezmsg
from placement_cli.operators.operator import Unit


def _unit(sigproc: Any, name: str, shapes: list[tuple[int, ...]], **params: Any) -> Unit:
    operator = through_ezmsg(find_operator(name), sigproc.load)
    return operator.make_mlx(shapes, check_params(operator, params), "float32", 0)


def test_the_array_goes_in_as_a_message_and_the_data_comes_out(sigproc: Any) -> None:
    """A step hands the very array to the processor and returns what it makes of it."""
    x = mx.ones((4, 3))
    y = _unit(sigproc, "abs", [(8, 3)]).step(x)
    (message,) = sigproc.newest.seen
    assert message.data is x
    assert message.dims == ["time", "ch"]
    assert y.tolist() == [[2.0] * 3] * 4


def test_a_step_evaluates_nothing(sigproc: Any, pending: Any) -> None:
    """What is lazy when it goes in is lazy still."""
    x = mx.negative(mx.ones((4, 3)))
    _unit(sigproc, "abs", [(8, 3)]).step(x)
    assert "Negative" in pending(x)


@pytest.mark.parametrize(
    ("name", "shape", "params", "empty"),
    [
        ("abs", (8, 3), {}, (0, 3)),
        ("affine", (8, 3), {"outputs": 5}, (0, 5)),
        ("spectrum", (2, 16, 3), {}, (0, 9, 3)),
        ("window", (8, 3), {"length": 4, "hop": 2}, (0, 4, 3)),
    ],
)
def test_a_message_without_samples_is_answered_with_one(
    name: str, shape: tuple[int, ...], params: dict[str, Any], empty: tuple[int, ...], sigproc: Any, pending: Any
) -> None:
    """It has the shape of the output but for its length, hangs on nothing, and no processor hears of it."""
    unit = _unit(sigproc, name, [shape], **params)
    answer = unit.step(mx.negative(mx.zeros((0, *shape[1:]))))
    assert answer.shape == empty
    assert pending(answer) == []
    assert sigproc.newest.seen == []


def test_a_withheld_output_hangs_on_nothing(sigproc: Any, pending: Any) -> None:
    """A slice without samples would run everything before it; the answer does not."""
    sigproc.compute = lambda data: data[:0]
    unit = _unit(sigproc, "bin", [(8, 3)], size=50)
    first, second = unit.step(mx.ones((8, 3))), unit.step(mx.ones((8, 3)))
    assert first is second
    assert first.shape == (0, 3)
    assert pending(first) == []


def test_branches_come_out_as_one(sigproc: Any) -> None:
    """A join takes one array a branch."""
    unit = _unit(sigproc, "join", [(2, 1)] * 3)
    assert unit.step(*(mx.full((2, 1), float(n)) for n in (1, 2, 4))).tolist() == [[7.0], [7.0]]
    assert unit.step(*[mx.zeros((0, 1))] * 3).shape == (0, 1)


def test_processors_that_make_their_state_of_the_first_message_see_silence_first(sigproc: Any, pending: Any) -> None:
    """One sample of zeros, and the state it leaves is evaluated before the first message."""
    unit = _unit(sigproc, "fir", [(8, 3)])
    (primed,) = sigproc.newest.seen
    assert primed.data.tolist() == [[0.0, 0.0, 0.0]]
    assert [array.shape for array in unit.state()] == [(1, 3)]
    assert pending(*unit.state()) == []


def test_the_state_is_the_newest_one(sigproc: Any) -> None:
    """After a message the state is what the processor carries then."""
    unit = _unit(sigproc, "fir", [(8, 3)])
    x = mx.ones((8, 3))
    unit.step(x)
    assert unit.state()[0] is x


def test_a_reset_begins_with_a_new_processor(sigproc: Any) -> None:
    """Nothing of an old processor can be left over; the new one is primed like the first."""
    unit = _unit(sigproc, "fir", [(8, 3)])
    unit.step(mx.ones((8, 3)))
    unit.reset()
    unit.step(mx.full((8, 3), 3.0))
    (_, old), (_, new) = sigproc.made
    assert [float(message.data.max()) for message in old.seen] == [0.0, 1.0]
    assert [float(message.data.max()) for message in new.seen] == [0.0, 3.0]


@pytest.mark.parametrize("name", sorted(set(OPERATORS) - set(ROUTES)))
def test_host_work_stays_as_it_is(name: str, sigproc: Any) -> None:
    """Operators without a route are handed back."""
    assert through_ezmsg(OPERATORS[name], sigproc.load) is OPERATORS[name]


@pytest.mark.parametrize("name", sorted(ROUTES))
def test_the_reference_is_the_operators_own_unless_the_meaning_differs(name: str, sigproc: Any) -> None:
    """Scaler and spectrum have their own; what the operator says of itself stays."""
    operator = OPERATORS[name]
    routed = through_ezmsg(operator, sigproc.load)
    assert (routed.make_numpy is operator.make_numpy) is (name not in ("ewm_scaler", "spectrum"))
    assert (routed.name, routed.parameters, routed.carries_state) == (name, operator.parameters, operator.carries_state)


def test_arrays_of_another_kind_can_be_fed(sigproc: Any) -> None:
    """Nothing in a unit knows MLX but the arrays it is given."""
    from placement_cli.operators.ezmsg.units import Arrays

    def zeros(shape: tuple[int, ...]) -> Any:
        return np.zeros(shape)

    routed = through_ezmsg(find_operator("fir"), sigproc.load, lambda: Arrays(zeros, lambda *_: None))
    unit = routed.make_mlx([(8, 3)], check_params(routed, {}), "float32", 0)
    assert isinstance(unit.step(np.zeros((0, 3))), np.ndarray)
