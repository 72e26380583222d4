"""A process is traced from a moment on, and its record is there however it goes on."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from weakref import ref

import mlx.core as mx
import pytest

from placement_cli.diagnose.program.records import read_records
from placement_cli.tracing import session as module
from placement_cli.tracing.raw import RawProcess
from placement_cli.tracing.session import Session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A session that writes into a folder, with its hooks on."""
    session = Session(tmp_path)
    session.start()
    yield session
    session.stop()


def records(folder: Path) -> tuple[RawProcess, ...]:
    """Return what was written."""
    return read_records(folder, os.getpid()).processes


def test_the_end_writes_the_record(session: Session, tmp_path: Path) -> None:
    """Once: what comes after belongs to the end of the process."""
    mx.eval(mx.zeros(2) + 1)
    session.end()
    mx.eval(mx.zeros(2) + 1)
    session.end()
    (process,) = records(tmp_path)
    assert (process.pid, process.ended, process.points[0].count) == (os.getpid(), True, 1)
    assert process.cost.call_s > 0


def test_a_process_that_does_not_end_is_recorded_on(session: Session, tmp_path: Path) -> None:
    """As when the program it was to become is not there."""
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            os.execv(tmp_path / "absent", ["absent"])
        mx.eval(mx.zeros(2) + 1)
    session.end()
    (process,) = records(tmp_path)
    assert sum(point.count for point in process.points) == 2


def test_a_child_process_has_a_record_of_its_own(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under its own number; what the parent did is not in it."""
    mx.eval(mx.zeros(2) + 1)
    parent = os.getpid()
    # No thread of the parent is there after a real fork.
    session.sampler.stop()
    session.sampler._running = True
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    session._forked()
    mx.eval(mx.ones(2) + 1, mx.ones(2) + 2)
    session.end()
    (process,) = (each for each in records(tmp_path) if each.pid != parent)
    assert (process.pid, [point.arrays for point in process.points]) == (parent + 1, [2])


def test_a_folder_that_is_gone_is_told_and_no_error(session: Session, tmp_path: Path) -> None:
    """The program may have removed it."""
    mx.eval(mx.zeros(2) + 1)
    session._folder = tmp_path / "gone"
    session.end()
    assert any("could not be written" in sentence for sentence in session.recorder.unseen)


def test_hooks_that_cannot_be_put_on_are_told_and_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Importing MLX works, with whatever build of it."""

    def fail(*_: Any) -> None:
        raise AttributeError("no such thing in this build")

    monkeypatch.setattr(module, "hook_numpy", fail)
    session = Session(None)
    session.start()
    mx.eval(mx.zeros(2) + 1)
    process = session.stop()
    assert [point.count for point in process.points] == [1]
    assert any("no such thing in this build" in sentence for sentence in process.unseen)


def test_nothing_is_written_of_a_process_without_mlx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no part of what is asked about."""
    session = Session(tmp_path)
    session.end()
    assert records(tmp_path) == ()


def test_a_session_that_is_over_is_forgotten() -> None:
    """With all that it recorded, though it wanted to know of forks."""
    session = Session(None)
    session.start()
    mx.eval(mx.zeros(2) + 1)
    session.stop()
    over = ref(session)
    del session
    gc.collect()
    assert over() is None
