"""A trace on the terminal: the verdict first, points with their source, and nothing is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from placement_cli.render.source_lines import Sources
from placement_cli.render.trace_report import overhead_words, print_trace, print_trace_verdict
from placement_cli.store.run_document import Diagnostic, ExitRecord, ToolRecord
from placement_cli.store.trace_document import (
    BuildRecord,
    OverheadRecord,
    PointRecord,
    ProcessRecord,
    ProgramRecord,
    TraceDocument,
    TraceFinding,
    TraceMemory,
)

SOURCE = """\
import mlx.core as mx

def loss(x, model):
    value = mx.mean(mx.abs(model(x) - x))
    if value.item() < 1e-3: return None  # a long remark that does not fit into a narrow terminal at all
    return value
"""
Report = Callable[..., str]
MIB = 2**20


def point(kind: str = "eval", line: int = 4, **other: Any) -> PointRecord:
    """A point in train.py."""
    facts: dict[str, Any] = {"file": "train.py", "line": line, "function": "loss", "process": 0, "call": f"mx.{kind}"}
    facts |= {"thread": "MainThread", "stream": "Stream(Device(cpu, 0), 0)", "count": 1200, "blocked_s": 0.5}
    facts |= {"first_s": 0.1, "median_s": 4e-4, "longest_s": 0.1, "arrays": 2, "bytes": 3 * MIB, "hidden": False}
    facts |= {"checked_calls": 0, "pending_calls": 0, "empty_calls": 0, "zero_size_calls": 0, "failed": 0}
    return PointRecord(kind=kind, **(facts | other))


def process(pid: int = 7, **other: Any) -> ProcessRecord:
    """A process that lasted ten seconds."""
    facts: dict[str, Any] = {"parent": 1, "argv": ["train.py"], "duration_s": 10.0, "ended": True, "mlx": "0.32.4"}
    return ProcessRecord(pid=pid, **(facts | {"calls": 3210, "ops": 12_000, "live": None} | other))


def memory(process: int, *sizes: int) -> TraceMemory:
    """A sample: active, cache, peak and resident MiB, and pending operations."""
    active, cache, peak, resident, pending = sizes
    return TraceMemory(
        process=process,
        at_s=1.0,
        active_bytes=active * MIB,
        cache_bytes=cache * MIB,
        peak_bytes=peak * MIB,
        resident_bytes=resident * MIB,
        pending_ops=pending,
    )


def finding(severity: Any, code: str, name: str, **other: Any) -> TraceFinding:
    """A finding at line 5 of train.py."""
    facts: dict[str, Any] = {"file": "train.py", "line": 5, "node": "value", "says": "It waits 400 \u00b5s a message."}
    facts |= {"fix": "Read it one message later.", "evidence": {}, "next_check": "placement diagnose --symptom timing"}
    return TraceFinding(severity=severity, code=code, name=name, **(facts | other))


CHECK = "for x in data:\n    mx.eval(loss(x))\nprint(mx.get_peak_memory())"


def trace(**other: Any) -> TraceDocument:
    """The trace of a small program; any part can be another."""
    facts: dict[str, Any] = {
        "tool": ToolRecord(name="placement", version="1"),
        "program": ProgramRecord(argv=["train.py", "--fast"], exit=3, signal=None, duration_s=10.2),
        "verdict": "The program waited for MLX 61.0 % of 10.0 s, at 3 points: 90.0 % of that at train.py:5 (item).",
        "build": BuildRecord(
            mlx="0.32.4",
            backend="cpu",
            device="Device(cpu, 0)",
            python="3.12.1",
            variables={"MLX_BFS_MAX_WIDTH": "5"},
        ),
        "processes": [process()],
        "points": [
            point("item", 5, hidden=True, checked_calls=1200, pending_calls=1199, blocked_s=5.5, arrays=1, bytes=4800),
            point("eval", 4, through="mlx.optimizers", empty_calls=1200, failed=2),
            point("async_eval", 6, blocked_s=0.1),
        ],
        "builds": [],
        "memory": [memory(0, 30, 20, 64, 300, 400), memory(0, 12, 24, 64, 210, 1)],
        "intervals": [],
        "lazy": [],
        "kept": [],
        "misses": [],
        "errors": [],
        "compiled": [],
        "findings": [
            finding("note", "PL405", "cold-start", file=None, line=None, node=None, fix="", next_check=""),
            finding("warning", "PL204", "blocking", next_check=CHECK),
            finding("error", "PL203", "hidden-sync"),
        ],
        "overhead": OverheadRecord(
            per_call_s=1.9e-6, per_op_s=3e-7, share=0.012, calls=3210, ops=12_000, looks_s=0.05, samples_s=0.06
        ),
        "unseen": ["Calls of `eval` imported from mlx.core before tracing began."],
        "exit": ExitRecord(code=3, name="program"),
        "diagnostics": [
            Diagnostic(level="warning", code="x", text="The record 8-2.json was passed over: it is empty.")
        ],
    }
    return TraceDocument(**(facts | other))


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    """The folder of the program."""
    (tmp_path / "train.py").write_text(SOURCE, encoding="utf-8")
    return Sources(tmp_path)


@pytest.fixture
def report(make_console: Callable[..., Console], read_console: Callable[[Console], str], sources: Sources) -> Report:
    """Prints a trace on a console of a width and returns the text."""

    def show(document: TraceDocument, width: int = 100, top: int = 10) -> str:
        console = make_console(width)
        print_trace(document, console, sources, top)
        return read_console(console)

    return show


@pytest.mark.parametrize("width", [100, 60])
def test_a_trace_is_shown_as_before(report: Report, width: int, snapshot: SnapshotAssertion) -> None:
    """The table with places below its rows, and paragraphs where it does not fit."""
    assert report(trace(), width) == snapshot


@pytest.mark.parametrize("width", [120, 80, 60, 40])
def test_names_are_data_and_lines_fit(report: Report, hostile: str, width: int) -> None:
    """Whatever a program calls itself, its functions and its threads, no line is wider than the terminal."""
    points = [point(hostile, file=hostile, function=hostile, thread=name, through=hostile) for name in (hostile, "y")]
    document = trace(
        program=ProgramRecord(argv=[hostile], exit=0, signal=99, duration_s=1.0),
        verdict=hostile,
        build=BuildRecord(mlx=hostile, backend=hostile, device=hostile, python=hostile, variables={hostile: hostile}),
        points=points,
        findings=[
            finding(
                "error", hostile, hostile, file=hostile, node=hostile, says=hostile, fix=hostile, next_check=hostile
            )
        ],
        unseen=[hostile],
        diagnostics=[Diagnostic(level="error", code="x", text=hostile)],
    )
    text = report(document, width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    flat = re.sub(r"\s", "", text).replace("\N{REPLACEMENT CHARACTER}", "")
    assert flat.count(re.sub(r"[\s\x1b\u2028\u202e]", "", hostile)) >= 18


def test_the_first_points_are_shown_and_the_others_counted(report: Report) -> None:
    """With what they blocked, so that nobody takes the first ones for all."""
    lines = report(trace(), top=1).splitlines()
    assert "Further points: 2, which blocked 600 ms." in lines
    assert not any(line.startswith("eval") for line in lines)


def test_threads_and_processes_are_named_where_there_are_several(report: Report) -> None:
    """Shares are of each point's own process; memory has a line for each."""
    document = trace(
        processes=[process(), process(8, duration_s=2.0)],
        points=[point(blocked_s=1.0), point(line=5, blocked_s=1.0, process=1, thread="worker")],
        memory=[memory(0, 1, 2, 3, 4, 5), memory(1, 5, 6, 70, 8, 9)],
    )
    text = report(document)
    assert "train.py:5 in loss, thread worker, process 8" in text
    assert re.findall(r"1\.00 s +([0-9.]+) %", text) == ["10.0", "50.0"]
    assert re.findall(r"Memory of process (\d): active ([0-9.]+ MiB)", text) == [("8", "5.00 MiB"), ("7", "1.00 MiB")]


