"""From what was recorded to a document: the sentence first, points ranked, and nothing that JSON cannot hold."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest

from placement_cli.diagnose.finding import Finding
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.trace_document import trace_document
from placement_cli.diagnose.trace_verdict import verdict_of
from placement_cli.store.schema_files import FOLDER
from placement_cli.store.trace_document import TraceDocument
from placement_cli.tracing.raw import (
    KeptSample,
    LazySample,
    Place,
    RawBuild,
    RawCompiled,
    RawCost,
    RawError,
    RawEvent,
    RawInterval,
    RawKept,
    RawLazy,
    RawLive,
    RawMemory,
    RawMiss,
    RawPoint,
    RawProcess,
)

HERE = Place("/home/x/train.py", 12, "loss", "mlx.optimizers")
FREE = RawCost(0.0, 0.0, 0, 0, 0.0, 0.0)


def point(kind: str = "eval", blocked_s: float = 0.5, line: int = 12, **other: Any) -> RawPoint:
    """A point with two calls."""
    facts = {"call": f"mx.{kind}", "thread": "MainThread", "stream": "s", "count": 2, "first_s": 0.3, "arrays": 1}
    facts |= {"longest_s": 0.3, "durations_s": (0.3, 0.1, 0.2), "bytes": 8, "first_at_s": 0.0, "last_at_s": 1.0}
    return RawPoint(kind=kind, place=replace(HERE, line=line), blocked_s=blocked_s, **(facts | other))


def process(*points: RawPoint, **other: Any) -> RawProcess:
    """A process with MLX that lasted two seconds."""
    facts: dict[str, Any] = {"pid": 7, "parent": 1, "argv": ("train.py",), "started_s": 1.0, "duration_s": 2.0}
    facts |= {"ended": True, "python": "3.12.1", "mlx": "0.32.4", "device": "Device(cpu, 0)", "backend": "cpu"}
    facts |= {"variables": {}, "cost": FREE, "points": points}
    return RawProcess(**(facts | other))


def ran(*processes: RawProcess, **other: Any) -> Ran:
    """A program that ran well."""
    facts = {"argv": ("train.py", "--fast"), "exit_code": 0, "signal": None, "wall_s": 2.5, "processes": processes}
    return Ran(**(facts | other))


def finding(severity: Any, code: str = "PL203", **other: Any) -> Finding:
    """A finding in train.py."""
    facts = {"file": "/home/x/train.py", "line": 3, "node": None, "says": "It waits.", "fix": "Do not."}
    facts |= {"next_check": "placement diagnose", "evidence": {}}
    return Finding(code=code, severity=severity, **(facts | other))


FULL = process(
    point("item", 0.2, checked_calls=2, pending_calls=1, empty_calls=1, failed=1),
    point("eval", 0.9, line=30),
    cost=RawCost(2e-6, 1e-7, 1000, 20_000, 0.006, 0.010),
    builds=(RawBuild(HERE, "MainThread", 5, False, ("add",)), RawBuild(HERE, "MainThread", 9, True)),
    intervals=(RawInterval(HERE, 14, "perf_counter", "MainThread", 2, 0.1, 3, 1, 0, 1, 0, 0.2, HERE, (13,), 2, 1, 9),),
    lazy=(RawLazy("mean", HERE, None, (LazySample(0.1, 1, 4), LazySample(0.2, 2, 8))),),
    kept=(RawKept("outputs", HERE, "list", True, (KeptSample(0.1, 1, 2, 64),)),),
    misses=(RawMiss(HERE, "MainThread", "a", "b", 1, 0.1, 0.2, HERE),),
    errors=(RawError("eval", HERE, "worker", "RuntimeError", "There is no Stream", 1, 0.5),),
    compiled=(RawCompiled("step", HERE, 10, 3),),
    memory=(RawMemory(1.0, 10, 20, 30, 40, 5),),
    events=(RawEvent(0.1, 0.1, 0),),
    events_dropped=1234,
    live=RawLive(1, 2, 3, 4, 5),
    unseen=("from mlx.core import eval",),
    variables={"MLX_BFS_MAX_WIDTH": "5"},
)


def test_everything_that_was_recorded_stands_in_the_document() -> None:
    """It fits the schema that ships, and is read back as it was."""
    document = trace_document(ran(FULL, replace(FULL, pid=8)), [finding("error")], "1.2.3")
    plain = json.loads(document.to_json())
    schema = json.loads((FOLDER / "trace-1.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(plain, schema)
    assert TraceDocument.model_validate(plain) == document
    assert plain["tool"] == {"name": "placement", "version": "1.2.3"}
    assert plain["program"] == {"argv": ["train.py", "--fast"], "exit": 0, "signal": None, "duration_s": 2.5}
    assert plain["build"]["variables"] == {"MLX_BFS_MAX_WIDTH": "5"}
    lists = ("builds", "intervals", "lazy", "kept", "misses", "errors", "compiled", "memory")
    assert [[each["process"] for each in plain[name]] for name in lists] == [[0, 1, 0, 1], *[[0, 1]] * 7]
    assert plain["intervals"][0]["then"]["through"] == "mlx.optimizers"
    assert plain["unseen"] == ["from mlx.core import eval"]


def test_hidden_synchronizations_stand_first_then_what_blocked_most() -> None:
    """A read of a value that was there already hides nothing, and `eval` says what it does."""
    there = point("bool", 0.7, line=20, checked_calls=2)
    document = trace_document(ran(process(*FULL.points, there)), [], "1")
    assert [(each.kind, each.hidden) for each in document.points] == [("item", True), ("eval", False), ("bool", False)]
    first = document.points[0]
    assert (first.file, first.line, first.function, first.through) == ("/home/x/train.py", 12, "loss", "mlx.optimizers")
    assert (first.median_s, first.first_s, first.failed, first.empty_calls) == (0.2, 0.3, 1, 1)


def test_overhead_is_that_of_all_processes_with_mlx() -> None:
    """A process without it costs nothing that counts; without any the share is not known."""
    other = replace(FULL, cost=RawCost(4e-6, 3e-7, 1000, 20_000, 0.0, 0.0))
    found = trace_document(ran(process(mlx=""), FULL, other), [], "1").overhead
    assert (found.calls, found.ops) == (2000, 40_000)
    assert found.per_call_s == pytest.approx(3e-6)
    assert found.per_op_s == pytest.approx(2e-7)
    assert found.share == pytest.approx((0.002 + 0.002 + 0.016 + 0.004 + 0.006) / 4)
    assert trace_document(ran(), [], "1").overhead.share is None


def test_what_a_killed_process_could_not_measure_is_not_taken_for_nothing() -> None:
    """It has the mean of the others; where no process came to its end the share is not known."""
    killed = replace(FULL, ended=False, cost=replace(FULL.cost, call_s=0.0, op_s=0.0))
    both, alone = (trace_document(ran(*each), [], "1").overhead for each in ((FULL, killed), (killed,)))
    assert (both.per_call_s, both.per_op_s) == (pytest.approx(2e-6), pytest.approx(1e-7))
    assert both.share == pytest.approx(2 * (0.002 + 0.002 + 0.016) / 4)
    assert (alone.share, alone.calls, alone.looks_s) == (None, 1000, 0.006)


def test_numbers_of_evidence_that_are_not_finite_are_null() -> None:
    """With the reason beside them."""
    told = finding("note", evidence={"growth_bytes": float("inf"), "calls": 3.0, "kind": "x", "then": None})
    (found,) = trace_document(ran(), [told], "1").findings
    assert found.evidence == {
        "growth_bytes": None,
        "growth_bytes_reason": "not finite",
        "calls": 3.0,
        "kind": "x",
        "then": None,
    }


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"exit_code": 0}, "ok"),
        ({"exit_code": 1}, "program"),
        ({"exit_code": 137, "signal": 9}, "program"),
        ({"exit_code": 124}, "program"),
        ({"exit_code": 124, "timed_out": True}, "time-limit"),
    ],
)
def test_an_exit_code_of_the_program_has_no_meaning_of_ours(other: dict[str, Any], name: str) -> None:
    """1 is no regression; only a time limit is ours."""
    assert trace_document(ran(**other), [], "1").exit.name == name


def test_what_makes_a_trace_incomplete_is_told() -> None:
    """Processes that were killed, calls that the timeline has no room for, records that could not be read."""
    killed = replace(FULL, ended=False)
    found = trace_document(ran(killed, timed_out=True, passed_over=("The record was torn.",)), [], "1").diagnostics
    assert [(each.level, each.code) for each in found] == [
        ("warning", "time-limit"),
        ("warning", "record-unfinished"),
        ("info", "events-dropped"),
        ("warning", "record-passed-over"),
    ]
    assert found[1].text == "Process 7 was killed, or outlived the program: what is told covers its first 2.00 s."
    assert found[2].text == (
        "The timeline holds no calls of a process without an orderly end. Counts and times are of all calls."
    )


def test_what_is_missing_of_many_processes_is_one_sentence() -> None:
    """A pool of workers that was ended does not fill the screen."""
    pool = [process(pid=pid, ended=False, duration_s=pid / 10) for pid in range(1, 9)]
    (cut,) = trace_document(ran(*pool), [], "1").diagnostics
    assert cut.text == (
        "8 processes were killed, or outlived the program; what is told of them ends with their last record: "
        "1 after 100 ms, 2 after 200 ms, 3 after 300 ms and 5 more."
    )
    (dropped,) = trace_document(ran(FULL, replace(FULL, pid=8)), [], "1").diagnostics
    assert dropped.text == (
        "The timeline holds the first calls of each of 2 processes, 2 in all, without the 2,468 after them. "
        "Counts and times are of all calls."
    )
    (one,) = trace_document(ran(FULL), [], "1").diagnostics
    assert one.text.startswith("The timeline holds the first calls of process 7, 1 in all, without the 1,234 after")


def test_text_that_utf8_cannot_hold_is_escaped() -> None:
    """An argument may be any bytes."""
    plain = json.loads(trace_document(ran(argv=("\udcff.py",)), [], "1").to_json())
    assert plain["program"]["argv"] == ["\\udcff.py"]


def test_the_verdict_names_what_dominates_and_what_is_worst() -> None:
    """The share of the program's time, the point, and the worst finding that asks for something."""
    told = [finding("note", "PL405"), finding("warning", "PL204", file=None), finding("error", "PL302")]
    assert verdict_of(ran(FULL), told) == (
        "The program waited for MLX 55.0 % of 2.00 s, at 2 points: 81.8 % of that at train.py:30 (eval). "
        "The worst finding is PL302 cross-thread at train.py:3."
    )
    assert verdict_of(ran(FULL), told[:2]).endswith(" The worst finding is PL204 blocking.")
    assert verdict_of(ran(process(FULL.points[0])), told[:1]) == (
        "The program waited for MLX 10.0 % of 2.00 s, at one point: train.py:12 (item, hidden)."
    )


