"""Groups the operations of a message into the nodes of its graph, by function, and places its evaluating calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from placement_cli.diagnose.graph.evaluations import Evaluation
from placement_cli.diagnose.graph.message import Message
from placement_cli.diagnose.graph.windows import Record
from placement_cli.errors import NothingComparable
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, window

MODULE = "<module>"
MOST_PARTS = 2000
"""More nodes than this do not fit into graph.yaml."""
TOO_MANY = (
    f"one message of the trace has more than {MOST_PARTS} parts, too many for a graph. Put what belongs together into "
    f"functions of its own, or evaluate once per message, so that messages can be told apart."
)
Key = tuple[str, str, str, int]
"""Thread, file, function, and how many evaluating calls the thread had made."""


@dataclass(slots=True)
class Part:
    """One node to be: the operations of a function between two evaluating calls, or host work on values.

    `inputs` are parts it reads, with how many messages ago; `above` all parts that come before it in this message.
    """

    number: int
    record: Record
    host: bool = False
    ops: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    inputs: dict[tuple[int, int], None] = field(default_factory=dict)
    above: set[int] = field(default_factory=set)
    forces: bool = False
    mode: Mode = OFF
    evaluated_by: int | None = None


@dataclass(slots=True)
class Parts:
    """The parts in the order in which they began, who owns which record, and what to tell about evaluations.

    `together` are parts that one call evaluates besides the last one it names.
    """

    message: Message
    skipped: frozenset[int]
    parts: list[Part] = field(default_factory=list)
    owner: dict[int, int] = field(default_factory=dict)
    waits: list[tuple[int, int]] = field(default_factory=list)
    late_reads: list[tuple[int, int, int]] = field(default_factory=list)
    together: list[tuple[int, int]] = field(default_factory=list)
    _latest: dict[Key, int] = field(default_factory=dict)
    _epoch: dict[str, int] = field(default_factory=dict)
    _forced: dict[str, list[int]] = field(default_factory=dict)
    _fed: dict[int, int] = field(default_factory=dict)
    _unwaited: list[int] = field(default_factory=list)

    def add_op(self, index: int) -> None:
        """Give an operation to the part of its function, or to a new one where that would close a cycle."""
        if index in self.skipped:
            return
        record = self.message.record(index)
        reads = {self.owner[maker] for maker in record.makers if maker in self.owner}
        if index in self._fed:
            reads.add(self._fed[index])
        part = self._part(record, reads)
        part.ops.append(index)
        self.owner[index] = part.number
        for number in self._forced.pop(record.thread, ()):
            self._link(number, part)
            part.forces = True

    def add_call(self, call: Evaluation) -> None:
        """Place an evaluating call: a mode at the end of a part, a part on the host, or a read that forces."""
        thread = self.message.record(call.index).thread
        self._epoch[thread] = self._epoch.get(thread, 0) + 1
        owners = list(dict.fromkeys(self.owner[index] for index in call.made if index in self.owner))
        if call.kind == "synchronize":
            self._synchronize()
        elif call.reads or (owners and call.kind == "eval" and not call.scheduled):
            self._read(call, owners, thread)
        elif call.scheduled:
            self._evaluate(call, owners)
        if call.kind == "eval":
            self.waits += call.earlier.items()

    def _part(self, record: Record, reads: set[int]) -> Part:
        key = (record.thread, record.place.file, record.place.function, self._epoch.get(record.thread, 0))
        number = self._latest.get(key)
        closes = number is not None and any(number in self.parts[other].above for other in reads)
        if number is None or closes:
            self._latest[key] = self._new(record).number
        part = self.parts[self._latest[key]]
        for other in sorted(reads):
            self._link(other, part)
        return part

    def _new(self, record: Record, *, host: bool = False) -> Part:
        if len(self.parts) == MOST_PARTS:
            raise NothingComparable(TOO_MANY)
        self.parts.append(Part(len(self.parts), record, host))
        return self.parts[-1]

    def _link(self, number: int, part: Part) -> None:
        if number == part.number or (number, 0) in part.inputs:
            return
        part.inputs[number, 0] = None
        gained = {number, *self.parts[number].above}
        for other in self.parts:
            if other is part or part.number in other.above:
                other.above |= gained

    def _tips(self, owners: Sequence[int]) -> list[int]:
        """Return the parts that no other of them depends on, in order."""
        return sorted(each for each in owners if not any(each in self.parts[other].above for other in owners))

    def _evaluate(self, call: Evaluation, owners: Sequence[int]) -> None:
        tips = self._tips(owners)
        for number in tips:
            last = number == tips[-1] and call.kind != "async_eval"
            self._set(number, SYNC if last else ASYNC, call.index)
            if number != tips[-1]:
                self.together.append((number, tips[-1]))
        self._unwaited = [*self._unwaited, *tips] if call.kind == "async_eval" else []

    def _set(self, number: int, mode: Mode, index: int) -> None:
        part = self.parts[number]
        if not part.host and part.mode != SYNC:
            part.mode, part.evaluated_by = mode, index

    def _synchronize(self) -> None:
        if self._unwaited:
            self.parts[self._unwaited[-1]].mode = SYNC
            self._unwaited = []

    def _read(self, call: Evaluation, owners: Sequence[int], thread: str) -> None:
        if call.middle and call.scheduled and call.feeds is None:
            self._forced.setdefault(thread, []).extend(owners)
            return
        if not owners and not call.earlier:
            return
        part = self._host_part(self.message.record(call.index))
        part.calls.append(call.index)
        self.owner[call.index] = part.number
        for number in owners:
            self._link(number, part)
        self.late_reads += [(part.number, maker, ago) for maker, ago in call.earlier.items()]
        if call.feeds is not None:
            self._fed[call.feeds] = part.number

    def _host_part(self, record: Record) -> Part:
        """Return the last part if it is host work of the same function with nothing built since, else a new one."""
        last = self.parts[-1] if self.parts else None
        if last is not None and last.host and last.record.place.function == record.place.function:
            return last
        return self._new(record, host=True)


def parts_of(message: Message, evaluations: Sequence[Evaluation], skipped: Iterable[int]) -> Parts:
    """Return the parts of a message without the operations `skipped`, which bring it in."""
    found = Parts(message, frozenset(skipped))
    calls = {each.index: each for each in evaluations}
    for index in message.indices:
        if message.record(index).op is not None:
            found.add_op(index)
        elif index in calls:
            found.add_call(calls[index])
    return found


def bound_waits(parts: Parts, twin: dict[int, int]) -> None:
    """Make `window:K` of what is handed over in each message and waited for K messages later; `twin` as in wiring.

    What is waited for without having been handed over is evaluated by that wait.
    """
    for maker, ago in parts.waits:
        number = parts.owner.get(twin.get(maker, -1))
        if number is None or parts.parts[number].host:
            continue
        part = parts.parts[number]
        if part.mode.kind is not SYNC.kind:
            part.mode = window(ago) if part.mode.submits else SYNC


def labels_of(parts: Sequence[Part], message: Message) -> list[str]:
    """Return what each part is named after, with a number where a function is more than one part."""
    seen: Counter[str] = Counter()
    labels: list[str] = []
    for part in parts:
        label = _label(part, message)
        seen[label] += 1
        labels.append(label if seen[label] == 1 else f"{label}-{seen[label]}")
    return labels


def _label(part: Part, message: Message) -> str:
    """Return the function of a part, or the lines of the file where there is none."""
    place = part.record.place
    stem = PurePath(place.file.replace("\\", "/")).stem
    name = place.function.rsplit("<locals>.", 1)[-1].replace("/", "-")
    if name == MODULE:
        lines = sorted(message.record(index).place.line for index in (*part.ops, *part.calls))
        name = f"{stem}.{lines[0]}" if lines[0] == lines[-1] else f"{stem}.{lines[0]}-{lines[-1]}"
    return f"{stem}/{name}-values" if part.host else f"{stem}/{name}"
