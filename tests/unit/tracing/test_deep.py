"""What goes deep into the stack runs beside the program's stack, whatever that has room for."""

from __future__ import annotations

import _thread
import threading
from typing import Any

import mlx.core as mx
import pytest

from placement_cli.tracing import deep as module
from placement_cli.tracing.deep import deeply
from placement_cli.tracing.looks import Looks
from placement_cli.tracing.places import Places


def test_a_graph_deeper_than_the_stack_is_counted() -> None:
    """MLX exports it by recursion; a thread with a small stack would end the process."""
    counted: list[int | None] = []

    def main() -> None:
        array = mx.zeros(1)
        for _ in range(20_000):
            array = array + 1
        looks = Looks(mx, Places())
        counted.append(deeply(lambda: looks.pending(array)))

    usual = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=main)
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    assert counted[0] is not None
    assert counted[0] >= 20_000


def test_threads_of_the_program_have_the_stack_that_they_had() -> None:
    """The size is that of one thread alone."""
    before = threading.stack_size()
    assert deeply(lambda: 7) == 7
    assert threading.stack_size() == before


def test_an_error_reaches_whoever_asked() -> None:
    """As from any function."""
    with pytest.raises(ZeroDivisionError):
        deeply(lambda: 1 // 0)


def test_where_there_can_be_no_thread_nothing_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when Python comes to its end, or address space is short."""

    def refuse(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    assert module.deeply(lambda: 7) is None
