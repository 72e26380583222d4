"""The exception that ended a program: its own, MLX's, or one that is known better."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.diagnose.report.crashes import crash_of
from placement_cli.tracing.raw import RawUncaught


def uncaught(seen: Any, by_mlx: bool, message: str = "'left\n  over'") -> RawUncaught:
    """An exception at line 44."""
    return RawUncaught("KeyError", message, seen.place(44), by_mlx)


@pytest.mark.parametrize(("by_mlx", "kind"), [(False, "program-error"), (True, "mlx-error")])
def test_an_exception_is_told_at_its_line_with_whose_it_is(seen: Any, by_mlx: bool, kind: str) -> None:
    """An operation that MLX refuses when it is built is MLX's; the message stays on a line."""
    process = seen.process(uncaught=uncaught(seen, by_mlx))
    found = crash_of(seen.ran(process, exit_code=1), [], "run.py")
    assert found is not None
    assert (found.kind, found.file, found.line) == (kind, "/app/run.py", 44)
    assert "KeyError at run.py:44: 'left over'" in found.says
    assert ("No call of MLX raised that." in found.says) is not by_mlx


def test_an_exception_that_a_recorded_call_raised_is_told_from_that(seen: Any) -> None:
    """The record knows the call and how often."""
    error = seen.error(31, "no stream", type="KeyError")
    process = seen.process(errors=(error,), uncaught=uncaught(seen, True, "no stream"))
    found = crash_of(seen.ran(process, exit_code=1), [], "run.py")
    assert found is not None
    assert (found.kind, found.line) == ("mlx-error", 31)


def test_another_exception_than_what_was_found_is_told_beside_it(seen: Any) -> None:
    """A thread broke, and the program went on and fell over something else."""
    broken = seen.finding("PL302", "error", says="Thread worker evaluated a lazy array: There is no Stream (1 time).")
    for line, message, beside in ((44, "boo.", True), (12, "boo.", False), (44, "There is\nno Stream.", False)):
        error = RawUncaught("RuntimeError", message, seen.place(line), by_mlx=False)
        found = crash_of(seen.ran(seen.process(uncaught=error), exit_code=1), [broken], "run.py")
        assert found is not None
        assert found.code == "PL302"
        assert found.says.endswith(" The program itself ended with RuntimeError at run.py:44: boo.") == beside


def test_a_program_that_ended_well_did_not_break(seen: Any) -> None:
    """An exception may have been printed and left behind."""
    assert crash_of(seen.ran(seen.process(uncaught=uncaught(seen, False))), [], "run.py") is None
