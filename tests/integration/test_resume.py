"""Runs that are killed: whatever the moment, no finished block is lost and the rest is measured later."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from placement_cli.store.files import load_run

KILLS = int(os.environ.get("PLACEMENT_KILLS", "3"))
"""How often a run is killed; before a release 30."""
SEED = int(os.environ.get("PLACEMENT_KILL_SEED", "20"))
"""Which moments are chosen."""

BLOCK_S = 0.6
"""A pause up to this after a finished block meets the run anywhere in the next one."""
START_S = 2.5
"""A pause up to this after the start meets the run anywhere from its first import to its first blocks."""

SCENARIO = f"""\
version: 1
name: killed
question: Does every finished block survive?
reading: stream
source: {{chunk: $chunk}}
axes: {{chunk: [{", ".join(f"8x{8 + number}" for number in range(3 + KILLS // 3))}]}}
arms: [async]
nodes:
  rectify: {{op: abs}}
"""
"""More cases for more kills, so that one run meets many of them."""


@dataclass
class Stretches:
    """One run, measured in stretches that are killed; `out` is its folder of results."""

    placement: object
    read: object
    out: str
    surviving: bytes = b""

    def arguments(self) -> tuple[str, ...]:
        """Return the command that begins the run, or goes on with it once its journal holds anything."""
        what = "--resume" if self.surviving else "killed.yaml"
        return ("bench", what, "--out", self.out, "-q")

    def blocks(self) -> int:
        """Count the finished blocks."""
        return sum(len(self.read.blocks(path)) for path in self.placement.journals(self.out))

    def check_journal(self) -> None:
        """Check that every whole line of earlier stretches is still there, bit for bit, and remember the new ones."""
        begun = self._begun()
        assert len(begun) <= 1
        for path in begun:
            content = path.read_bytes()
            assert content.startswith(self.surviving)
            self.surviving = content[: content.rfind(b"\n") + 1]

    def _begun(self) -> list[Path]:
        """Return the journals that hold a whole line; one of a stretch killed before that is passed over."""
        return [path for path in self.placement.journals(self.out) if b"\n" in path.read_bytes()]

    def is_over(self) -> bool:
        """Tell whether the journal says so: the run was killed after its end, for instance while it printed."""
        return any(self.read.records(path)[-1]["kind"] == "finished" for path in self._begun())

    def check_document(self) -> None:
        """Check that the document is valid and complete, with all blocks of the journal."""
        self.check_journal()
        (path,) = self.placement.documents(self.out)
        load_run(path)
        document = self.read.json(path)
        assert document["run"]["complete"]
        assert all(len(case["blocks"]) >= 6 for case in document["cases"])
        self.read.check_blocks(self.read.blocks(path.with_suffix(".jsonl")), document)


def test_a_run_killed_again_and_again_loses_no_finished_block(placement, read, wait_until, workers_of, gone) -> None:
    """After SIGKILL at random moments `--resume` ends in a valid document with every block of every stretch in it.

    No process is left behind. A run that was over before it could be killed is checked too, and another one begun.
    """
    rng = random.Random(SEED)
    placement.write("killed.yaml", SCENARIO)
    runs = [Stretches(placement, read, "run-0")]
    kills = 0
    while kills < KILLS:
        run, more = runs[-1], rng.choice((0, 1, 2, 5))
        wanted = run.blocks() + more
        process = placement.start(*run.arguments())
        wait_until(lambda run=run, wanted=wanted, process=process: run.blocks() >= wanted or process.poll() is not None)
        time.sleep(rng.uniform(0, BLOCK_S if more else START_S))
        workers = workers_of(process)
        process.kill()
        _, err = process.communicate()
        gone(workers)
        run.check_journal()
        kills += process.returncode == -signal.SIGKILL
        assert process.returncode in (0, -signal.SIGKILL), err
        if run.is_over():
            run.check_document()
            runs.append(Stretches(placement, read, f"run-{len(runs)}"))
    done = placement(*runs[-1].arguments())
    assert done.returncode == 0, done.stderr
    runs[-1].check_document()


def test_a_run_killed_before_its_document_was_written_gets_it_later(placement, read, unfinished) -> None:
    """All blocks are there and only the end is missing: nothing is measured again, and the document is written."""
    blocks = read.blocks(unfinished)
    done = placement("bench", "--resume", "--json")
    assert done.returncode == 0
    assert read.blocks(unfinished) == blocks
    document = json.loads(done.stdout)
    assert read.json(unfinished.with_suffix(".json")) == document
    assert document["run"]["resumed"] == 1
    read.check_blocks(blocks, document)


@pytest.mark.parametrize("cut", [1, 500])
def test_a_torn_last_line_is_measured_again(placement, read, unfinished, cut: int) -> None:
    """What a process was writing when it was killed counts for nothing; all before it counts."""
    blocks = read.blocks(unfinished)
    content = unfinished.read_bytes()
    unfinished.write_bytes(content[:-cut])
    done = placement("bench", "--resume", "--json")
    assert done.returncode == 0
    after = read.blocks(unfinished)
    assert after[:5] == blocks[:5]
    assert [block["index"] for block in after] == [0, 1, 2, 3, 4, 5]
    assert after[5]["pids"] != blocks[5]["pids"]
    read.check_blocks(after, json.loads(done.stdout))


def test_runs_that_are_over_are_left_alone(placement, unfinished) -> None:
    """Once a run has been gone on with to its end there is nothing more to resume."""
    assert placement("bench", "--resume", "-q").returncode == 0
    before = unfinished.read_bytes()
    done = placement("bench", "--resume", "-q")
    assert done.returncode == 2
    assert "There is no unfinished run in results" in done.stderr
    assert unfinished.read_bytes() == before


def test_files_that_hold_no_journal_are_passed_over(placement, unfinished) -> None:
    """What a run killed before its first line left, and foreign files, do not stand in the way of older runs."""
    results = unfinished.parent
    (results / "99990101T000000-killed-0000.jsonl").write_bytes(b"")
    (results / "99990101T000000-killed-0001.jsonl").write_bytes(b'{"kind":"header","sch')
    (results / "notes.jsonl").write_bytes(b'{"mine": true}\n')
    assert placement("bench", "--resume", "-q").returncode == 0
    assert placement.documents() == [unfinished.with_suffix(".json")]


def test_a_worker_that_is_killed_costs_one_block_and_not_the_run(running, read) -> None:
    """Its block is kept as crashed, takes part in no verdict, and another one is measured in its place."""
    run = running("solo.yaml", "--json")
    while not (workers := run.workers()):
        assert run.process.poll() is None
    workers[0].kill()
    out, _ = run.process.communicate()
    document = json.loads(out)
    assert run.process.returncode == document["exit"]["code"] == 0
    for case in document["cases"]:
        assert sum(block["valid"] for block in case["blocks"]) >= 6
        assert {block["kind"] for block in case["blocks"]} <= {"", "crash", "drift"}
    read.check_blocks(read.blocks(run.journal), document)
