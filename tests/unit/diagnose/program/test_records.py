"""Records are read whatever else lies in their folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.diagnose.program import records
from placement_cli.diagnose.program.records import read_records
from placement_cli.tracing.raw import Place, RawCost, RawEvent, RawPoint, RawProcess, RawStep

POINT = RawPoint(
    kind="item",
    call="array.item",
    place=Place("/home/x/train.py", 12, "loss"),
    thread="MainThread",
    stream="Stream(Device(cpu, 0), 0)",
    count=2,
    blocked_s=0.5,
    first_s=0.3,
    longest_s=0.3,
    durations_s=(0.3, 0.2),
    arrays=1,
    bytes=8,
    first_at_s=0.1,
    last_at_s=0.6,
)
PROCESS = RawProcess(
    pid=7,
    parent=1,
    argv=("train.py",),
    started_s=100.0,
    duration_s=1.0,
    ended=True,
    python="3.12.1",
    mlx="0.32.4",
    device="Device(cpu, 0)",
    backend="cpu",
    variables={"MLX_BFS_MAX_WIDTH": "5"},
    cost=RawCost(1e-6, 1e-7, 2, 30, 0.001, 0.002),
    points=(POINT,),
    steps=(RawStep(0, 0, 1, 15, 0.1),),
    events=(RawEvent(0.1, 0.3, 0), RawEvent(0.4, 0.2, 0)),
)
Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a record, or what is given instead of one."""

    def put(process: RawProcess | str | bytes | dict[str, Any], name: str = "7-1.json") -> None:
        content = asdict(process) if isinstance(process, RawProcess) else process
        text = json.dumps(content) if isinstance(content, dict) else content
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)

    return put


def test_a_record_is_read_as_it_was_written(write: Write, tmp_path: Path) -> None:
    """Keys that a later version adds are passed over."""
    write(asdict(PROCESS) | {"later": [1, {"x": None}]})
    assert read_records(tmp_path, 7) == records.Records((PROCESS,), ())


def test_the_program_itself_comes_first(write: Write, tmp_path: Path) -> None:
    """Then the others as they started; a process that became another program by exec has two records."""
    for pid, started in ((3, 101.0), (5, 99.0), (7, 104.0), (7, 103.0)):
        write(replace(PROCESS, pid=pid, started_s=started), f"{pid}-{started:.0f}.json")
    read = read_records(tmp_path, 7).processes
    assert [(each.pid, each.started_s) for each in read] == [(7, 103.0), (7, 104.0), (5, 99.0), (3, 101.0)]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "it is empty"),
        (json.dumps(asdict(PROCESS))[:-40], "it is torn or damaged"),
        ("[" * 100_000, "it is torn or damaged"),
        (b"\xff\xfe\x00", "it is torn or damaged"),
        ("[]", "it holds something else"),
        ("{}", "it holds something else"),
        ("7", "it holds something else"),
        (asdict(PROCESS) | {"duration_s": float("nan")}, "it is torn or damaged"),
        (asdict(PROCESS) | {"duration_s": float("inf")}, "it is torn or damaged"),
        (asdict(PROCESS) | {"pid": 10**400}, "it is torn or damaged"),
        (asdict(PROCESS) | {"points": None}, "it holds something else"),
        (asdict(PROCESS) | {"points": []}, "it refers to points that it does not hold"),
        (asdict(replace(PROCESS, events=(RawEvent(0.0, 0.0, -1),))), "it refers to points that it does not hold"),
    ],
)
def test_what_is_no_record_is_passed_over(write: Write, tmp_path: Path, content: Any, told: str) -> None:
    """With a sentence that names the file; the others are read all the same."""
    write(PROCESS)
    write(content, "8-2.json")
    read = read_records(tmp_path, 7)
    assert read.processes == (PROCESS,)
    assert read.passed_over == (f"The record 8-2.json was passed over: {told}.",)


def test_what_is_no_file_is_not_opened(write: Write, tmp_path: Path) -> None:
    """Opening a pipe would wait for ever, and a link leads out of the folder."""
    write(PROCESS, "elsewhere")
    os.mkfifo(tmp_path / "1-1.json")
    (tmp_path / "2-2.json").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "3-3.json").mkdir()
    write("{", "7-9.part")
    read = read_records(tmp_path, 7)
    assert read.processes == ()
    assert [sentence.partition(": ")[2] for sentence in read.passed_over] == [
        "it is no file.",
        "it is no file.",
        "it is no file.",
        "its name is not that of a record.",
    ]


def test_a_record_without_end_is_not_read(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Larger ones than any trace are refused before they are parsed."""
    monkeypatch.setattr(records, "MOST_BYTES", 1 << 10)
    write(PROCESS)
    assert "is larger than" in read_records(tmp_path, 7).passed_over[0]


def test_a_folder_that_the_program_removed_holds_nothing(tmp_path: Path) -> None:
    """Which is no error of the one who traces."""
    assert read_records(tmp_path / "gone", 7) == records.Records((), ())


def test_names_that_are_no_text_are_kept(write: Write, tmp_path: Path) -> None:
    """Bytes of a path that are no UTF-8 are escaped, since no document can hold them."""
    write(replace(PROCESS, argv=("\udcff.py",)))
    (read,) = read_records(tmp_path, 7).processes
    assert read.argv == ("\\udcff.py",)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(list(asdict(PROCESS))), inner),
        max_leaves=10,
    )
)
@settings(deadline=None, max_examples=60)
def test_nothing_in_a_record_raises(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    """Whatever stands in place of a field, there is a process or a sentence."""
    folder = tmp_path_factory.mktemp("records")
    content = asdict(PROCESS) | value if isinstance(value, dict) else value
    (folder / "7-1.json").write_text(json.dumps(content), encoding="utf-8")
    read = read_records(folder, 7)
    assert len(read.processes) + len(read.passed_over) == 1
