"""Units whose step is a processor of ezmsg-sigproc: an array goes in as a message, the data of the result comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from placement_cli.operators.ezmsg.messages import envelope
from placement_cli.operators.ezmsg.routes import ROUTES
from placement_cli.operators.unit import FunctionUnit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from placement_cli.operators.ezmsg.routes import Load, Processor, Route
    from placement_cli.operators.operator import Operator, Params, Shape, Unit

    Enclose = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Arrays:
    """What arrays the messages hold: `zeros` makes one of a shape, `evaluate` computes whatever is lazy in some."""

    zeros: Callable[[Shape], Any]
    evaluate: Callable[..., Any]


def mlx_arrays() -> Arrays:
    """Return MLX's arrays, in single precision."""
    import mlx.core as mx

    from placement_cli.operators.constant import zeros

    return Arrays(zeros, mx.eval)


def through_ezmsg(
    operator: Operator, load: Load = import_module, arrays: Callable[[], Arrays] = mlx_arrays
) -> Operator:
    """Return `operator` with its MLX work done by ezmsg-sigproc, and the reference that belongs to that.

    An operator without a route there, such as host work, is returned as it is. Parameters, shapes and seeds mean
    the same, and so do the values but for what `references` says: filters begin at rest, after silence, and the
    scaler after a history of mean 0 and mean square 1. Messages are float32 (see `availability`). `load` imports
    modules; it and `arrays` are replaced in tests.
    """
    route = ROUTES.get(operator.name)
    if route is None:
        return operator

    def make(shapes: Sequence[Shape], params: Params, dtype: str, seed: int) -> Unit:
        used = arrays()
        enclose = [envelope(load, shape) for shape in shapes]
        silence = [wrap(used.zeros((1, *shape[1:]))) for wrap, shape in zip(enclose, shapes, strict=True)]

        def begin() -> Processor:
            processor = route.build(load, shapes, params, seed)
            if route.primed:
                processor(*silence)
                route.settle(processor, params)
                used.evaluate(*route.state(processor))
            return processor

        output = operator.features(shapes, params, dtype).output
        return _unit(begin, route, enclose, used.zeros((0, *output[1:])))

    return replace(operator, make_mlx=make, make_numpy=route.reference or operator.make_numpy)


def _unit(begin: Callable[[], Processor], route: Route, enclose: Sequence[Enclose], nothing: Any) -> FunctionUnit:
    """Return the unit around processors that `begin` makes: one now, another with every reset.

    `nothing` answers a message without samples, and one that the processor withholds its output for: an array that
    belongs to no graph, like that of the operators themselves (see `framing`). In ezmsg no such message is published.
    """
    processor = begin()
    first = enclose[0]

    def step(x: Any) -> Any:
        if not x.size:
            return nothing
        y = processor(first(x)).data
        return y if y.size else nothing

    def step_all(*inputs: Any) -> Any:
        if not any(x.size for x in inputs):
            return nothing
        return processor(*(wrap(x) for wrap, x in zip(enclose, inputs, strict=True))).data

    def reset() -> None:
        nonlocal processor
        processor = begin()

    return FunctionUnit(step if len(enclose) == 1 else step_all, lambda: route.state(processor), reset)
