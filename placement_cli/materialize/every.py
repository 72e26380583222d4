"""Evaluation once in a while: for long loops of steps too small to be worth a submission each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

from placement_cli.materialize.arrays import mlx_arrays
from placement_cli.materialize.leaving import finish_after

if TYPE_CHECKING:
    from types import TracebackType


class EvaluateEvery:
    """Call it with the arrays of every message: it evaluates on every `interval`-th call, else does nothing.

        with EvaluateEvery(32) as every:
            for message in source:
                state = step(message, state)
                every(state)

    Promise, on every backend: the graph behind the passed arrays is at most `interval` messages deep. It
    holds for what the newest arrays depend on, so pass every state that is carried. Only the newest arrays
    are kept, and only they are evaluated: an output of a message in between is computed if they depend on
    it; if not, and somebody keeps it, it is computed when it is read.

    The `interval`-th call evaluates the newest arrays passed since the last evaluation and waits for them,
    as SYNC does. As a rule those are its own; but a message without MLX arrays (of another backend; or
    withheld: None, or no argument) counts too, and where messages are withheld in step with `interval` the
    graph must not grow for ever. A message is any mix of arrays and trees, as `materialize` takes them and
    with the same warning.

    After an error of MLX nothing is kept, the count starts again, and the object can be used on. Not to be
    shared between threads; lazy arrays cannot be either.
    """

    __slots__ = ("_interval", "_newest", "_pending")

    def __init__(self, interval: int) -> None:
        """Raises ValueError unless `interval`, in messages, is an int of 1 or more."""
        if not isinstance(interval, int) or isinstance(interval, bool) or interval < 1:
            raise ValueError(f"the interval is a whole number of messages, 1 or more, not {interval!r}")
        self._interval = interval
        self._pending = 0
        self._newest: tuple[Any, ...] = ()

    def __call__(self, *trees: object) -> None:
        """Count this message, and evaluate if it is the `interval`-th since the last evaluation."""
        self._newest = mlx_arrays(trees) or self._newest
        self._pending += 1
        if self._pending >= self._interval:
            self.flush()

    def flush(self) -> None:
        """Evaluate and wait for the newest arrays passed since the last evaluation; start counting anew."""
        newest, self._newest = self._newest, ()
        self._pending = 0
        if newest:
            sys.modules["mlx.core"].eval(*newest)

    @property
    def interval(self) -> int:
        """How many messages one evaluation serves."""
        return self._interval

    @property
    def pending(self) -> int:
        """How many messages came since the last evaluation."""
        return self._pending

    def __repr__(self) -> str:
        return f"EvaluateEvery({self._interval})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        finish_after(failure, self.flush)
