"""What the tests of evaluation points share: a view of pending work, and a record of the calls of MLX."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import mlx.core as mx
import pytest

Call = tuple[str, tuple[Any, ...]]
Recording = Callable[..., AbstractContextManager[list[Call]]]


def _pending_ops(*arrays: Any) -> int:
    graph = io.StringIO()
    mx.export_to_dot(graph, *arrays)
    return graph.getvalue().count("shape=rectangle")


@contextmanager
def _recording(failing: tuple[Any, ...] = ()) -> Iterator[list[Call]]:
    calls: list[Call] = []

    def recorder(name: str) -> Callable[..., None]:
        real = getattr(mx, name)

        def record(*arrays: Any) -> None:
            calls.append((name, arrays))
            for number, bad in enumerate(failing if name == "eval" else ()):
                if any(array is bad for array in arrays):
                    raise RuntimeError(f"failure {number}")
            real(*arrays)

        return record

    with pytest.MonkeyPatch.context() as patch:
        for name in ("eval", "async_eval"):
            patch.setattr(mx, name, recorder(name))
        yield calls


@pytest.fixture(scope="session")
def pending_ops() -> Callable[..., int]:
    """The function that counts the operations which arrays still wait for, without evaluating them."""
    return _pending_ops


@pytest.fixture(scope="session")
def recording() -> Recording:
    """The context in which calls of `mx.eval` and `mx.async_eval` are listed with their arrays, then made.

    `mx.eval` of the array at place n of `failing` raises RuntimeError "failure n" instead of evaluating.
    """
    return _recording
