"""The exception that Python reported last, and whose it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.tracing.places import Places
from placement_cli.tracing.writing import MESSAGE_AT_MOST, uncaught_of


def reported(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> BaseException:
    """Let `call` raise, and Python have reported that."""
    with pytest.raises(Exception) as raised:  # noqa: PT011 - whatever it is
        call()
    monkeypatch.setattr(sys, "last_exc", raised.value, raising=False)
    monkeypatch.setattr(sys, "last_value", raised.value, raising=False)
    return raised.value


def test_an_exception_is_placed_at_the_innermost_line_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below it lie frames of libraries, which are not where to look."""

    def call() -> None:
        raise ValueError("x" * 10_000)

    reported(monkeypatch, call)
    found = uncaught_of(Places())
    assert found is not None
    assert (found.type, len(found.message), found.by_mlx) == ("ValueError", MESSAGE_AT_MOST, False)
    assert (found.place.file, found.place.line) == (__file__, call.__code__.co_firstlineno + 1)


def test_an_operation_that_is_refused_is_one_of_mlx(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its hook is the innermost frame: MLX itself has none."""
    from placement_cli.tracing.build_hooks import operation_hook
    from placement_cli.tracing.recorder import Recorder

    recorder = Recorder()
    recorder.array = mx.array
    matmul = operation_hook(recorder, "matmul")(mx.matmul)
    reported(monkeypatch, lambda: matmul(mx.zeros((2, 3)), mx.zeros((2, 3))))
    found = uncaught_of(Places())
    assert found is not None
    assert found.by_mlx


def test_without_an_exception_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most programs end well."""
    monkeypatch.delattr(sys, "last_exc", raising=False)
    monkeypatch.delattr(sys, "last_value", raising=False)
    assert uncaught_of(Places()) is None
