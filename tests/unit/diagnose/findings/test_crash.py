"""Errors and signals that ended a program."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.tracing.raw import RawError


def raised(recorded: Any, message: str, kind: str = "eval") -> RawError:
    """An error of MLX at line 33."""
    return RawError(kind, recorded.place(33), "MainThread", "RuntimeError", message, 1, 5.0)


LIMIT = "[metal::malloc] Resource limit (499000) exceeded."


def test_exhaustion_after_growth_is_growth(recorded: Any, told: Any) -> None:
    """The variable that grew is named, not the line where it showed alone."""
    lazy = (recorded.lazy((100_000, 200_000, 300_000, 400_000)),)
    found = told(exit_code=1, errors=(raised(recorded, LIMIT),), lazy=lazy)

    assert found[0].code == "PL101"
    assert (found[0].severity, found[0].node, found[0].line) == ("error", "mean", 33)
    assert "`mean` had grown to 400,000 pending operations" in found[0].says


@pytest.mark.parametrize(("exit_code", "severity"), [(1, "error"), (None, "error"), (0, "warning")])
def test_exhaustion_without_growth_is_elsewhere(
    recorded: Any, told: Any, shown: Any, exit_code: int | None, severity: str
) -> None:
    """It broke the program unless that caught it."""
    message = "[malloc_or_wait] Unable to allocate 17179869184 bytes."
    assert shown(told(exit_code=exit_code, errors=(raised(recorded, message),))) == [("PL901", severity, 33)]


def test_a_late_error_of_the_cpu_is_unsure(recorded: Any, told: Any) -> None:
    """It may belong to what was submitted before; with nothing submitted it is at home."""
    error = raised(recorded, "[Inverse::eval_cpu] LU factorization failed with error code 1")
    (found,) = told(exit_code=1, errors=(error,), points=(recorded.point("async_eval", 20, pending_calls=0),))

    assert (found.code, found.severity) == ("PL902", "note")
    assert "decode.py:20" in found.next_check
    assert not told(exit_code=1, errors=(error,))


@pytest.mark.parametrize(
    ("exit_code", "ended", "name"),
    [(-9, False, "SIGKILL"), (134, False, "SIGABRT"), (-9, True, None), (3, False, None), (None, False, None)],
)
def test_a_signal_is_named_with_the_last_sample(
    recorded: Any, told: Any, exit_code: int | None, ended: bool, name: str | None
) -> None:
    """For a process whose record was not finished."""
    found = told(exit_code=exit_code, ended=ended, memory=recorded.memory([100, 200]))
    assert [each.evidence["signal"] for each in found] == ([name] if name else [])
    assert all("400 MiB of process memory" in each.says for each in found)
