"""Bounded run-ahead: ASYNC's overlap of host and device with a limit on the messages in flight."""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Any, Self

from placement_cli.materialize.arrays import mlx_arrays
from placement_cli.materialize.leaving import finish_after

if TYPE_CHECKING:
    from types import TracebackType


class RunAheadWindow:
    """Call it with the arrays of every message: it submits them and waits for the message `depth` back.

        with RunAheadWindow(2) as window:
            for message in source:
                out, state = step(message, state)
                window(out, state)

    Promise, on every backend: at most `depth + 1` messages are unfinished at any time, and `depth` when the
    call returns. So memory in flight is at most `depth + 1` times what one message holds until it is done.
    The limits of MLX itself differ between backends (see `MaterializeMode.ASYNC`), so the wait is explicit:
    `mx.eval` of arrays that were submitted waits for the event of their own evaluation, and for nothing newer
    (mlx/transforms.cpp, `eval`). With depth 0 every message is waited for, like SYNC.

    The window keeps the arrays passed for the last `depth` messages and nothing else. MLX cannot reuse their
    buffers meanwhile (mlx/array.h, `is_donatable`): for a large state carried from message to message, that
    is one more buffer for every message of depth. A state that the output depends on need not be passed.

    A message is any mix of arrays and trees, as `materialize` takes them and with the same warning. One
    without MLX arrays (of another backend; or withheld: None, or no argument) takes its place in the order
    too, so that the arrays of older messages are not kept until the next one that has some.

    An error of MLX is raised once. If the wait raises it, the message waited for leaves the window. If the
    submission raises it, this message does not enter, and MLX has waited for the part of it that was
    submitted (mlx/transforms.cpp, `eval_impl`). The others stay, and the window can be used on. MLX keeps
    errors by stream, and on the main thread of the CPU backend reports them at the next submission too
    (mlx/scheduler.cpp), so an error may stem from any message in flight.

    Not to be shared between threads; lazy arrays cannot be either.
    """

    __slots__ = ("_depth", "_flying")

    def __init__(self, depth: int) -> None:
        """Raises ValueError unless `depth`, in messages, is an int of 0 or more."""
        if not isinstance(depth, int) or isinstance(depth, bool) or depth < 0:
            raise ValueError(f"the depth of a window is a whole number of messages, 0 or more, not {depth!r}")
        self._depth = depth
        self._flying: deque[tuple[Any, ...]] = deque()

    def __call__(self, *trees: object) -> None:
        """Submit the arrays of this message, then wait for those of the message `depth` messages back."""
        # Written out for plain arrays: in a live pipeline every call made here is host time of each message.
        mlx: Any = sys.modules.get("mlx.core")
        array = getattr(mlx, "array", None)
        arrays = trees
        for tree in trees:
            if type(tree) is not array:
                arrays = mlx_arrays(trees)
                break
        if arrays:
            mlx.async_eval(*arrays)
        flying = self._flying
        flying.append(arrays)
        if len(flying) > self._depth:
            oldest = flying.popleft()
            if oldest:
                mlx.eval(*oldest)

    def drain(self) -> None:
        """Wait for every message in flight, oldest first and also after an error; raise the first error."""
        failures: list[Exception] = []
        while self._flying:
            try:
                self._wait_for_oldest()
            except Exception as error:  # noqa: BLE001 - raised below, after the wait for the rest
                failures.append(error)
        if failures:
            for later in failures[1:]:
                failures[0].add_note(f"A later message failed too: {type(later).__name__}: {later}")
            raise failures[0]

    @property
    def depth(self) -> int:
        """How many messages may still be unfinished when a call returns."""
        return self._depth

    @property
    def in_flight(self) -> int:
        """How many messages with arrays were submitted and not yet waited for; some may be done already."""
        return sum(1 for arrays in self._flying if arrays)

    def _wait_for_oldest(self) -> None:
        oldest = self._flying.popleft()
        if oldest:
            sys.modules["mlx.core"].eval(*oldest)

    def __repr__(self) -> str:
        return f"RunAheadWindow({self._depth})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        finish_after(failure, self.drain)
