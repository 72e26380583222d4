"""The comment on top of a graph that was made of a trace: what was seen, what was concluded, what could not be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from textwrap import wrap

from placement_cli.diagnose.graph.device_times import DeviceTime, How
from placement_cli.diagnose.graph.pace import Pace
from placement_cli.diagnose.graph.parts import Part
from placement_cli.diagnose.graph.source import element_type
from placement_cli.diagnose.graph.wiring import Wiring
from placement_cli.graph.importing.imported import listed
from placement_cli.graph.importing.naming import one_line
from placement_cli.tracing.raw import RawProcess
from placement_cli.units import format_duration

WIDTH = 116
CAREFUL: Mapping[How, str] = {
    "measured": "device: the time of {call}, which evaluates this node alone",
    "share": "device: its share, by bytes touched, of the time of {call}",
    "at most": "device: its share, by bytes touched, of the time from {call} to where it was seen to be done; at most "
    "that",
}


def remarks(
    wiring: Wiring, processes: Sequence[RawProcess], pace: Pace, devices: Mapping[int, DeviceTime], names: Sequence[str]
) -> list[str]:
    """Return the lines of the comment, each with its `#`; `names` are those of the parts."""
    parts = (
        _seen(wiring, processes, pace),
        _source(wiring, pace),
        _times(wiring, devices, names),
        _points(wiring, names),
        _unknown(wiring, names),
    )
    sentences = [one_line_of(sentence) for part in parts for sentence in part]
    return [line for sentence in sentences for line in _comment(sentence)]


def one_line_of(text: str) -> str:
    """Return text without characters that a comment cannot hold."""
    return "".join(char if char.isprintable() else " " for char in text).strip()


def _comment(sentence: str) -> list[str]:
    return [f"# {line}" for line in wrap(sentence, WIDTH, break_on_hyphens=False)]


def _seen(wiring: Wiring, processes: Sequence[RawProcess], pace: Pace) -> Iterator[str]:
    message = wiring.message
    yield "The graph of one message, as a trace of the program showed it. Costs are what was seen, tracing included."
    cycles = message.main
    if cycles is None:
        yield (
            "No window with a whole message: nothing repeats around an evaluating call, so everything that was "
            "recorded is taken as one pass (kind: once). Trace more messages to see one of many."
        )
    else:
        alike = len(cycles.like(message.usual))
        point = message.process.points[cycles.closing]
        where = _where(point.kind, point.place.file, point.place.line)
        yield (
            f"A message ends at {where} in thread {one_line(point.thread)}. Of {len(cycles.messages)} whole messages "
            f"recorded operation by operation {alike} had the same steps; costs are their medians. The program ran "
            f"{pace.messages} messages."
        )
        if not cycles.regular:
            yield "The evaluating calls come in no fixed order: what differs from message to message is not shown."
    others = sum(bool(process.points) for process in processes if process is not message.process)
    if others:
        yield f"{others} more processes worked with MLX; how messages go from one to another cannot be seen."
    if message.left_out:
        yield f"Not shown, since no array ties it to this message: thread {listed(map(one_line, message.left_out))}."


def _source(wiring: Wiring, pace: Pace) -> Iterator[str]:
    origin = wiring.origin
    if origin is None or (not wiring.sources and wiring.kind == "replay"):
        yield "What comes in was not seen being made: the shape of the source is that of the first result."
    elif len(origin.shape) != 2:
        yield f"The source has the shape {list(origin.shape)[:8]}; its elements stand as samples of one channel."
    if element_type(origin) is None:
        yield "The element type of the source is not known; float32 is taken."
    if len(wiring.sources) > 1:
        yield f"A message is made of {len(wiring.sources)} arrays; the source is the largest of them."
    if wiring.guessed:
        yield (
            "Taken as a loop, since what the host reads at the end of a message is as large as the next one. If it "
            "only looks like that, change the kind to replay."
        )
    if wiring.kind == "replay" and pace.paced:
        yield (
            f"Messages come regularly, with {format_duration(pace.pause_s)} in each in which nothing was recorded: "
            f"taken as a live source. If the program computes in that time, put it under `host` and drop the rate."
        )


def _times(wiring: Wiring, devices: Mapping[int, DeviceTime], names: Sequence[str]) -> Iterator[str]:
    about: dict[str, list[str]] = {}
    for number, known in devices.items():
        record = wiring.message.record(known.call)
        said = CAREFUL[known.how].format(call=_where(record.kind, record.place.file, record.place.line))
        about.setdefault(said, []).append(names[number])
    for said, whom in about.items():
        yield f"{listed(whom)}: {said}."
    main = wiring.message.main
    beside = [names[part.number] for part in wiring.parts.parts if part.host and main and _in_other(part, main.thread)]
    if beside:
        yield f"{listed(beside)}: host: not known, since its thread may wait between messages."
    missing = [names[part.number] for part in wiring.parts.parts if not part.host and part.number not in devices]
    if missing:
        yield f"{listed(missing)}: device: not known, no call was seen to wait for it."


def _in_other(part: Part, thread: str) -> bool:
    return part.record.thread != thread


def _points(wiring: Wiring, names: Sequence[str]) -> Iterator[str]:
    for number, last in wiring.parts.together:
        yield f"{names[number]}: evaluated in one call with {names[last]}, which is written as async and then sync."
    scheduled = {wiring.parts.owner.get(index) for call in wiring.evaluations for index in call.scheduled}
    unevaluated = [names[part.number] for part in wiring.parts.parts if not part.host and part.number not in scheduled]
    if unevaluated and wiring.message.main is not None:
        yield f"{listed(unevaluated)}: nothing evaluated it within the message."


def _unknown(wiring: Wiring, names: Sequence[str]) -> Iterator[str]:
    if wiring.unseen:
        yield f"Arrays made outside of what is recorded, read in {wiring.unseen} places, are left out: weights, mostly."
    sizes = [names[number] for number, arrays in wiring.constants.items() if not all(arrays.values())]
    if sizes:
        yield f"{listed(sizes)}: reads constants whose size was not seen, so its weights are larger than stated."
    yield from wiring.message.process.unseen


def _where(kind: str, file: str, line: int) -> str:
    return f"{kind} {PurePath(file).name}:{line}"
