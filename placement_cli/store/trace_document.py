"""The document of a trace, `placement.trace` version 1: what one run of a person's program did with MLX.

History: 1.0.0 the first.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from placement_cli.store.advice_document import FindingRecord
from placement_cli.store.run_document import Diagnostic, ExitRecord, Part, ToolRecord
from placement_cli.store.texts import FileText

TRACE_VERSION = "1.0.0"
EVENTS_DROPPED = "events-dropped"
"""The code of the diagnostic on what a timeline lacks."""


class PlaceRecord(Part):
    """A line of source and its function; `through` is the installed module that made the call for the program."""

    file: FileText
    line: int
    function: FileText
    through: FileText = ""


class SeenRecord(PlaceRecord):
    """Something at a place; `process` is an index into `processes`."""

    process: int


class ProgramRecord(Part):
    """What ran: the script or module with its arguments, its exit code, and the signal that ended it, if one did."""

    argv: list[FileText]
    exit: int
    signal: int | None
    duration_s: float


class BuildRecord(Part):
    """What it ran on, as its first process with MLX saw it; null where none imported MLX.

    `device` is MLX's default device when it was first used, `variables` are those of the environment that alter MLX.
    """

    mlx: str | None
    backend: str | None
    device: str | None
    python: str | None
    variables: dict[FileText, FileText]


class LiveRecord(Part):
    """What was alive at the end: arrays, bytes of their buffers, those still lazy, NumPy views and their bytes."""

    arrays: int
    bytes: int
    lazy: int
    views: int
    views_bytes: int


class ProcessRecord(Part):
    """One process; `calls` and `ops` count what was recorded. `mlx` is empty where it was never imported.

    `ended` is false for one that was killed, or outlived the program; `duration_s` then ends with its last record.
    """

    pid: int
    parent: int
    argv: list[FileText]
    duration_s: float
    ended: bool
    mlx: str
    calls: int
    ops: int
    live: LiveRecord | None


class PointRecord(SeenRecord):
    """All calls of one kind at one place in one thread; times are seconds inside calls.

    `arrays` is how many a call received in the median, `bytes` their nominal bytes in all calls. Of `checked_calls`,
    `pending_calls` found the (first) array still lazy. `hidden` marks a read of a value that evaluated it.
    """

    kind: str
    call: FileText
    thread: FileText
    stream: FileText
    count: int
    blocked_s: float
    first_s: float
    median_s: float
    longest_s: float
    arrays: int
    bytes: int
    hidden: bool
    checked_calls: int
    pending_calls: int
    empty_calls: int
    zero_size_calls: int
    failed: int


class BuildingRecord(SeenRecord):
    """A place that builds operations: how many, and the busiest names."""

    thread: FileText
    ops: int
    sampled: bool
    names: list[FileText]


class TraceMemory(Part):
    """Bytes at a moment of a process: MLX's counters, its resident memory, and operations not yet evaluated."""

    process: int
    at_s: float
    active_bytes: int
    cache_bytes: int
    peak_bytes: int
    resident_bytes: int
    pending_ops: int


class IntervalRecord(SeenRecord):
    """All pairs of a read of a clock and the next one in a function, from `line` to `until_line`.

    `unfinished` pairs left work without a wait, of which `excused` had it taken in by a later read; `then_blocked_s` is
    what the first wait after them took, and `then` where. `generated` are lines that made random arrays between the
    reads; `lazy_before` pairs evaluated generated arrays from before, made in `lazy_line`.
    """

    until_line: int
    clock: FileText
    thread: FileText
    count: int
    elapsed_s: float
    ops: int
    submissions: int
    waits: int
    unfinished: int
    excused: int
    then_blocked_s: float
    then: PlaceRecord | None
    generated: list[int]
    generated_calls: int
    lazy_before: int
    lazy_line: int | None


class LazyLook(Part):
    """A look at a variable: evaluations so far, and operations that were pending behind it."""

    at_s: float
    evaluations: int
    ops: int


class LazyRecord(SeenRecord):
    """A variable that stayed lazy, by the name that reaches it; `built` is the line that last built it."""

    name: FileText
    built: PlaceRecord | None
    looks: list[LazyLook]


class KeptLook(Part):
    """A look at a container: evaluations so far, arrays in it, and their bytes."""

    at_s: float
    evaluations: int
    arrays: int
    bytes: int


class KeptRecord(SeenRecord):
    """A container of evaluated arrays, or of NumPy views of them, that grew."""

    name: FileText
    container: FileText
    views: bool
    looks: list[KeptLook]


class MissRecord(SeenRecord):
    """A synchronize that did not cover the stream that had work; `then` is where that was waited for at last."""

    thread: FileText
    synchronized: FileText
    uncovered: FileText
    count: int
    waited_s: float
    then_blocked_s: float
    then: PlaceRecord | None


class ErrorRecord(SeenRecord):
    """An exception that a call of MLX raised."""

    kind: str
    thread: FileText
    type: FileText
    message: FileText
    count: int
    at_s: float


class CompiledRecord(SeenRecord):
    """A compiled function, its calls, and how often one traced it anew."""

    compiled: FileText
    calls: int
    traces: int


class TraceFinding(FindingRecord):
    """A finding about a program: where, null where it is about all of it, and what would confirm or refute it."""

    file: FileText | None
    line: int | None
    next_check: str


class OverheadRecord(Part):
    """What tracing took, over all processes with MLX.

    Seconds a recorded call and an operation, in all for looks at variables (`looks_s`) and for samples of memory and
    writing (`samples_s`), each as tracing measured itself. `share` is all of that over the time of these processes;
    null where there is none, and where no process came to its end, which is when calls and operations are measured.
    """

    per_call_s: float
    per_op_s: float
    share: float | None
    calls: int
    ops: int
    looks_s: float
    samples_s: float


class TraceDocument(Part):
    """A whole trace. `points` are ranked: hidden synchronizations first, then by the time they blocked."""

    # What a document is must stand in it.
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    schema_: Literal["placement.trace"] = Field(default="placement.trace", alias="schema")
    schema_version: str = TRACE_VERSION
    tool: ToolRecord
    program: ProgramRecord
    verdict: FileText
    build: BuildRecord
    processes: list[ProcessRecord]
    points: list[PointRecord]
    builds: list[BuildingRecord]
    memory: list[TraceMemory]
    intervals: list[IntervalRecord]
    lazy: list[LazyRecord]
    kept: list[KeptRecord]
    misses: list[MissRecord]
    errors: list[ErrorRecord]
    compiled: list[CompiledRecord]
    findings: list[TraceFinding]
    overhead: OverheadRecord
    unseen: list[FileText]
    exit: ExitRecord
    diagnostics: list[Diagnostic] = Field(default_factory=list)

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"