@pytest.mark.parametrize(
    ("whose", "told"),
    [
        ([(0, "a", 1.0), (0, "b", 0.5)], "in 2 threads (a 1.00 s and b 500 ms)"),
        ([(0, "a", 1.0), (1, "a", 2.0)], "in 2 processes (process 8 2.00 s and process 7 1.00 s)"),
        ([(0, "a", 1.0), (1, "a", 0.3), (1, "b", 0.2)], "(a of process 7 1.00 s, a of process 8 300 ms and b of"),
        ([(0, f"w{at}", 0.1) for at in range(2000)], "in 2,000 threads (w0 100 ms, w1 100 ms and 1,998 more)"),
    ],
)
def test_a_line_that_many_threads_ran_is_one_row(report: Report, whose: list[Any], told: str) -> None:
    """With the calls of all, the largest share of one, and who was blocked longest."""
    points = [point(process=process, thread=name, blocked_s=took_s, count=10) for process, name, took_s in whose]
    text = report(trace(processes=[process(), process(8)], points=points), 120)
    assert told in text
    (row,) = re.findall(r"^eval .*$", text, re.MULTILINE)
    assert row.split()[1] == f"{10 * len(whose):,}"
    assert f"{max(took_s for *_, took_s in whose) / 10:.1%}".replace("%", " %") in row
    assert f"{len(whose):,} threads, which" not in text


