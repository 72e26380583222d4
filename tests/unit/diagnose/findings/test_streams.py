"""PL304 and PL302: the wrong stream, the wrong thread."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.tracing.raw import RawError, RawMiss

GPU = "Stream(Device(gpu, 0), 3)"


@pytest.mark.parametrize(
    ("waited_s", "then_blocked_s", "waits", "told_of"),
    [(5e-6, 0.3, True, True), (5e-6, 0.0, False, True), (5e-6, 0.0009, True, False), (0.1, 0.3, True, False)],
    ids=["the next wait is long", "nothing waits", "it was done by then", "most was waited for"],
)
def test_a_synchronize_that_misses_work(
    recorded: Any, told: Any, waited_s: float, then_blocked_s: float, waits: bool, told_of: bool
) -> None:
    """Where the next wait shows that it did, or none comes."""
    then = recorded.place(30) if waits else None
    miss = RawMiss(
        recorded.place(25), "MainThread", "Stream(Device(gpu, 0), 0)", GPU, 1, waited_s, then_blocked_s, then
    )
    found = told(misses=(miss,))

    assert [(each.code, each.severity, each.line) for each in found] == ([("PL304", "warning", 25)] if told_of else [])
    assert all(GPU in each.says for each in found)


def test_a_lazy_array_in_another_thread_is_an_error(recorded: Any, told: Any, shown: Any) -> None:
    """The thread is named, and where the others build."""
    message = "There is no Stream(cpu, 0) in current thread."
    error = RawError("eval", recorded.place(40), "Thread-1 (work)", "RuntimeError", message, 1, 0.5)
    found = told(errors=(error,), builds=(recorded.build(12, 40), recorded.build(41, 900, "Thread-1 (work)")))

    assert shown(found) == [("PL302", "error", 40)]
    assert "Thread-1 (work)" in found[0].says
    assert "decode.py:12" in found[0].says
    assert found[0].next_check == "placement diagnose --probe threads.lazy-handed-over"


def test_other_errors_are_not_of_threads(recorded: Any, told: Any) -> None:
    """Only what MLX says of streams."""
    assert not told(errors=(RawError("eval", recorded.place(40), "T", "ValueError", "shapes differ", 1, 0.5),))