def test_the_verdict_is_about_the_thread_that_waited_most() -> None:
    """Which is named where there are others, as is its process."""
    other = point(thread="worker", blocked_s=1.0)
    assert verdict_of(ran(process(point(), other)), []).startswith("Thread worker waited for MLX 50.0 % of 2.00 s")
    two = [process(point()), process(point(), other, pid=8)]
    assert verdict_of(ran(*two), []) == (
        "Of 3 threads in 2 processes that waited for MLX (2.00 s in all) thread worker of process 8 waited longest: "
        "50.0 % of 2.00 s, at one point: train.py:12 (eval)."
    )
    assert verdict_of(ran(process(other, pid=9), process()), []).startswith("Process 9 waited for MLX 50.0 %")
    pool = [process(point(blocked_s=pid / 10), pid=pid) for pid in range(1, 4)]
    assert verdict_of(ran(*pool), []).startswith(
        "Of 3 processes that waited for MLX (600 ms in all) process 3 waited longest: 15.0 %"
    )


def test_a_call_that_did_not_come_back_is_no_wait_of_no_time() -> None:
    """A process that was killed in it left a point without a finished call."""
    first = point(count=0, blocked_s=0.0)
    assert verdict_of(ran(process(first, ended=False)), []) == (
        "The record ends in the first call that waited for MLX, at train.py:12 (eval)."
    )
    later = process(first, point(line=30), ended=False)
    assert verdict_of(ran(later), []).endswith("at one point: train.py:30 (eval).")
    assert verdict_of(ran(process(replace(first, failed=1))), []) == "MLX was imported, and nothing waited for it."


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (ran(), "No process of this program imported MLX, as far as they were traced: nothing to record in 2.50 s."),
        (ran(process(mlx="")), "No process of this program imported MLX, as far as they were traced"),
        (ran(signal=9, exit_code=137), "Nothing was recorded: the program was ended before"),
        (ran(timed_out=True, exit_code=124), "Nothing was recorded: the program was ended before"),
        (ran(passed_over=("The record was torn.",)), "Nothing can be said"),
        (ran(process(point("async_eval"), point("memory"))), "MLX was imported, and nothing waited for it."),
    ],
)
def test_a_run_without_anything_to_see_says_so(found: Ran, told: str) -> None:
    """Nothing recorded is not the same as nothing to record."""
    assert verdict_of(found, []).startswith(told)


def test_a_moment_without_length_has_no_shares() -> None:
    """A process that was killed at once has lasted no time that one could divide by."""
    document = trace_document(ran(process(point(durations_s=(), blocked_s=0.0), duration_s=0.0)), [], "1")
    assert document.points[0].median_s == 0.3
    assert "0.0 % of 0 s" in document.verdict
