"""How long the device works on each part of a message, as far as points show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from placement_cli.diagnose.graph.evaluations import Evaluation
from placement_cli.diagnose.graph.message import Message
from placement_cli.diagnose.graph.operations import is_view
from placement_cli.diagnose.graph.wiring import Wiring
from placement_cli.tracing.raw import WAITING_KINDS

How = Literal["measured", "share", "at most"]


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """Seconds of the device for a part, how they are known, and the record of the call that showed them."""

    seconds: float
    how: How
    call: int


def device_times(wiring: Wiring) -> dict[int, DeviceTime]:
    """Return the device time of the parts that were evaluated and seen to be done, by number."""
    message = wiring.message
    lanes = any(record.kind == "async_eval" for record in message.window.records)
    aligned = message.aligned
    weights = {index: _weight(message, call) for call in wiring.evaluations for index in aligned[call.index]}
    done = _completions(message, weights) if lanes else {}
    found: dict[int, DeviceTime] = {}
    for call in wiring.evaluations:
        if not call.scheduled:
            continue
        times = [done.get(index) if lanes else message.record(index).took_s for index in aligned[call.index]]
        known = [each for each in times if each is not None]
        if known:
            _share_out(wiring, call, median(known), found, overlapping=lanes)
    return found


def _share_out(
    wiring: Wiring, call: Evaluation, seconds: float, found: dict[int, DeviceTime], *, overlapping: bool
) -> None:
    """Give the parts that one call evaluates their shares of its time, by the bytes they touch."""
    touched: dict[int, float] = {}
    for index in sorted(call.scheduled):
        number = wiring.parts.owner.get(index)
        if number is not None:
            touched[number] = touched.get(number, 0.0) + _touched(wiring.message, index)
    total = sum(touched.values())
    for number, own in touched.items():
        share = own / total if total else 1 / len(touched)
        how: How = "at most" if overlapping else "measured" if len(touched) == 1 else "share"
        before = found[number].seconds if number in found else 0.0
        found[number] = DeviceTime(before + seconds * share, how, call.index)


def _touched(message: Message, index: int) -> float:
    """Return the bytes that an operation reads and writes; what was not seen being made counts as the output."""
    op = message.window.op(index)
    if is_view(op):
        return 0.0
    read = sum(message.window.op(maker).bytes if maker >= 0 else op.bytes for maker in message.record(index).makers)
    return float(op.bytes + read)


def _weight(message: Message, call: Evaluation) -> float:
    """Return the bytes that the operations touch which a call schedules."""
    return sum(_touched(message, index) for index in sorted(call.scheduled))


def _completions(message: Message, weights: Mapping[int, float]) -> dict[int, float]:
    """Return for each evaluating call of the window how long the device had for it, at most.

    Work begins when it is handed over or when what was handed over before is done, whichever is later, and is done
    when a call returned that waited for one of its arrays, or for something that the same thread handed over later: a
    stream works in order. Calls that were seen done at the same moment share the time by the bytes they touch.
    """
    found: dict[int, float] = {}
    free_s: dict[str, float] = {}
    for alike in _seen_together(message):
        first = message.record(alike[0][0])
        end_s = alike[0][1]
        had_s = max(0.0, end_s - max(first.at_s, free_s.get(first.thread, 0.0)))
        own = [weights.get(index, 0.0) for index, _ in alike]
        total = sum(own)
        for (index, _), weight in zip(alike, own, strict=True):
            found[index] = had_s * (weight / total if total else 1 / len(alike))
        free_s[first.thread] = end_s
    return found


def _seen_together(message: Message) -> list[list[tuple[int, float]]]:
    """Return evaluating calls with the moment they were seen done, those of a thread seen at one moment together."""
    waits, known = _waits(message), dict[str, float]()
    seen: dict[tuple[str, float], list[tuple[int, float]]] = {}
    for index, record in reversed(list(enumerate(message.window.records))):
        waited = record.kind in WAITING_KINDS
        if not waited and record.kind != "async_eval":
            continue
        end_s = record.end_s if waited else _seen_done(message, index, waits)
        moments = [each for each in (end_s, known.get(record.thread)) if each is not None]
        if moments:
            known[record.thread] = min(moments)
            seen.setdefault((record.thread, known[record.thread]), []).append((index, known[record.thread]))
    return [alike[::-1] for alike in reversed(seen.values())]


def _waits(message: Message) -> Mapping[int, Sequence[int]]:
    """Return for each serial the waiting calls that received it; 0 stands for waits for a stream."""
    found: dict[int, list[int]] = {0: []}
    for index, record in enumerate(message.window.records):
        if record.kind == "synchronize":
            found[0].append(index)
        elif record.kind in WAITING_KINDS:
            for serial in record.arrays:
                if serial:
                    found.setdefault(serial, []).append(index)
    return found


def _seen_done(message: Message, submission: int, waits: Mapping[int, Sequence[int]]) -> float | None:
    serials = [serial for serial in message.record(submission).arrays if serial]
    later = [
        message.record(wait).end_s for serial in (*serials, 0) for wait in waits.get(serial, ()) if wait > submission
    ]
    return min(later, default=None)
