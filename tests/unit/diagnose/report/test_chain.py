"""The chain from the producer to clean-up: a sentence with numbers and places a link, or that it was not seen."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.diagnose.report.chain import evaluation, producer, wait
from placement_cli.diagnose.report.chain_end import backend, chain_of, clean_up
from placement_cli.store.diagnosis_document import BuildRecord
from placement_cli.tracing.raw import RawLive, RawMiss

BUILD = BuildRecord(
    mlx="0.32.4", backend="cpu", device="cpu", variables={}, python="3.12", platform="Linux", distributions={}
)
SIDE = "Stream(Device(cpu, 0), 1)"


def test_the_producer_is_where_most_is_built(seen: Any) -> None:
    """The lines are added up over operations; the stream is that of the evaluations in the thread."""
    builds = (seen.build(3, 40, names=("tanh",)), seen.build(4, 10), seen.build(3, 30), seen.build(5, 5, thread="w"))
    told = producer(seen.process(builds=builds, points=(seen.point("eval", 9),)))
    assert told.seen
    assert told.says == (
        "85 operations built, most at run.py:3 (70: tanh and add) and run.py:4 (10: add), in 2 threads "
        "(MainThread and w), evaluated under Stream(Device(cpu, 0), 0)."
    )
    assert producer(seen.process(builds=(seen.build(3, 32, sampled=True),))).says.endswith(
        "in thread MainThread, on which stream was not seen."
    )


def test_evaluation_names_what_schedules(seen: Any) -> None:
    """A wait for what was submitted before does not; calls that got nothing or failed are told."""
    points = (
        seen.point("async_eval", 8),
        seen.point("eval", 9, pending_calls=0),
        seen.point("item", 10, count=7),
        seen.point("numpy", 11, count=3, arrays=2),
        seen.point("eval", 12, count=5, empty_calls=5, pending_calls=0, checked_calls=0),
        seen.point("eval", 13, count=0, failed=2, empty_calls=0),
    )
    told = evaluation(seen.process(points=points))
    assert told.says == (
        "Scheduled by mx.async_eval at run.py:8 (100 calls with 1 array) and array.item at run.py:10 (7 calls with "
        "1 array), and at 1 further point. mx.eval at run.py:12 received no array in 5 of 5 calls. mx.eval at "
        "run.py:13 failed in 2 calls."
    )


def test_waits_are_ranked_and_hidden_ones_marked(seen: Any) -> None:
    """With the streams that were in use, and a synchronize that missed the work."""
    points = (
        seen.point("eval", 9, blocked_s=0.2),
        seen.point("item", 10, blocked_s=0.3),
        seen.point("synchronize", 11, blocked_s=0.1, pending_calls=0),
        seen.point("async_eval", 8, blocked_s=0.9),
    )
    miss = RawMiss(seen.place(11), "MainThread", "Stream(Device(cpu, 0), 0)", SIDE, 4, 0.1, 0.2, None)
    told = wait(seen.process(points=points, misses=(miss,)))
    assert told.says == (
        "600 ms waited (60.0 % of the run): array.item at run.py:10 300 ms in 100 calls, hidden; mx.eval at run.py:9 "
        "200 ms in 100 calls, and at 1 further point. mx.synchronize at run.py:11 waited for "
        f"Stream(Device(cpu, 0), 0) while {SIDE} had work, in 4 calls. 2 streams were in use; what crosses between "
        "them is not visible from Python."
    )


def test_the_backend_is_that_of_the_program(seen: Any) -> None:
    """With the variables that alter it, and the probes' where it is another one."""
    process = seen.process(variables={"MLX_BFS_MAX_WIDTH": "5"})
    assert backend(process, BUILD).says == (
        "MLX 0.32.4 on cpu, default device Device(cpu, 0), Python 3.12.1; with MLX_BFS_MAX_WIDTH=5."
    )
    other = BUILD.model_copy(update={"mlx": "0.33.0"})
    assert backend(process, other).says.endswith("=5. The probes ran on MLX 0.33.0 on cpu.")
    assert not backend(None, BUILD).seen
    assert backend(None, BUILD).says == "Not seen of the program; this command has MLX 0.32.4 on cpu."


def test_clean_up_tells_what_was_left_and_what_held_memory(seen: Any) -> None:
    """From the end of the process and from findings."""
    live = RawLive(3, 4096, 1, 2, 64)
    findings = [
        seen.finding("PL901", node="outputs", evidence={"kept_bytes": 1 << 20}),
        seen.finding("PL102", line=20, node="mean", evidence={"ops_most": 4295}),
        seen.finding("PL203"),
    ]
    told = clean_up(seen.process(live=live, memory=seen.memory(1, 9, 2)), findings)
    assert told.says == (
        "3 arrays alive at the end, 1 of them lazy, and 2 NumPy views; 2.00 MiB active after 9.00 MiB at the highest, "
        "8.00 MiB cached. `outputs` (run.py:12) pinned 1.00 MiB. `mean` (run.py:20) pinned up to 4,295 pending "
        "operations."
    )


@pytest.mark.parametrize("link", ["producer", "evaluation", "wait", "clean-up"])
def test_a_link_that_was_not_seen_says_so(seen: Any, link: str) -> None:
    """Without a process with MLX, and in one that did nothing and was killed."""
    for process in (None, seen.process(ended=False)):
        found = {each.link: each for each in chain_of(process, [], BUILD)}
        assert list(found) == ["producer", "evaluation", "wait", "backend", "clean-up"]
        assert not found[link].seen
        assert found[link].says.startswith("Not seen. ")
