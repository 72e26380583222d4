"""What the parts of a message read besides each other: the source, values of messages before, constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from placement_cli.diagnose.graph.arrivals import Arrival, arrivals_of, fresh_by_look, largest, made_from_nothing
from placement_cli.diagnose.graph.evaluations import Evaluation, evaluated, evaluations_of
from placement_cli.diagnose.graph.message import Message
from placement_cli.diagnose.graph.operations import elements
from placement_cli.diagnose.graph.parts import Parts, bound_waits, parts_of
from placement_cli.graph.graph import SourceKind, State
from placement_cli.tracing.raw import RawOp

SMALL = 1024
"""A message of integers with no more elements than this may be what the host read of the message before."""


@dataclass(slots=True)
class Wiring:
    """The parts of a message and what enters them from outside; sets and keys are numbers of parts.

    `lagged` are values of messages before: the part that makes them (None for the source) and how long ago.
    `constants` are the serials of arrays that stay, with their bytes, 0 where those are not known. `origin` is the
    operation that shows what one message looks like. `guessed` says that it is a loop only by the look of it.
    """

    message: Message
    evaluations: Sequence[Evaluation]
    parts: Parts
    kind: SourceKind
    origin: RawOp | None
    sources: frozenset[int]
    source_readers: set[int] = field(default_factory=set)
    lagged: dict[int, dict[tuple[int | None, int], None]] = field(default_factory=dict)
    states: dict[int, State] = field(default_factory=dict)
    constants: dict[int, dict[int, int]] = field(default_factory=dict)
    unseen: int = 0
    guessed: bool = False


def wiring_of(message: Message) -> Wiring:
    """Return the wiring of a message."""
    evaluations = evaluations_of(message)
    arrivals = arrivals_of(message)
    sources = made_from_nothing(message, evaluations, any_name=False)
    if not sources and not any(each.sort == "fresh" for each in arrivals):
        arrivals = fresh_by_look(message, arrivals)
    carried = [each for each in arrivals if each.sort == "carried"]
    fresh = any(each.sort == "fresh" for each in arrivals)
    if not sources and not carried and not fresh:
        sources = made_from_nothing(message, evaluations, any_name=True)
    parts = parts_of(message, evaluations, sources)
    if not parts.parts:
        sources = frozenset()
        parts = parts_of(message, evaluations, sources)
    twin = _twins(message)
    bound_waits(parts, twin)
    looping = _looping(message, parts, carried, twin) if not sources and not fresh else frozenset()
    kind: SourceKind = "once" if message.main is None else "loop" if looping else "replay"
    found = Wiring(message, evaluations, parts, kind, None, sources)
    _enter(found, arrivals, looping, twin)
    found.origin = largest(message, sources) or _origin(message, arrivals, looping)
    if kind == "replay" and _read_back(found):
        found.kind, found.guessed = "loop", True
    return found


def _twins(message: Message) -> dict[int, int]:
    """Return for each operation of other messages the same step of this one."""
    found: dict[int, int] = {}
    for index, alike in message.aligned.items():
        found.update(dict.fromkeys(alike, index))
    marks = {message.record(index).mark: index for index in message.indices}
    for index, record in enumerate(message.window.records):
        if index not in found and record.mark in marks:
            found[index] = marks[record.mark]
    return found


def _looping(message: Message, parts: Parts, carried: Sequence[Arrival], twin: Mapping[int, int]) -> frozenset[int]:
    """Return the makers of the arrays that the next message is built from: outputs of the last part that is read.

    Where every part reads only its own arrays of the message before, it is the largest that is evaluated.
    """
    ends = [(each, parts.owner.get(twin.get(each.maker, -1)), parts.owner.get(each.reader)) for each in carried]
    between = [(made, each.maker) for each, made, read in ends if made is not None and made != read]
    if between:
        last = max(made for made, _ in between)
        return frozenset(maker for made, maker in between if made == last)
    received = {twin.get(maker) for record in message.window.records if record.evaluates for maker in record.makers}
    own = [each.maker for each, made, _ in ends if made is not None]
    wanted = [maker for maker in own if twin.get(maker) in received] or own
    return frozenset([max(wanted, key=lambda maker: message.window.op(maker).bytes)] if wanted else [])


def _enter(found: Wiring, arrivals: Sequence[Arrival], looping: frozenset[int], twin: Mapping[int, int]) -> None:
    reached = evaluated(found.message)
    for index in found.message.indices:
        number = found.parts.owner.get(index)
        if number is not None and found.sources.intersection(found.message.record(index).makers):
            found.source_readers.add(number)
    for each in arrivals:
        number = found.parts.owner.get(each.reader)
        if number is None:
            continue
        if each.sort == "unseen":
            found.unseen += 1
        elif each.sort == "constant":
            made = found.message.record(each.maker).op if each.maker >= 0 else None
            found.constants.setdefault(number, {})[each.serial] = made.bytes if made else 0
        elif each.sort == "fresh" or each.maker in looping:
            found.source_readers.add(number)
        else:
            _carry(found, each, number, twin.get(each.maker), reached)
    for number, maker, ago in found.parts.late_reads:
        _lag(found, number, twin.get(maker), ago)


def _carry(found: Wiring, arrival: Arrival, number: int, twin: int | None, reached: set[int]) -> None:
    """Note what an array of an earlier message is to its reader: its own state, or another part's output."""
    if twin is None or found.parts.owner.get(twin) != number:
        _lag(found, number, twin, arrival.ago)
        return
    covered = arrival.reader in reached or twin in reached
    if not covered:
        found.states[number] = "side"
    found.states.setdefault(number, "carried")


def _lag(found: Wiring, number: int, twin: int | None, ago: int) -> None:
    maker = None if twin is None else found.parts.owner.get(twin)
    if twin is not None and (maker is not None or twin in found.sources):
        found.lagged.setdefault(number, {})[maker, ago] = None


def _origin(message: Message, arrivals: Sequence[Arrival], looping: frozenset[int]) -> RawOp | None:
    """Return what shows the message: the array that loops, else the first result of what comes in unseen."""
    if looping:
        return largest(message, looping)
    first = next((each.reader for each in arrivals if each.sort in ("fresh", "unseen")), None)
    if first is None:
        first = next((index for index in message.indices if message.record(index).op is not None), None)
    return None if first is None else message.window.op(first)


def _read_back(found: Wiring) -> bool:
    """Whether the source looks like what the host read at the end of the message before, such as a token."""
    origin = found.origin
    if not found.sources or origin is None or not _integer(origin) or elements(origin) > SMALL:
        return False
    reads = [each for each in found.evaluations if each.reads and not each.middle]
    ends = [found.message.window.op(index) for each in reads for index in each.made if index not in found.sources]
    return any(_integer(op) and elements(op) == elements(origin) for op in ends)


def _integer(op: RawOp) -> bool:
    return "int" in op.dtype
