"""Where runs are kept, and which one to go on with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.store.journal import Journal
from placement_cli.store.runs import document_path, journal_path, new_run_id, newest_unfinished


def run(folder: Path, run_id: str, *kinds: str) -> Path:
    """Write the journal of a run with records of these kinds."""
    path = journal_path(folder, run_id)
    with Journal.create(path, {}) as journal:
        for kind in kinds:
            journal.append({"kind": kind})
    return path


def test_names_say_when_and_what() -> None:
    """A run of one scenario carries its name, one of several their number; names sort by time."""
    assert re.fullmatch(r"\d{8}T\d{6}-live-[0-9a-f]{4}", new_run_id(["live"]))
    assert re.fullmatch(r"\d{8}T\d{6}-2-scenarios-[0-9a-f]{4}", new_run_id(["live", "fan-out"]))


def test_runs_of_one_second_have_different_names() -> None:
    """The last letters are random."""
    assert len({new_run_id(["live"])[-4:] for _ in range(50)}) > 1


def test_journal_and_document_stand_side_by_side() -> None:
    """Both are named by the run."""
    assert journal_path(Path("results"), "r") == Path("results/r.jsonl")
    assert document_path(Path("results"), "r") == Path("results/r.json")


def test_the_newest_unfinished_run_is_found(tmp_path: Path) -> None:
    """Finished runs are passed over, newer ones included; a stopped run is not finished."""
    run(tmp_path, "20200101T000000-a", "block")
    wanted = run(tmp_path, "20200102T000000-b", "block", "stopped")
    run(tmp_path, "20200103T000000-c", "block", "finished")
    assert newest_unfinished(tmp_path) == wanted


def test_a_run_that_was_killed_while_it_wrote_is_found(tmp_path: Path) -> None:
    """A torn last record is no reason to look elsewhere."""
    path = run(tmp_path, "20200101T000000-a", "block")
    path.write_bytes(path.read_bytes() + b'{"kind": "fini')
    assert newest_unfinished(tmp_path) == path


def test_a_run_that_had_only_begun_is_found(tmp_path: Path) -> None:
    """Its header says all that is needed to go on."""
    path = run(tmp_path, "20200101T000000-a")
    assert newest_unfinished(tmp_path) == path


@pytest.mark.parametrize("content", [b"", b'{"kind": "hea', b'{"row": 1}\n', b"text\n"])
def test_files_that_are_no_journals_are_passed_over(tmp_path: Path, content: bytes) -> None:
    """A run killed before its first record, or any other file of that kind, does not stand in the way."""
    wanted = run(tmp_path, "20200101T000000-a", "block")
    (tmp_path / "20200102T000000-b.jsonl").write_bytes(content)
    assert newest_unfinished(tmp_path) == wanted


def test_a_damaged_newest_run_is_told(tmp_path: Path) -> None:
    """An older run is not resumed in its place without a word."""
    run(tmp_path, "20200101T000000-a", "block")
    newest = run(tmp_path, "20200102T000000-b", "block")
    newest.write_bytes(newest.read_bytes() + b"damage\n")
    with pytest.raises(UnreadableInput, match=r"b\.jsonl:3"):
        newest_unfinished(tmp_path)


def test_nothing_to_go_on_with_is_told(tmp_path: Path) -> None:
    """Neither in a folder of finished runs, nor in an empty or missing one."""
    run(tmp_path / "done", "20200101T000000-a", "finished")
    for folder in (tmp_path, tmp_path / "done", tmp_path / "missing"):
        with pytest.raises(UsageError, match="There is no unfinished run"):
            newest_unfinished(folder)