def test_calls_that_failed_or_did_not_come_back_are_told(report: Report) -> None:
    """A row without a finished call says why."""
    points = [point(line=4, count=0, failed=1), point(line=5, count=0)]
    text = report(trace(points=points))
    assert "train.py:4 in loss, 1 more call failed" in text
    assert "train.py:5 in loss, 1 more call under way at the end" in text


def test_a_number_that_reads_the_same_stands_once(report: Report) -> None:
    """The end and the most may differ by less than what is shown."""
    samples = [memory(0, 12, 24, 64, 210, 1), memory(0, 12, 24, 64, 210, 1)]
    less = samples[1].model_copy(update={"active_bytes": 12 * MIB - 100})
    assert "Memory: active 12.0 MiB, cache 24.0 MiB," in report(trace(memory=[samples[0], less]))


def test_a_trace_without_findings_says_so(report: Report) -> None:
    """So that nobody takes the end of the report for its middle."""
    assert "Findings: none." in report(trace(findings=[])).splitlines()


def test_what_a_timeline_lacks_is_told_to_who_asked_for_one(
    sources: Sources, make_console: Callable[..., Console], read_console: Callable[[Console], str]
) -> None:
    """To others it means nothing."""
    lacking = Diagnostic(level="info", code="events-dropped", text="The timeline holds the first calls.")
    for timeline in (False, True):
        console = make_console(100)
        print_trace(trace(diagnostics=[lacking]), console, sources, 10, timeline=timeline)
        assert (lacking.text in read_console(console)) == timeline


def test_a_part_of_a_program_has_no_exit_code(
    sources: Sources, make_console: Callable[..., Console], read_console: Callable[[Console], str]
) -> None:
    """It has not ended."""
    console = make_console(100)
    print_trace(trace(), console, sources, 10, part=True)
    assert "a part of train.py, 10.2 s, MLX 0.32.4" in read_console(console)


def test_a_signal_that_ended_the_program_is_named(report: Report) -> None:
    """Beside the exit code that a shell shows."""
    killed = ProgramRecord(argv=["train.py"], exit=139, signal=11, duration_s=1.0)
    assert "train.py: ended by SIGSEGV, exit 139 after 1.00 s" in report(trace(program=killed))


def test_quiet_names_the_signal_first(
    sources: Sources, make_console: Callable[..., Console], read_console: Callable[[Console], str]
) -> None:
    """No shell tells of it: what it started ended with an exit code."""
    console = make_console(20)
    print_trace_verdict(
        trace(program=ProgramRecord(argv=["train.py"], exit=139, signal=11, duration_s=1.0)), console, sources
    )
    assert read_console(console).splitlines()[0] == "train.py: ended by SIGSEGV, exit 139."


def test_a_program_without_mlx_has_a_short_report(report: Report) -> None:
    """The verdict says it, how the program ended follows, and there are no headings over nothing."""
    nothing = OverheadRecord(per_call_s=0, per_op_s=0, share=None, calls=0, ops=0, looks_s=0, samples_s=0)
    empty: dict[str, Any] = {name: [] for name in ("points", "memory", "findings", "unseen", "diagnostics")}
    build = BuildRecord(mlx=None, backend=None, device=None, python=None, variables={})
    document = trace(verdict="No process of this program imported MLX.", build=build, overhead=nothing, **empty)
    assert report(document).splitlines() == [
        "No process of this program imported MLX.",
        "train.py: exit 3 after 10.2 s",
    ]


def test_what_tracing_cost_is_told() -> None:
    """The share, and what it consists of; without a share what is known."""
    assert overhead_words(trace().overhead) == (
        "Tracing cost about 1.2 % of the time by its own measure: 3,210 calls at 1.90 \u00b5s, 12,000 operations at "
        "300 ns, looks at variables 50.0 ms, samples and writing 60.0 ms."
    )
    assert overhead_words(trace().overhead.model_copy(update={"share": None})) == (
        "What tracing cost is not known, since no process came to an orderly end: 3,210 calls, 12,000 operations, "
        "looks at variables 50.0 ms, samples and writing 60.0 ms."
    )


def test_quiet_is_the_verdict_and_what_is_wrong(
    sources: Sources, make_console: Callable[..., Console], read_console: Callable[[Console], str]
) -> None:
    """A line each, however narrow the terminal, the worst first; notes are left out."""
    console = make_console(20)
    print_trace_verdict(trace(), console, sources)
    assert read_console(console).splitlines() == [
        trace().verdict,
        "error: PL203 hidden-sync train.py:5 @value: It waits 400 \u00b5s a message.",
        "warning: PL204 blocking train.py:5 @value: It waits 400 \u00b5s a message.",
    ]
