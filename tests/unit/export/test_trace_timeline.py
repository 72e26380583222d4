"""A traced program as a timeline that viewers of the trace event format open."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.export.trace_timeline import DEVICE_TRACK, timeline_json
from placement_cli.tracing.raw import Place, RawCost, RawEvent, RawMemory, RawOp, RawPoint, RawProcess

COST = RawCost(call_s=1e-6, op_s=1e-7, calls=10, ops=100, looks_s=0.0, samples_s=0.0)
PHASES = frozenset("XbeiCM")
Trace = dict[str, Any]


def point(kind: str, line: int = 12, thread: str = "MainThread", **more: Any) -> RawPoint:
    """A point in `app.py`."""
    values: dict[str, Any] = {
        "count": 1,
        "blocked_s": 0.25,
        "first_s": 0.0,
        "longest_s": 0.0,
        "durations_s": (),
        "arrays": 1,
        "bytes": 0,
        "first_at_s": 0.0,
        "last_at_s": 0.0,
    }
    place = Place("src/app.py", line, "step")
    return RawPoint(kind, f"mx.{kind}", place, thread, "gpu:0", **{**values, **more})


def op(at_s: float, window: int = 0, thread: str = "MainThread") -> RawOp:
    """An operation."""
    return RawOp(window, at_s, 1e-6, "add", Place("src/app.py", 5, "step"), thread, 1, (), (2,), "float32", 8)


def process(points: Sequence[RawPoint] = (), events: Sequence[RawEvent] = (), **more: Any) -> RawProcess:
    """A traced process."""
    values: dict[str, Any] = {
        "pid": 7,
        "parent": 1,
        "argv": ("app.py", "--fast"),
        "started_s": 1000.0,
        "duration_s": 1.0,
        "ended": True,
        "python": "3.11",
        "mlx": "0.32.4",
        "device": "gpu",
        "backend": "metal",
        "variables": {},
        "cost": COST,
    }
    return RawProcess(**{**values, **more}, points=tuple(points), events=tuple(events))


def trace_of(*processes: RawProcess) -> Trace:
    """The timeline of processes, checked against the rules of the format."""
    trace: Trace = json.loads(timeline_json(processes, ["app.py"]), parse_constant=refuse)
    check(trace)
    return trace


def refuse(text: str) -> None:
    """Numbers that are none are no JSON."""
    raise AssertionError(text)


def check(trace: Trace) -> None:
    """Assert everything that viewers rely on."""
    assert set(trace) == {"traceEvents", "displayTimeUnit", "metadata"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    for event in trace["traceEvents"]:
        check_event(event)
    complete = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    tracks: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for event in complete:
        start = nanoseconds(event["ts"])
        tracks[event["pid"], event["tid"]].append((start, start + nanoseconds(event["dur"])))
    for spans in tracks.values():
        check_nesting(spans)
    check_names(trace, set(tracks))
    check_pairs([event for event in trace["traceEvents"] if event["ph"] in "be"])


def check_event(event: Trace) -> None:
    """Assert that one event has what its phase needs."""
    assert event["ph"] in PHASES
    assert isinstance(event["name"], str)
    assert type(event["pid"]) is int
    assert type(event["tid"]) is int
    assert event["pid"] > 0
    assert event["tid"] > 0
    assert math.isfinite(event["ts"])
    assert event["ts"] >= 0
    if event["ph"] == "X":
        assert event["dur"] >= 0
    if event["ph"] == "C":
        assert event["args"]
        assert all(type(value) in (int, float) for value in event["args"].values())
    if event["ph"] == "i":
        assert event["s"] in ("g", "p", "t")
    if event["ph"] in "Xbei":
        assert isinstance(event["cat"], str)
        assert event["cat"]


def nanoseconds(microseconds: float) -> int:
    """Times have three decimals."""
    return round(microseconds * 1000)


def check_nesting(spans: list[tuple[int, int]]) -> None:
    """Assert that spans of one track lie inside or beside one another."""
    around: list[int] = []
    for start, end in sorted(spans, key=lambda each: (each[0], -each[1])):
        while around and around[-1] <= start:
            around.pop()
        assert not around or end <= around[-1]
        around.append(end)


def check_names(trace: Trace, tracks: set[tuple[int, int]]) -> None:
    """Assert that every track and process has one name, and every track a place."""
    named: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "M":
            named[event["name"]].append((event["pid"], event["tid"]))
    assert len(set(named["thread_name"])) == len(named["thread_name"])
    assert sorted(named["thread_name"]) == sorted(named["thread_sort_index"])
    assert tracks <= set(named["thread_name"])
    pids = [pid for pid, _ in named["process_name"]]
    assert len(set(pids)) == len(pids)
    assert {event["pid"] for event in trace["traceEvents"]} <= set(pids)
    threads = [tid for _, tid in named["thread_name"]]
    assert len(set(threads)) == len(threads)


def check_pairs(events: Sequence[Trace]) -> None:
    """Assert that every asynchronous event begins once and ends once, not before."""
    open_at: dict[str, float] = {}
    done: set[str] = set()
    for event in events:
        if event["ph"] == "b":
            assert event["id"] not in open_at
            assert event["id"] not in done
            open_at[event["id"]] = event["ts"]
        else:
            assert event["ts"] >= open_at.pop(event["id"])
            done.add(event["id"])
    assert not open_at


def spans(trace: Trace, category: str) -> list[tuple[str, float, float]]:
    """The complete events of a category: name, start, end in microseconds."""
    found = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["cat"] == category]
    return [(event["name"], event["ts"], event["ts"] + event["dur"]) for event in found]


def test_host_work_and_calls_take_turns() -> None:
    """A thread builds, submits, waits and reads; what lies between is host work."""
    points = [point("async_eval"), point("eval", 13), point("item", 14, pending_calls=1, checked_calls=1)]
    events = [RawEvent(0.001, 0.001, 0), RawEvent(0.003, 0.002, 1), RawEvent(0.006, 0.001, 2)]
    trace = trace_of(process(points, events, duration_s=0.01))
    assert spans(trace, "submit") == [("async_eval app.py:12", 1000, 2000)]
    assert spans(trace, "waiting") == [("eval app.py:13", 3000, 5000)]
    assert spans(trace, "hidden") == [("item app.py:14", 6000, 7000)]
    host = [(start, end) for _, start, end in spans(trace, "host")]
    assert host == [(0, 1000), (2000, 3000), (5000, 6000), (7000, 10000)]


def test_a_read_that_never_found_anything_lazy_is_no_hidden_wait() -> None:
    """It waits at most, and the device has nothing to do for it."""
    points = [point("item", pending_calls=0, checked_calls=5)]
    trace = trace_of(process(points, [RawEvent(0.001, 0.001, 0)]))
    assert not spans(trace, "hidden")
    assert not spans(trace, "device")


def test_calls_say_where_they_are() -> None:
    """File, line, function, call and time blocked stand with each."""
    trace = trace_of(process([point("eval")], [RawEvent(0.001, 0.002, 0)]))
    args = next(event["args"] for event in trace["traceEvents"] if event.get("cat") == "waiting")
    assert (args["file"], args["line"], args["function"]) == ("src/app.py", 12, "step")
    assert (args["call"], args["blocked_s"], args["blocked_in_all_s"]) == ("mx.eval", 0.002, 0.25)


def test_operations_built_are_told_where_they_are_known() -> None:
    """In a window they are counted, outside the average of the point is given."""
    points = [point("eval", ops_before=30, count=10)]
    events = [RawEvent(0.1, 0.1, 0), RawEvent(0.3, 0.1, 0, 0), RawEvent(0.5, 0.1, 0, 0)]
    trace = trace_of(process(points, events, ops=(op(0.41), op(0.42)), duration_s=0.6))
    args = [event["args"] for event in trace["traceEvents"] if event.get("cat") == "host"]
    assert args == [{"ops_on_average": 3.0}, {"ops_on_average": 3.0}, {"ops": 2}]


def test_the_device_works_from_submission_to_the_next_wait_that_blocked() -> None:
    """Waits that return at once end nothing, and submissions that overlap stand beside the track."""
    points = [point("async_eval"), point("eval", 13)]
    events = [
        RawEvent(0.001, 0.0001, 0),
        RawEvent(0.002, 0.000001, 1),
        RawEvent(0.003, 0.0001, 0),
        RawEvent(0.004, 0.001, 1),
        RawEvent(0.006, 0.001, 1),
    ]
    trace = trace_of(process(points, events))
    assert spans(trace, "device") == [
        ("async_eval app.py:12", 1000, 5000),
        ("eval app.py:13", 6000, 7000),
    ]
    beside = [event for event in trace["traceEvents"] if event["ph"] in "be"]
    assert [event["ts"] for event in beside] == [3000, 5000]
    names = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"]
    assert names == ["MainThread", DEVICE_TRACK]


def test_a_submission_that_nothing_waits_for_says_so() -> None:
    """Its end is only the end of what was seen."""
    trace = trace_of(process([point("async_eval")], [RawEvent(0.001, 0.001, 0)]))
    (event,) = [event for event in trace["traceEvents"] if event.get("cat") == "device"]
    assert event["args"]["end_seen"] is False


def test_memory_is_counters() -> None:
    """Bytes and pending operations over time."""
    memory = (RawMemory(0.5, 1, 2, 3, 4, 5),)
    trace = trace_of(process(memory=memory))
    found = {(event["name"], *event["args"].items()) for event in trace["traceEvents"] if event["ph"] == "C"}
    assert found == {
        ("active", ("bytes", 1)),
        ("cache", ("bytes", 2)),
        ("peak", ("bytes", 3)),
        ("resident", ("bytes", 4)),
        ("pending", ("ops", 5)),
    }


def test_processes_are_aligned_by_their_starts() -> None:
    """A child that started two seconds later stands two seconds later, even under the same number."""
    points, events = [point("eval")], [RawEvent(0.0, 0.5, 0)]
    trace = trace_of(process(points, events, started_s=1002.0), process(points, events, started_s=1000.0))
    assert [start for _, start, _ in spans(trace, "waiting")] == [2e6, 0.0]
    assert [each["recorded_pid"] for each in trace["metadata"]["processes"]] == [7, 7]


def test_calls_that_were_dropped_are_told() -> None:
    """They stand in the metadata and as an event, and no host work is claimed where they may be."""
    events = [RawEvent(0.1, 0.1, 0), RawEvent(0.5, 0.1, 0, 1)]
    trace = trace_of(process([point("eval")], events, events_dropped=9))
    assert trace["metadata"]["events_dropped"] == 9
    (told,) = [event for event in trace["traceEvents"] if event["ph"] == "i"]
    assert told["args"] == {"events_dropped": 9}
    assert [(start, end) for _, start, end in spans(trace, "host")] == [(0, 100_000)]


def test_calls_that_overlap_are_cut_to_nest() -> None:
    """Rounded times of calls within calls must not cross."""
    events = [RawEvent(0.001, 0.002, 0), RawEvent(0.002, 0.002, 1)]
    trace = trace_of(process([point("save"), point("eval", 13)], events))
    assert ("eval app.py:13", 2000, 3000) in spans(trace, "waiting")


def test_nothing_recorded_is_an_empty_timeline() -> None:
    """A program without MLX, or without any process, still gives a file that opens."""
    assert trace_of()["traceEvents"] == []
    assert [event["name"] for event in trace_of(process())["traceEvents"]] == ["process_name"]


def test_a_hundred_thousand_calls_are_all_there() -> None:
    """A long trace is written whole."""
    events = [RawEvent(number * 1e-3, 5e-4, number % 2) for number in range(100_000)]
    text = timeline_json([process([point("async_eval"), point("eval", 13)], events, duration_s=100.0)], ["app.py"])
    assert text.count('"cat": "waiting"') == text.count('"cat": "submit"') == 50_000


KINDS = ("eval", "async_eval", "item", "numpy", "print", "synchronize", "memory", "compile")
MOMENTS = st.floats(0, 1e4, allow_nan=False)
TEXTS = st.text(max_size=8)


@st.composite
def recorded(draw: st.DrawFn) -> RawProcess:
    """Return what a process may have written."""
    threads = draw(st.lists(st.sampled_from(("MainThread", "worker", "a\n\ud800")), min_size=1, max_size=2))
    points = [
        replace(
            point(draw(st.sampled_from(KINDS)), draw(st.integers(0, 99)), draw(st.sampled_from(threads))),
            place=Place(draw(TEXTS), 1, draw(TEXTS), draw(TEXTS)),
            checked_calls=(checked := draw(st.integers(0, 3))),
            pending_calls=draw(st.integers(0, checked)),
            ops_before=draw(st.integers(0, 9)),
            arrays=draw(st.integers(0, 2)),
        )
        for _ in range(draw(st.integers(1, 4)))
    ]
    event = st.builds(
        RawEvent, MOMENTS, st.floats(0, 10), st.integers(0, len(points) - 1), st.integers(-1, 2), st.just(())
    )
    size = st.integers(0, 2**62)
    return process(
        points,
        draw(st.lists(event, max_size=12)),
        pid=draw(st.integers(0, 2**31)),
        started_s=draw(st.floats(1.7e9, 1.7e9 + 1e5)),
        duration_s=draw(MOMENTS),
        argv=tuple(draw(st.lists(TEXTS, max_size=2))),
        ops=tuple(draw(st.lists(st.builds(op, MOMENTS, st.integers(0, 2), st.sampled_from(threads)), max_size=4))),
        memory=tuple(draw(st.lists(st.builds(RawMemory, MOMENTS, size, size, size, size, size), max_size=3))),
        events_dropped=draw(st.integers(0, 2)),
        unseen=tuple(draw(st.lists(TEXTS, max_size=1))),
    )


@settings(deadline=None, max_examples=200)
@given(processes=st.lists(recorded(), max_size=3))
def test_any_record_is_a_valid_timeline(processes: list[RawProcess]) -> None:
    """Whatever was recorded, viewers can open it."""
    text = timeline_json(processes, ["app.py", "\ud800"])
    text.encode("utf-8")
    trace = json.loads(text, parse_constant=refuse)
    check(trace)
    json.dumps(trace, ensure_ascii=False).encode("utf-8")
