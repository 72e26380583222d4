"""What one traced process writes down: plain values, as they were seen, without judgement.

Times are seconds. Moments count from the start of tracing in that process. A file is written whole again and again
while the program runs, so that what is known survives whatever ends the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field

WAITING_KINDS = frozenset({"eval", "item", "bool", "number", "tolist", "print", "numpy", "dlpack", "save"})
"""Kinds of points after which values are there: they wait for what they are given. `synchronize` waits for a stream."""
READING_KINDS = WAITING_KINDS - {"eval"}
"""Kinds that evaluate without saying so: hidden synchronisations, where the array was not there yet."""
EVALUATING_KINDS = WAITING_KINDS | {"async_eval"}
"""Kinds that schedule what is lazy."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of source, and the qualified name of the function it is in (`<module>` at the top of a file).

    The innermost frame that belongs to the program: neither to MLX or NumPy, nor to an installed package or the
    standard library, where there is such a frame. `through` names the outermost installed module in between, as in
    `mlx.optimizers`, and is empty when the program made the call itself.
    """

    file: str
    line: int
    function: str
    through: str = ""


@dataclass(frozen=True, slots=True)
class RawPoint:
    """All calls of one kind at one place in one thread.

    `kind` is one of EVALUATING_KINDS, `synchronize`, `memory` (clearing caches, setting limits) or `compile` (a call
    of a compiled function that traced it); `call` names what was called, such as `mx.eval` or `numpy.asarray`.
    `blocked_s` is the time inside all calls, `durations_s` the time of single calls in their order: all of the first
    ones, then an even sample. `arrays` is how many arrays a call received in the median, `bytes` their nominal bytes
    in all calls (an estimate from counted calls where calls receive many). `empty_calls` received no array at all,
    `zero_size_calls` nothing but arrays of zero elements. Of `checked_calls`, `pending_calls` found the (first) array
    still lazy: the call itself evaluated it. `ops_before` is how many operations the thread built since its point
    before, summed over calls; `host_before_s` the time between the end of the point before and the start of this one,
    summed. `sizes` is how many different byte counts were given, up to 64. `clocked_calls` lie between two reads of a
    clock in one function, with few others. `loop_blocked_s` is the longest wait while an asyncio loop ran in this
    thread, 0 without one. `host_busy` is the share of `host_before_s` in which this thread ran, and did not sleep or
    wait for something else.
    `receivers` describes what calls without arrays received: type names, with those fields that hold arrays.
    """

    kind: str
    call: str
    place: Place
    thread: str
    stream: str
    count: int
    blocked_s: float
    first_s: float
    longest_s: float
    durations_s: tuple[float, ...]
    arrays: int
    bytes: int
    first_at_s: float
    last_at_s: float
    failed: int = 0
    empty_calls: int = 0
    zero_size_calls: int = 0
    checked_calls: int = 0
    pending_calls: int = 0
    ops_before: int = 0
    host_before_s: float = 0.0
    sizes: int = 1
    clocked_calls: int = 0
    loop_blocked_s: float = 0.0
    host_busy: float = 1.0
    receivers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawStep:
    """How often one point (an index into `points`) followed another in a thread, with what lay between.

    `ops` are operations built between the two, `host_s` the time between the end of one and the start of the other,
    `same` how often the second was given an array that the first had been given, too.
    """

    before: int
    after: int
    count: int
    ops: int
    host_s: float
    same: int = 0


@dataclass(frozen=True, slots=True)
class RawBuild:
    """A place that builds: how many operations (estimated from a sample where `sampled`), and the busiest names."""

    place: Place
    thread: str
    ops: int
    sampled: bool
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawInterval:
    """All pairs of one read of a clock and the next one in the same function and call, by their lines.

    Or of the first reads in two methods of one class, such as `__enter__` and `__exit__`.

    Sums over pairs: `elapsed_s` between the two reads, `ops` built, `submissions` (async_eval with arrays) and `waits`
    (calls of WAITING_KINDS, and synchronize) inside. `unfinished` are pairs with something built or submitted and no
    wait inside; of these, `excused` had their wait taken in by a later read of the clock in the same call before
    the first line ran again. `then_blocked_s` is the time that the first wait after each unfinished pair took,
    `then` where the longest of them was. `generated` lists lines of the same function that called a generator of
    random arrays without array inputs between the reads, `generated_calls` how often in all. `lazy_before` counts
    pairs that began with generated arrays still lazy which were evaluated inside, `lazy_line` where those were made.
    """

    place: Place
    until_line: int
    clock: str
    thread: str
    count: int
    elapsed_s: float
    ops: int
    submissions: int
    waits: int
    unfinished: int
    excused: int
    then_blocked_s: float
    then: Place | None
    generated: tuple[int, ...] = ()
    generated_calls: int = 0
    lazy_before: int = 0
    lazy_line: int | None = None


@dataclass(frozen=True, slots=True)
class LazySample:
    """A look at one lazy variable: moment, evaluations so far in the process, and operations pending behind it."""

    at_s: float
    evaluations: int
    ops: int


@dataclass(frozen=True, slots=True)
class RawLazy:
    """A variable that was lazy at more than one look, with every look at it; `0` ops where it was evaluated by then.

    `name` is how the program reaches it, such as `mean` or `self.filters[0].state`; `place` the function whose variable
    it is; `built` the line that last built it, where that was seen. Each look is taken when no call is under way.
    Counting a deep graph takes long, so that later looks may only have seen that it is lazy: `last_at_s` and
    `last_evaluations` belong to the last look that did, counted or not. `after` is how many looks right after a call
    that evaluated something, or after the next operation, saw it lazy since one last saw it evaluated.
    """

    name: str
    place: Place
    built: Place | None
    looks: tuple[LazySample, ...]
    last_at_s: float = 0.0
    last_evaluations: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class KeptSample:
    """A look at one container: moment, evaluations so far, arrays in it, and their bytes."""

    at_s: float
    evaluations: int
    arrays: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RawKept:
    """A container of evaluated arrays, or of NumPy views of them, that grew from look to look.

    `place` is the function whose variable it is, at the line that was running when it was first seen.
    """

    name: str
    place: Place
    container: str
    views: bool
    looks: tuple[KeptSample, ...]


@dataclass(frozen=True, slots=True)
class RawMiss:
    """A synchronize that did not cover a stream to which work had been submitted and not waited for since."""

    place: Place
    thread: str
    synchronized: str
    uncovered: str
    count: int
    waited_s: float
    then_blocked_s: float
    then: Place | None


@dataclass(frozen=True, slots=True)
class RawError:
    """An exception that a call of MLX raised, where, and how often the same."""

    kind: str
    place: Place
    thread: str
    type: str
    message: str
    count: int
    at_s: float


@dataclass(frozen=True, slots=True)
class RawUncaught:
    """The exception that ended a program, at the innermost line that is its own; `by_mlx` where MLX raised it."""

    type: str
    message: str
    place: Place
    by_mlx: bool


@dataclass(frozen=True, slots=True)
class RawCompiled:
    """A function given to mx.compile: how often it was called, and how often that traced it anew."""

    function: str
    place: Place
    calls: int
    traces: int


@dataclass(frozen=True, slots=True)
class RawMemory:
    """Bytes at a moment: MLX's counters, the process's resident memory, and operations built but not evaluated."""

    at_s: float
    active: int
    cache: int
    peak: int
    resident: int
    pending_ops: int


@dataclass(frozen=True, slots=True)
class RawOp:
    """One operation of a window that was recorded whole.

    `output` and `inputs` are serial numbers of arrays within the process, 0 for an array that was not seen being
    made. `window` counts the windows; operations and events of one window follow one another without a gap.
    """

    window: int
    at_s: float
    took_s: float
    name: str
    place: Place
    thread: str
    output: int
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    bytes: int


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One call of a point: its index in `points`, when, how long; in a window also the serials of its arrays."""

    at_s: float
    took_s: float
    point: int
    window: int = -1
    arrays: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RawCost:
    """What tracing itself took, measured in the process: seconds a recorded call, seconds an operation, and in all.

    `calls` counts reads of clocks as well. `looks_s` is the time of looks at variables, `samples_s` that of memory
    samples and writing.
    """

    call_s: float
    op_s: float
    calls: int
    ops: int
    looks_s: float
    samples_s: float

    @property
    def total_s(self) -> float:
        """Seconds that the program took longer, as far as it can be known from inside."""
        return self.call_s * self.calls + self.op_s * self.ops + self.looks_s + self.samples_s


