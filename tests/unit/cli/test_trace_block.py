"""`with placement.trace():` tells of a block when it ends, and keeps out of its way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from placement_cli.cli import trace_block
from placement_cli.cli.trace_block import trace
from placement_cli.errors import UsageError
from placement_cli.tracing.block import Traced
from placement_cli.tracing.raw import RawCost, RawProcess

PROCESS = RawProcess(
    pid=7,
    parent=1,
    argv=("train.py",),
    started_s=1.0,
    duration_s=2.0,
    ended=True,
    python="3.12.1",
    mlx="0.32.4",
    device="Device(cpu, 0)",
    backend="cpu",
    variables={},
    cost=RawCost(0.0, 0.0, 0, 0, 0.0, 0.0),
)


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block leaves the same record."""

    @contextmanager
    def tracing() -> Iterator[Traced]:
        traced = Traced()
        try:
            yield traced
        finally:
            traced.process = PROCESS

    monkeypatch.setattr(trace_block, "tracing", tracing)


def test_a_block_is_told_on_stderr_and_in_its_document(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """As a part of a program, which has no exit code yet; the file holds the same."""
    with trace(tmp_path / "out" / "t.json") as block:
        assert block.document is None
    assert block.document is not None
    assert json.loads((tmp_path / "out" / "t.json").read_bytes())["verdict"] == block.document.verdict
    told = capsys.readouterr()
    assert block.document.verdict in told.err
    assert "a part of " in told.err
    assert "exit 0" not in told.err
    assert told.out == ""


def test_an_exception_of_the_block_goes_on_and_the_trace_is_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Quiet, nothing is printed."""
    with pytest.raises(ZeroDivisionError), trace(tmp_path / "t.json", quiet=True):
        raise ZeroDivisionError
    assert (tmp_path / "t.json").exists()
    assert capsys.readouterr().err == ""


def test_a_file_that_cannot_be_written_is_told_before_the_block_begins() -> None:
    """So that the block's own exceptions are not hidden behind it."""
    with pytest.raises(UsageError, match="cannot be written"), trace("/dev/null/t.json"):
        pytest.fail("the block ran")


def test_the_document_outlives_a_report_that_cannot_be_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is written first."""

    def full(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(trace_block, "print_trace", full)
    with pytest.raises(OSError, match="No space"), trace(tmp_path / "t.json"):
        pass
    assert (tmp_path / "t.json").exists()
