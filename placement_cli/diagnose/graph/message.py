"""One message, chosen from everything that was recorded, and how long each of its steps usually takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from placement_cli.diagnose.graph.cycles import Cycles, cycles_of
from placement_cli.diagnose.graph.windows import UNSEEN, Record, Window, ancestors, arrays_made, windows_of
from placement_cli.errors import NothingComparable
from placement_cli.tracing.raw import EVALUATING_KINDS, RawPoint, RawProcess

NOTHING = (
    "the trace shows no operation of MLX, so there is no graph to write. Let the program work on some messages while "
    "it is traced, and leave no `from mlx.core import ...` that runs before tracing begins."
)

FIRST = 10_000
"""So many calls of a thread tell with which point a message begins."""


@dataclass(frozen=True, slots=True)
class Message:
    """The records of one message: `indices` into its window, in the order in which they began.

    `main` are the messages of the thread that builds most, None where nothing repeats; `others` those of the other
    threads that touch the same arrays. `usual` is the number of the message in `main`. `left_out` names threads that
    built or read something in the window and have no part in it.
    """

    process: RawProcess
    window: Window
    indices: tuple[int, ...]
    main: Cycles | None
    usual: int
    others: tuple[tuple[Cycles, int], ...]
    left_out: tuple[str, ...]

    @property
    def members(self) -> frozenset[int]:
        """The indices as a set."""
        return frozenset(self.indices)

    def record(self, index: int) -> Record:
        """Return a record of the window."""
        return self.window.records[index]

    @property
    def aligned(self) -> Mapping[int, tuple[int, ...]]:
        """For each of its records the same step of each message with the same steps, this one included."""
        parts = [] if self.main is None else [(self.main, self.usual)]
        found: dict[int, tuple[int, ...]] = {index: (index,) for index in self.indices}
        for cycles, number in (*parts, *self.others):
            alike = [cycles.messages[other] for other in cycles.like(number)]
            for place, index in enumerate(cycles.messages[number]):
                found[index] = tuple(each[place] for each in alike)
        return found

    def number_of(self, index: int) -> int | None:
        """Return how many messages before this one record `index` belongs to; negative for later ones."""
        parts = [] if self.main is None else [(self.main, self.usual)]
        for cycles, number in (*parts, *self.others):
            for other, indices in enumerate(cycles.messages):
                if indices[0] <= index <= indices[-1] and self.record(index).thread == cycles.thread:
                    return number - other
        return None


def message_of(processes: Sequence[RawProcess]) -> Message:
    """Return the message to draw: of the process that builds most, from the last window with a whole one.

    Where nothing repeats it is all of the largest window. Raises NothingComparable when no operation was recorded.
    """
    built = [process for process in processes if process.ops]
    if not built:
        raise NothingComparable(NOTHING)
    process = max(built, key=lambda each: len(each.ops))
    windows = windows_of(process)
    found = [cycles for window in windows if (cycles := _main_cycles(process, window))]
    if not found:
        window = max(windows, key=lambda each: len(each.records))
        return Message(process, window, tuple(range(len(window.records))), None, 0, (), ())
    best = max(found, key=lambda each: (len(each.messages) > 1, each.window.number > 0, each.window.number))
    return _with_others(process, best)


def _main_cycles(process: RawProcess, window: Window) -> Cycles | None:
    """Return the messages of the thread that builds most among those where something repeats."""
    found = [cycles for thread in window.threads if (cycles := _cycles(process, window, thread))]
    return max((each for each in found if _ops(each)), key=_ops, default=None)


def _cycles(process: RawProcess, window: Window, thread: str) -> Cycles | None:
    own = [_ends_messages(point, thread) for point in process.points]
    events = sorted(process.events, key=lambda each: each.at_s)
    return cycles_of(window, thread, [event.point for event in events if own[event.point]][:FIRST])


def _ends_messages(point: RawPoint, thread: str) -> bool:
    return point.thread == thread and (point.kind in EVALUATING_KINDS or point.kind == "synchronize")


def _ops(cycles: Cycles) -> int:
    return sum(cycles.window.records[index].op is not None for index in cycles.messages[cycles.usual()])


def _with_others(process: RawProcess, main: Cycles) -> Message:
    """Add what other threads do with the same message: by messages of their own, else what it was built from."""
    window, usual = main.window, main.usual()
    chosen = list(main.messages[usual])
    others: list[tuple[Cycles, int]] = []
    missing = [thread for thread in window.threads if thread != main.thread]
    cycles = {thread: _cycles(process, window, thread) for thread in missing}
    while found := _touching(window, chosen, [each for name in missing if (each := cycles[name])]):
        others.append(found)
        chosen += found[0].messages[found[1]]
        missing.remove(found[0].thread)
    loose = {index for thread in missing if cycles[thread] is None for index in window.of_thread(thread)}
    earlier = {index for before in main.messages[:usual] for index in before}
    used = _feeding(window, chosen, loose) - _feeding(window, sorted(earlier), loose)
    chosen += sorted(used)
    seen = {window.records[index].thread for index in used}
    left_out = tuple(thread for thread in missing if thread not in seen)
    return Message(process, window, tuple(sorted(chosen)), main, usual, tuple(others), left_out)


def _touching(window: Window, chosen: Sequence[int], candidates: Iterable[Cycles]) -> tuple[Cycles, int] | None:
    """Return the first message of another thread that reads what was chosen, or made what that reads."""
    made = arrays_made(window, chosen)
    read = {serial for index in chosen for serial in window.records[index].arrays if serial}
    for cycles in candidates:
        for number, indices in enumerate(cycles.messages):
            theirs = {serial for index in indices for serial in window.records[index].arrays}
            if theirs & made or arrays_made(window, indices) & read:
                return cycles, number
    return None


def _feeding(window: Window, indices: Sequence[int], loose: set[int]) -> set[int]:
    makers = {maker for index in indices for maker in window.records[index].makers if maker != UNSEEN}
    return ancestors(window, makers, loose)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that the steps of a message take: the medians of all messages with the same steps.

    `took` is the time inside a record, `before` the time between the end of the record before in its thread and its
    start, less what tracing itself took.
    """

    took: Mapping[int, float]
    before: Mapping[int, float]


def timing_of(message: Message) -> Timing:
    """Return the timing of a message."""
    previous = _previous(message.window)
    aligned = message.aligned
    took = {index: median(message.record(each).took_s for each in aligned[index]) for index in message.indices}
    before = {
        index: median(_pause(message, previous[each], each) for each in aligned[index]) for index in message.indices
    }
    return Timing(took, before)


def _previous(window: Window) -> dict[int, int | None]:
    last: dict[str, int] = {}
    found: dict[int, int | None] = {}
    for index, record in enumerate(window.records):
        found[index] = last.get(record.thread)
        last[record.thread] = index
    return found


def _pause(message: Message, before: int | None, index: int) -> float:
    if before is None:
        return 0.0
    cost = message.process.cost
    tracing = cost.op_s if message.record(index).op is not None else cost.call_s
    return max(0.0, message.record(index).at_s - message.record(before).end_s - tracing)