@dataclass(frozen=True, slots=True)
class RawLive:
    """What was alive at the end by the garbage collector's list: arrays, bytes of their buffers, still lazy ones."""

    arrays: int
    bytes: int
    lazy: int
    views: int
    views_bytes: int


@dataclass(frozen=True, slots=True)
class RawProcess:
    """Everything of one process.

    `ended` is false in what is written while the program runs; a file left in that state belongs to a process that
    was killed. `started_s` is Unix time. `variables` are the environment variables that alter MLX. `device` is MLX's
    default device when it was first used, `backend` one of `metal`, `cuda`, `cpu`. `events` holds the first calls,
    `events_dropped` counts those after them. `mlx` is empty when the program never imported it.
    """

    pid: int
    parent: int
    argv: tuple[str, ...]
    started_s: float
    duration_s: float
    ended: bool
    python: str
    mlx: str
    device: str
    backend: str
    variables: dict[str, str]
    cost: RawCost
    points: tuple[RawPoint, ...] = ()
    steps: tuple[RawStep, ...] = ()
    builds: tuple[RawBuild, ...] = ()
    intervals: tuple[RawInterval, ...] = ()
    lazy: tuple[RawLazy, ...] = ()
    kept: tuple[RawKept, ...] = ()
    misses: tuple[RawMiss, ...] = ()
    errors: tuple[RawError, ...] = ()
    compiled: tuple[RawCompiled, ...] = ()
    memory: tuple[RawMemory, ...] = ()
    events: tuple[RawEvent, ...] = ()
    events_dropped: int = 0
    ops: tuple[RawOp, ...] = ()
    live: RawLive | None = None
    uncaught: RawUncaught | None = None
    unseen: tuple[str, ...] = field(default=())
    """What this build of MLX or Python did not let be recorded, a sentence each."""
