"""The record is plain JSON, written so that a reader finds the old one or the new one."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import mlx.core as mx
import pytest

from placement_cli.diagnose.program.records import read_records
from placement_cli.tracing.block import tracing
from placement_cli.tracing.raw import RawProcess
from placement_cli.tracing.recorder import Recorder
from placement_cli.tracing.sampler import Sampler
from placement_cli.tracing.writing import plain, process_of, text_of, write


@pytest.fixture(scope="module")
def process() -> RawProcess:
    """The record of a program that does a little of everything."""
    kept = []
    with tracing() as block:
        for number in range(40):
            array = mx.compile(mx.abs)(mx.ones(number) * 2)
            mx.eval(array, [])
            kept.append(array)
        with pytest.raises(ValueError, match="array"):
            array.item()
    assert block.process is not None
    return block.process


def test_a_record_is_what_its_fields_are(process: RawProcess) -> None:
    """As dataclasses tell, in less time."""
    assert plain(process) == json.loads(json.dumps(dataclasses.asdict(process)))


def test_what_is_written_is_read_again(process: RawProcess, tmp_path: Path) -> None:
    """By the reader of records, without loss."""
    write(tmp_path / "1-1.json", text_of(process))
    assert read_records(tmp_path, 1).processes == (process,)


def test_nothing_else_stays_in_the_folder(tmp_path: Path) -> None:
    """A second record takes the place of the first."""
    for text in ("{}", "[]"):
        write(tmp_path / "1-1.json", text)
    assert [(each.name, each.read_text(encoding="utf-8")) for each in tmp_path.iterdir()] == [("1-1.json", "[]")]


def test_a_record_knows_its_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions, device, and the variables that alter MLX, none else."""
    monkeypatch.setenv("MLX_BFS_MAX_WIDTH", "7")
    monkeypatch.setenv("SECRET", "word")
    recorder = Recorder()
    recorder.found_mlx(mx)
    written = process_of(recorder, Sampler(recorder, lambda: None), 5.0, lambda: (1e-6, 2e-7), ended=False)
    assert (written.started_s, written.ended, written.mlx) == (5.0, False, mx.__version__)
    assert (written.device, written.backend) == (str(mx.default_device()), "cpu")
    assert written.variables["MLX_BFS_MAX_WIDTH"] == "7"
    assert "SECRET" not in written.variables
    assert (written.cost.call_s, written.cost.op_s, written.cost.calls) == (1e-6, 2e-7, 0)


def test_single_calls_are_written_at_the_end_only(process: RawProcess) -> None:
    """They are most of a record, and writing takes time from the program."""
    recorder = Recorder()
    recorder.found_mlx(mx)
    recorder.called(
        recorder.local.state,
        recorder.point(recorder.local.state, "eval", "mx.eval", sys._getframe()),
        recorder.origin,
        recorder.origin + 1,
        (),
        sys._getframe(),
    )
    sampler = Sampler(recorder, lambda: None)
    running = process_of(recorder, sampler, 0.0, lambda: (0.0, 0.0), ended=False)
    ended = process_of(recorder, sampler, 0.0, lambda: (0.0, 0.0), ended=True)
    assert (running.events, running.events_dropped, running.points[0].count) == ((), 1, 1)
    assert (len(ended.events), ended.events_dropped) == (1, 0)


def test_a_process_without_mlx_is_a_record_too() -> None:
    """With no version, no device, and nothing recorded."""
    recorder = Recorder()
    written = process_of(recorder, Sampler(recorder, lambda: None), 0.0, lambda: (0.0, 0.0), ended=True)
    assert (written.mlx, written.device, written.backend, written.points, written.live) == ("", "", "", (), None)
