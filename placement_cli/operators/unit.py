"""Units made of functions: what every maker returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def no_state() -> Sequence[Any]:
    """Return no arrays: nothing is carried."""
    return ()


def nothing_to_forget() -> None:
    """Do nothing: there is no state to reset."""


@dataclass(frozen=True, slots=True)
class FunctionUnit:
    """A unit whose `step` is a plain function, so that calling it costs nothing beyond the work itself.

    Stateful operators pass closures over their state; stateless ones often pass the MLX function as it is.
    """

    step: Callable[..., Any]
    state: Callable[[], Sequence[Any]] = no_state
    reset: Callable[[], None] = nothing_to_forget


def carrying(rest: Any, advance: Callable[[Any, Any], tuple[Any, Any]]) -> FunctionUnit:
    """Return a unit of one carried array: `advance(x, carried)` gives the output and what is carried next.

    For references, which nobody times: it puts a call between the loop and the work.
    """
    carried = rest

    def step(x: Any) -> Any:
        nonlocal carried
        y, carried = advance(x, carried)
        return y

    def reset() -> None:
        nonlocal carried
        carried = rest

    return FunctionUnit(step, lambda: (carried,), reset)


def identity(message: Any) -> Any:
    """Return the message itself."""
    return message
