"""A process that is traced from its start leaves its record at its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from placement_cli.diagnose.program.records import read_records

Interpret = Callable[..., Any]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("", 0),
        ("import sys; sys.exit(3)", 3),
        ("raise LookupError('here')", 1),
        ("import os; os._exit(4)", 4),
        ("import atexit; atexit.register(lambda: mx.eval(mx.ones(2)))", 0),
    ],
)
def test_the_record_is_there_however_it_ends(interpret: Interpret, tmp_path: Path, source: str, code: int) -> None:
    """By its end, an exit, an exception, or without any clean-up; what runs at the exit is in it."""
    done = interpret(f"import mlx.core as mx\nmx.eval(mx.zeros(2) + 1)\n{source}\n")
    assert done.returncode == code, done.stderr
    (process,) = read_records(tmp_path / "records", 0).processes
    assert process.ended
    assert sum(point.count for point in process.points) == 1 + ("atexit" in source)


def test_a_process_without_mlx_leaves_none(interpret: Interpret, tmp_path: Path) -> None:
    """And runs as it did."""
    assert interpret("print(3)").stdout == "3\n"
    assert list((tmp_path / "records").iterdir()) == []
