"""What a run leaves behind: its journal, its document and the files asked for, and never harm to what was there."""

from __future__ import annotations

import csv
import io
import json
import signal
import sys
from pathlib import Path

from placement_cli.store.files import load_run

UNWRITABLE = "/System" if sys.platform == "darwin" else "/sys"
"""A folder that nobody can write into, not even the administrator."""


def test_a_run_leaves_a_journal_and_a_document_of_its_name(whole_run) -> None:
    """Both carry the id of the run, which names when it began and what it measured."""
    (journal,), (document,) = whole_run.placement.journals(), whole_run.placement.documents()
    assert journal.stem == document.stem == whole_run.document["run"]["id"]
    assert "-pair-" in journal.stem
    assert sorted(path.name for path in journal.parent.iterdir()) == [document.name, journal.name]


def test_every_block_of_the_journal_is_in_the_document(whole_run, read) -> None:
    """Raw samples are kept bit for bit, so that each number can be computed again."""
    blocks = [record for record in whole_run.records if record["kind"] == "block"]
    assert len(blocks) == 6
    read.check_blocks(blocks, whole_run.document)


def test_the_program_reads_its_own_documents(whole_run) -> None:
    """What one command writes another will read."""
    (path,) = whole_run.placement.documents()
    assert json.loads(load_run(path).to_json()) == whole_run.document


def test_a_run_is_written_in_every_format_asked_for(whole_run) -> None:
    """The ending chooses the format, folders are made as needed, and each file holds the same run."""
    folder, document = whole_run.placement.folder, whole_run.document
    assert json.loads((folder / "run.json").read_bytes()) == document
    rows = list(csv.DictReader(io.StringIO((folder / "run.csv").read_text())))
    samples = [sample for block in document["cases"][0]["blocks"] for sample in block["samples"]]
    assert [float(row["complete_s"]) for row in rows] == [sample["complete_s"] for sample in samples]
    assert {row["param.chunk"] for row in rows} == {"8x8"}
    page = (folder / "deep/er/run.md").read_text()
    assert "## pair" in page
    assert all(f"- {each['text'][:20]}" in page for each in document["says"])


def test_a_further_run_leaves_the_results_of_others_as_they_are(placement, unfinished) -> None:
    """Results are never overwritten: a run has a name of its own, also beside an unfinished one."""
    before = unfinished.read_bytes()
    done = placement("bench", "solo.yaml", "-q", "--time-budget", "1ms")
    assert done.returncode == 0
    assert unfinished.read_bytes() == before
    assert len(placement.journals()) == 2
    assert len(placement.documents()) == 1


def test_results_may_lie_anywhere(placement) -> None:
    """Spaces, other scripts and what a shell or Rich would interpret are letters of a name."""
    out = "mit Leerzeichen/日本/'quoted' $HOME [b]"
    done = placement("bench", "solo.yaml", "--time-budget", "1ms", "--out", out)
    assert done.returncode == 0
    (kept,) = placement.documents(out)
    assert f"kept in {out}/{kept.name}" in done.stderr


def test_a_folder_that_cannot_be_written_is_refused(placement) -> None:
    """One sentence names the file and the system's reason."""
    out = f"{UNWRITABLE}/placement"
    done = placement("bench", "solo.yaml", "--out", out)
    assert done.returncode == 2
    assert done.stderr.startswith(f"placement: {out}/")
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_output_that_cannot_be_written_costs_nothing_that_was_measured(placement) -> None:
    """The result is printed and kept before the file is missed."""
    target = f"{UNWRITABLE}/placement/run.json"
    done = placement("bench", "solo.yaml", "--time-budget", "1ms", "--json", "-o", target)
    assert done.returncode == 2
    assert f"placement: {target}: cannot be written" in done.stderr
    (kept,) = placement.documents()
    assert json.loads(done.stdout) == json.loads(kept.read_bytes())


def test_a_full_disk_ends_a_run_with_one_sentence_and_loses_no_block(placement, read) -> None:
    """What does not fit any more is told; what was written before is whole and can be gone on with."""
    done = placement.shell("ulimit -f 40; placement bench solo.yaml -q")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    (journal,) = placement.journals()
    assert read.blocks(journal)
    assert read.records(journal)[-1]["kind"] != "finished"
    assert placement.documents() == []


def test_two_runs_in_one_folder_do_not_disturb_each_other(running, placement, read) -> None:
    """While one run holds its journal another one begins and ends; going on with the first is refused till then."""
    first = running("solo.yaml", "-q")
    first.process.send_signal(signal.SIGSTOP)
    try:
        refused = placement("bench", "--resume")
        second = placement("bench", "solo.yaml", "-q", "--time-budget", "1ms")
    finally:
        first.process.send_signal(signal.SIGCONT)
    assert refused.returncode == 2
    assert "is being written by another placement" in refused.stderr
    assert second.returncode == 0
    first.process.communicate()
    assert first.process.returncode == 0
    assert len(placement.journals()) == 2
    for path in placement.documents():
        document = load_run(path)
        assert document.run.id == path.stem
        kept = sum(len(case.blocks) for case in document.cases)
        assert kept == len(read.blocks(path.with_suffix(".jsonl")))


def test_a_document_is_written_beside_its_journal_whatever_the_journal_says(placement, unfinished) -> None:
    """A record from elsewhere cannot choose where files are written."""
    content = unfinished.read_bytes().replace(unfinished.stem.encode(), b"../../elsewhere")
    unfinished.write_bytes(content)
    assert placement("bench", "--resume", "-q").returncode == 0
    assert placement.documents() == [unfinished.with_suffix(".json")]
    assert not list(Path(placement.folder).parent.glob("elsewhere*"))
