"""Ending a run early: Ctrl-C once and twice, SIGTERM, and a reader of stdout that goes away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from functools import partial

import pytest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminate"])
def test_the_first_signal_finishes_the_block_writes_and_says_how_to_go_on(running, read, gone, number) -> None:
    """The document on stdout is whole and holds every block of the journal; neither processes nor files are left."""
    run = running("solo.yaml", "--json")
    workers = run.workers()
    run.process.send_signal(number)
    out, err = run.process.communicate()
    assert run.process.returncode == 130
    assert "Stopping after this block" in err
    assert "`placement bench --resume` goes on from here." in err
    assert "Traceback" not in err
    document = json.loads(out)
    assert document["exit"] == {"code": 130, "name": "interrupted"}
    assert not document["run"]["complete"]
    assert sum(len(case["blocks"]) for case in document["cases"]) == len(read.blocks(run.journal))
    assert read.json(run.journal.with_suffix(".json")) == document
    assert read.records(run.journal)[-1]["kind"] == "stopped"
    gone(workers)
    assert list((run.placement.folder / "scratch").iterdir()) == []


def test_an_interrupted_run_of_many_scenarios_begins_no_further_one(running, read) -> None:
    """Only the block in hand is finished: the scenarios that had not begun have no block."""
    run = running("solo.yaml", "pair.yaml", "--json")
    run.process.send_signal(signal.SIGINT)
    out, _ = run.process.communicate()
    assert run.process.returncode == 130
    blocks = {case["scenario"]: case["blocks"] for case in json.loads(out)["cases"]}
    assert blocks["pair"] == []


def test_an_interrupted_run_goes_on_in_another_folder_of_results(placement, read, wait_until) -> None:
    """The command that the message names is the one that goes on, also when results are kept elsewhere."""
    first = placement.start("bench", "solo.yaml", "--out", "my results")
    journals = partial(placement.journals, "my results")
    wait_until(lambda: journals() and read.blocks(journals()[0]))
    first.send_signal(signal.SIGINT)
    _, err = first.communicate()
    assert "`placement bench --resume --out 'my results'` goes on from here." in err
    blocks = read.blocks(journals()[0])
    done = placement("bench", "--resume", "--out", "my results", "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert (document["run"]["complete"], document["run"]["resumed"]) == (True, 1)
    assert read.blocks(journals()[0])[: len(blocks)] == blocks


def test_the_second_signal_ends_the_run_at_once(running, read, gone) -> None:
    """No document is written, neither processes nor files are left, and the journal can be gone on with."""
    run = running("solo.yaml")
    workers = run.workers()
    for worker in workers:
        # A stopped worker cannot finish its block, so that the second signal surely comes before the end.
        worker.suspend()
    run.process.send_signal(signal.SIGINT)
    assert any("Ctrl-C again ends at once" in line for line in iter(run.process.stderr.readline, ""))
    run.process.send_signal(signal.SIGINT)
    for worker in workers:
        worker.resume()
    out, err = run.process.communicate()
    assert run.process.returncode == 130
    assert out == ""
    assert err == "placement: ended at once. `placement bench --resume` goes on from here.\n"
    assert not run.journal.with_suffix(".json").exists()
    gone(workers)
    assert list((run.placement.folder / "scratch").iterdir()) == []
    blocks = read.blocks(run.journal)
    done = run.placement("bench", "--resume", "-q")
    assert done.returncode == 0
    assert read.blocks(run.journal)[: len(blocks)] == blocks


PRINTERS = {
    "version": ["--version"],
    "help": ["bench", "--help"],
    "scenarios": ["bench", "--list"],
    "operators": ["operators", "--json"],
}


def run_without_reader(placement, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command whose stdout is a pipe that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    process = placement.start(*arguments, stdout=writer)
    os.close(writer)
    _, err = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, "", err)


@pytest.mark.parametrize("arguments", PRINTERS.values(), ids=PRINTERS.keys())
def test_a_reader_that_goes_away_is_no_error(placement, arguments: list[str]) -> None:
    """`placement bench --list | head -1` ends quietly, and never with 1, which means a regression."""
    done = run_without_reader(placement, *arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_run_nobody_reads_is_kept_all_the_same(placement, read) -> None:
    """The results and the files asked for are written before and after stdout breaks."""
    done = run_without_reader(placement, "bench", "solo.yaml", "--time-budget", "1ms", "--json", "-o", "run.json")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    (kept,) = placement.documents()
    assert read.json(kept) == read.json(placement.folder / "run.json")


def test_the_first_line_of_a_list_can_be_taken(placement) -> None:
    """In a real pipeline of the shell no traceback is shown."""
    done = placement.shell("placement bench --list | head -n 1")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
