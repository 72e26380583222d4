"""The parts of a trace's document that hold what each process saw at a place: one record for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict

from placement_cli.store.trace_document import (
    BuildingRecord,
    CompiledRecord,
    ErrorRecord,
    IntervalRecord,
    KeptLook,
    KeptRecord,
    LazyLook,
    LazyRecord,
    MissRecord,
    PlaceRecord,
)
from placement_cli.tracing.raw import Place, RawInterval, RawKept, RawLazy, RawMiss, RawProcess


class PlaceFacts(TypedDict):
    """A place, by the keys of a document."""

    file: str
    line: int
    function: str
    through: str


def place_facts(place: Place) -> PlaceFacts:
    """Return the place as keywords of a record."""
    return PlaceFacts(file=place.file, line=place.line, function=place.function, through=place.through)


def builds_of(processes: Sequence[RawProcess]) -> list[BuildingRecord]:
    """Return where operations were built, the busiest place first."""
    found = [
        BuildingRecord(
            **place_facts(each.place),
            process=number,
            thread=each.thread,
            ops=each.ops,
            sampled=each.sampled,
            names=list(each.names),
        )
        for number, process in enumerate(processes)
        for each in process.builds
    ]
    return sorted(found, key=lambda record: -record.ops)


def intervals_of(processes: Sequence[RawProcess]) -> list[IntervalRecord]:
    """Return the pairs of reads of a clock, in their order."""
    return [_interval(number, each) for number, process in enumerate(processes) for each in process.intervals]


def lazy_of(processes: Sequence[RawProcess]) -> list[LazyRecord]:
    """Return the variables that stayed lazy, in their order."""
    return [_lazy(number, each) for number, process in enumerate(processes) for each in process.lazy]


def kept_of(processes: Sequence[RawProcess]) -> list[KeptRecord]:
    """Return the containers that grew, in their order."""
    return [_kept(number, each) for number, process in enumerate(processes) for each in process.kept]


def misses_of(processes: Sequence[RawProcess]) -> list[MissRecord]:
    """Return the waits for another stream than the one with work, in their order."""
    return [_miss(number, each) for number, process in enumerate(processes) for each in process.misses]


def errors_of(processes: Sequence[RawProcess]) -> list[ErrorRecord]:
    """Return the exceptions that calls of MLX raised, in their order."""
    return [
        ErrorRecord(
            **place_facts(each.place),
            process=number,
            kind=each.kind,
            thread=each.thread,
            type=each.type,
            message=each.message,
            count=each.count,
            at_s=each.at_s,
        )
        for number, process in enumerate(processes)
        for each in process.errors
    ]


def compiled_of(processes: Sequence[RawProcess]) -> list[CompiledRecord]:
    """Return the compiled functions, in their order."""
    return [
        CompiledRecord(
            **place_facts(each.place), process=number, compiled=each.function, calls=each.calls, traces=each.traces
        )
        for number, process in enumerate(processes)
        for each in process.compiled
    ]


def _interval(process: int, each: RawInterval) -> IntervalRecord:
    return IntervalRecord(
        **place_facts(each.place),
        process=process,
        until_line=each.until_line,
        clock=each.clock,
        thread=each.thread,
        count=each.count,
        elapsed_s=each.elapsed_s,
        ops=each.ops,
        submissions=each.submissions,
        waits=each.waits,
        unfinished=each.unfinished,
        excused=each.excused,
        then_blocked_s=each.then_blocked_s,
        then=_place(each.then),
        generated=list(each.generated),
        generated_calls=each.generated_calls,
        lazy_before=each.lazy_before,
        lazy_line=each.lazy_line,
    )


def _lazy(process: int, each: RawLazy) -> LazyRecord:
    looks = [LazyLook(at_s=look.at_s, evaluations=look.evaluations, ops=look.ops) for look in each.looks]
    return LazyRecord(**place_facts(each.place), process=process, name=each.name, built=_place(each.built), looks=looks)


def _kept(process: int, each: RawKept) -> KeptRecord:
    return KeptRecord(
        **place_facts(each.place),
        process=process,
        name=each.name,
        container=each.container,
        views=each.views,
        looks=list(_kept_looks(each)),
    )


def _kept_looks(each: RawKept) -> Iterator[KeptLook]:
    for look in each.looks:
        yield KeptLook(at_s=look.at_s, evaluations=look.evaluations, arrays=look.arrays, bytes=look.bytes)


def _miss(process: int, each: RawMiss) -> MissRecord:
    return MissRecord(
        **place_facts(each.place),
        process=process,
        thread=each.thread,
        synchronized=each.synchronized,
        uncovered=each.uncovered,
        count=each.count,
        waited_s=each.waited_s,
        then_blocked_s=each.then_blocked_s,
        then=_place(each.then),
    )


def _place(place: Place | None) -> PlaceRecord | None:
    return None if place is None else PlaceRecord(**place_facts(place))
