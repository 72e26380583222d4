"""Looks at variables: which are still lazy, with how much work behind them, and which containers grow."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from types import FrameType
from typing import Any

from placement_cli.tracing.contents import elements, length
from placement_cli.tracing.deep import deeply
from placement_cli.tracing.places import Places
from placement_cli.tracing.raw import KeptSample, LazySample, Place, RawKept, RawLazy, RawLive
from placement_cli.tracing.variables import Walk

PRIMITIVE_MARK = "shape=rectangle"
"""How MLX marks a primitive in the graphs it exports."""
LAZY_AT_MOST = 64
"""Variables whose pending operations are counted in one look."""
DEEP = 50_000
"""A graph this large is not counted again: counting takes microseconds for each operation."""
SHARE, FREE_S = 0.01, 0.02
"""Counting operations may take this share of the time since the start, and so long at the beginning: a graph that grows
all the time can be counted a few times while it is small, and costs as much again and again when it is large."""
COUNT_S = 7e-6
"""Seconds that MLX 0.32.4 takes for each operation it exports, on one core of a server; measured again as it goes."""
MEASURED_FROM = 100
"""Smaller counts are not measured, since they take next to no time."""
LARGE_AT_MOST = 2
"""Larger ones are made of so many variables in a look: others of the same function have about as much behind them."""
SUSPECT_TIMES = 4
"""A variable with so many times the operations behind it, or more, may be growing."""
WORTH_COUNTING = 1.4
"""A deep graph is counted again when it should have grown by so much."""
KEPT_FROM = 8
"""Containers with fewer arrays are not followed."""
SERIES_AT_MOST = 256
LOOKS_AT_MOST = 64
"""Looks kept of one variable; of more, every second one is dropped."""


@dataclass(slots=True)
class Lazy:
    """One variable that was seen lazy."""

    name: str
    place: Place
    built: int = -1
    looks: list[LazySample] = field(default_factory=list)
    last_at_s: float = 0.0
    last_evaluations: int = 0
    after: int = 0
    """Looks right after an evaluation at which it was lazy, since it was last found evaluated."""
    expected: int = 0
    """Operations that must be pending by now, if they grew as they did; 0 once it was evaluated."""
    built_then: int = 0
    """Operations that the process had built when they were counted last."""


@dataclass(slots=True)
class Kept:
    """One container of arrays."""

    name: str
    place: Place
    container: str
    views: bool
    looks: list[KeptSample] = field(default_factory=list)


class Looks:
    """Everything that looks have shown in this process. `core` is MLX's module."""

    def __init__(self, core: Any, places: Places) -> None:
        self._core, self._places = core, places
        self._buffer_size: Any = getattr(core, "get_array_buffer_size", None)
        self._lazy: dict[tuple[str, str], Lazy] = {}
        self._kept: dict[tuple[str, str], Kept] = {}
        self._count_s, self._spent_s, self._began_s = COUNT_S, 0.0, perf_counter()
        self.live: RawLive | None = None

    def look(
        self,
        frame: FrameType,
        at_s: float,
        evaluations: int,
        made: dict[int, int],
        *,
        after: bool = False,
        built: int = 0,
    ) -> bool:
        """Look at what the functions below `frame` can reach, `after` an evaluation or at some other moment.

        `made` is id of an array to the place that built it, `built` how many operations the process has built. Returns
        whether a variable is growing of which it is not known where it is built.
        """
        asked: list[tuple[Lazy, Any]] = []
        # Another thread may change a container under the walk, which ends it early.
        with suppress(RuntimeError):
            for name, value, where in Walk(self._places, self._wanted()).over(frame):
                if type(value) is self._core.array:
                    known = self._array(name, value, where, LazySample(at_s, evaluations, built), asked)
                    if known is not None:
                        known.built = made.get(id(value), known.built)
                        known.after += after
                elif type(value).__module__ != "numpy":
                    self._container(name, value, where, at_s, evaluations)
        self._count(asked, LazySample(at_s, evaluations, built))
        return any(each.built < 0 and grows(each.looks) for each in self._lazy.values())

    def census(self) -> None:
        """Count what is alive, by the garbage collector's list."""
        array = self._core.array
        # NumPy's arrays are not on this list; the memoryviews between them and MLX's arrays are.
        # Asked for their type: an object may claim another class, and a weak reference to nothing has none to tell.
        alive = [each for each in gc.get_objects() if type(each) in (array, memoryview)]
        arrays = [each for each in alive if type(each) is array]
        views = [each.nbytes for each in alive if type(each) is memoryview and stands_on(each, array)]
        lazy = sum(bool(self.is_lazy(each)) for each in arrays)
        self.live = RawLive(len(arrays), sum(each.nbytes for each in arrays), lazy, len(views), sum(views))

    def is_lazy(self, array: Any) -> bool | None:
        """Tell whether an array is still lazy; waits for nothing.

        MLX 0.32.4 refuses to tell the size of a buffer that is not there yet; what does not know of sizes is asked for
        the graph, as long as that does not take too long: then it is not known (None).
        """
        if self._buffer_size is None:
            if self._spent_s > FREE_S + SHARE * (perf_counter() - self._began_s):
                return None
            counts = deeply(lambda: self.pending(array))
            return None if counts is None else counts > 0
        try:
            self._buffer_size(array)
        except (ValueError, RuntimeError):
            return True
        return False

    def is_any_lazy(self, arrays: list[Any]) -> bool | None:
        """Tell whether one of some arrays is lazy; None where that is not known."""
        lazy = None
        for each in arrays:
            lazy = self.is_lazy(each)
            if lazy:
                return True
        return lazy

    def suspects(self) -> int:
        """Return how many variables have so much more behind them than before that they may be growing."""
        counts = ([look.ops for look in each.looks] for each in self._lazy.values() if each.expected)
        return sum(len(ops) > 1 and ops[-1] >= max(SUSPECT_TIMES * ops[0], MEASURED_FROM) for ops in counts)

    def raw(self, known: list[Place]) -> tuple[list[RawLazy], list[RawKept]]:
        """Return variables lazy at more than one look, and containers that grew."""
        lazy = [
            RawLazy(
                each.name,
                each.place,
                known[each.built] if each.built >= 0 else None,
                tuple(each.looks),
                each.last_at_s,
                each.last_evaluations,
                each.after,
            )
            for each in list(self._lazy.values())
            if len(each.looks) > 1
        ]
        kept = [
            RawKept(each.name, each.place, each.container, each.views, tuple(each.looks))
            for each in list(self._kept.values())
            if len(each.looks) > 1 and each.looks[-1].arrays > each.looks[0].arrays
        ]
        return lazy, kept

    def _wanted(self) -> tuple[type, ...]:
        numpy = sys.modules.get("numpy")
        ndarray = getattr(numpy, "ndarray", None)
        return (self._core.array,) if ndarray is None else (self._core.array, ndarray)

    def _array(
        self,
        name: str,
        array: Any,
        frame: FrameType,
        now: LazySample,
        asked: list[tuple[Lazy, Any]],
    ) -> Lazy | None:
        """Return what is known of a lazy array, put among those `asked` for if it is worth counting; else None."""
        key = (frame.f_code.co_filename, f"{frame.f_code.co_name}:{name}")
        known = self._lazy.get(key)
        if not self.is_lazy(array):
            if known is not None:
                known.expected = known.after = 0
                note(known.looks, replace(now, ops=0))
            return None
        count = len(asked) < LAZY_AT_MOST
        if known is None:
            if not count or len(self._lazy) >= SERIES_AT_MOST:
                return None
            # What is behind a variable that was not there before may be behind others.
            most = max((each.expected for each in self._lazy.values()), default=0)
            known = self._lazy[key] = Lazy(name, self._place(frame), expected=most)
        known.last_at_s, known.last_evaluations = now.at_s, now.evaluations
        if self._is_worth_counting(known, now) and count:
            planned = sum(each.expected for each, _ in asked) + known.expected
            large = sum(each.expected >= MEASURED_FROM for each, _ in asked)
            if large < LARGE_AT_MOST and self._spent_s + planned * self._count_s <= FREE_S + SHARE * now.at_s:
                asked.append((known, array))
        return known

    def _is_worth_counting(self, lazy: Lazy, now: LazySample) -> bool:
        """Tell whether a variable should have grown since it was counted, and expect what it did if it went on so.

        Without evaluations in between all that was built since then may be behind it.
        """
        if not lazy.looks:
            return True
        last = lazy.looks[-1]
        longer = now.evaluations / last.evaluations if last.evaluations else now.at_s / max(last.at_s, FREE_S)
        lazy.expected = round(last.ops * max(1.0, longer))
        if now.evaluations == last.evaluations:
            lazy.expected = max(lazy.expected, last.ops + now.ops - lazy.built_then)
        return last.ops < MEASURED_FROM or (last.ops < DEEP and longer >= WORTH_COUNTING)

    def _count(self, asked: list[tuple[Lazy, Any]], now: LazySample) -> None:
        """Count the operations behind the arrays asked for, and let go of these."""
        try:
            counts = deeply(lambda: [self.pending(array) for _, array in asked]) if asked else None
            for (known, _), ops in zip(asked, counts or (), strict=False):
                known.expected, known.built_then = ops, now.ops
                note(known.looks, replace(now, ops=ops))
        finally:
            asked.clear()

    def pending(self, array: Any) -> int:
        """Count the operations behind a lazy array, in a thread with a deep stack."""
        start = perf_counter()
        graph = io.StringIO()
        self._core.export_to_dot(graph, array)
        ops = graph.getvalue().count(PRIMITIVE_MARK)
        took = perf_counter() - start
        self._spent_s += took
        if ops >= MEASURED_FROM:
            self._count_s = took / ops
        return ops

    def _container(self, name: str, container: Any, frame: FrameType, at_s: float, evaluations: int) -> None:
        arrays, size, views = self._held(container)
        if arrays < KEPT_FROM:
            return
        key = (frame.f_code.co_filename, f"{frame.f_code.co_name}:{name}")
        if key not in self._kept:
            if len(self._kept) >= SERIES_AT_MOST:
                return
            self._kept[key] = Kept(name, self._place(frame), type(container).__name__, views)
        note(self._kept[key].looks, KeptSample(at_s, evaluations, arrays, size))

    def _held(self, container: Any) -> tuple[int, int, bool]:
        """Return how many arrays a container holds, their bytes, and whether they are NumPy's views of MLX's.

        Judged by the first and last elements of a long one.
        """
        shown = [element for _, element in elements(container)]
        sizes, views = [], 0
        for each in shown:
            for array in each if type(each) is tuple else (each,):
                if type(array) is self._core.array:
                    sizes.append(array.nbytes)
                elif is_view(array, self._core.array):
                    sizes.append(array.nbytes)
                    views += 1
        if not sizes:
            return 0, 0, False
        share = length(container) / len(shown)
        return round(len(sizes) * share), round(sum(sizes) * share), 2 * views > len(sizes)

    def _place(self, frame: FrameType) -> Place:
        code = frame.f_code
        return Place(code.co_filename, frame.f_lineno or code.co_firstlineno, code.co_qualname)


def is_view(value: Any, array: type) -> bool:
    """Tell whether a value is a NumPy array that stands on the buffer of one of MLX's."""
    if type(value).__module__ != "numpy":
        return False
    base = getattr(value, "base", None)
    return type(base) is memoryview and stands_on(base, array)


def stands_on(view: memoryview, array: type) -> bool:
    """Tell whether a memoryview shows one of MLX's arrays; a released one shows nothing."""
    try:
        return type(view.obj) is array
    except ValueError:
        return False


def note(looks: list[Any], look: Any) -> None:
    """Add a look to a series, keeping it short and evenly spread."""
    if looks and looks[-1].at_s == look.at_s:
        return
    looks.append(look)
    if len(looks) > LOOKS_AT_MOST:
        del looks[1:-1:2]


def grows(looks: Iterable[LazySample]) -> bool:
    """Tell whether the pending operations rose at the last looks."""
    ops = [each.ops for each in looks][-3:]
    return len(ops) == 3 and ops[0] < ops[1] < ops[2]
