"""What each evaluating call of a message does: which operations it schedules, which arrays of before it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from placement_cli.diagnose.graph.message import Message
from placement_cli.diagnose.graph.operations import HOST_MADE, plain_name
from placement_cli.diagnose.graph.windows import UNSEEN, ancestors
from placement_cli.tracing.raw import EVALUATING_KINDS, READING_KINDS


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluating call, record `index`, in the order of calls.

    `made` are the operations of this message whose arrays it received, `earlier` those of messages before with how
    many messages ago; `scheduled` are the operations that were lazy until this call. `middle`: its thread builds
    more of this message afterwards. `feeds` is an operation that makes an array of host values next, as far as seen.
    """

    index: int
    kind: str
    made: tuple[int, ...]
    earlier: Mapping[int, int]
    scheduled: frozenset[int]
    middle: bool
    feeds: int | None

    @property
    def reads(self) -> bool:
        """Whether it brings values to the host."""
        return self.kind in READING_KINDS


def evaluations_of(message: Message) -> list[Evaluation]:
    """Return the evaluating calls of a message, in their order."""
    members = message.members
    lazy = {index for index in members if message.record(index).op is not None}
    after = _what_follows(message)
    found: list[Evaluation] = []
    for index, (middle, feeds) in sorted(after.items()):
        record = message.record(index)
        made = tuple(dict.fromkeys(maker for maker in record.makers if maker in members))
        scheduled = _scheduled(message, made, lazy) if record.kind in EVALUATING_KINDS else frozenset()
        lazy -= scheduled
        fed = feeds if record.kind in READING_KINDS and made else None
        found.append(Evaluation(index, record.kind, made, _earlier(message, index), scheduled, middle, fed))
    return found


def _what_follows(message: Message) -> dict[int, tuple[bool, int | None]]:
    """Return for each evaluating call whether its thread builds afterwards, and the array of host values it makes next.

    Such an array counts up to the next evaluating call.
    """
    builds: set[str] = set()
    makes: dict[str, int] = {}
    found: dict[int, tuple[bool, int | None]] = {}
    for index in reversed(message.indices):
        record = message.record(index)
        if record.op is not None:
            builds.add(record.thread)
            if not record.op.inputs and plain_name(record.op) in HOST_MADE:
                makes[record.thread] = index
        elif record.evaluates:
            found[index] = record.thread in builds, makes.pop(record.thread, None)
    return found


def evaluated(message: Message) -> set[int]:
    """Return the operations of the message that some evaluated array depends on."""
    members = message.members
    calls = [message.record(index) for index in message.indices if message.record(index).kind in EVALUATING_KINDS]
    return ancestors(message.window, [maker for call in calls for maker in call.makers], members)


def _scheduled(message: Message, made: tuple[int, ...], lazy: set[int]) -> frozenset[int]:
    return frozenset(ancestors(message.window, made, lazy))


def _earlier(message: Message, index: int) -> dict[int, int]:
    """Return the operations of messages before whose arrays a call received, with how many messages ago."""
    found: dict[int, int] = {}
    for maker in message.record(index).makers:
        ago = None if maker in (UNSEEN, index) else message.number_of(maker)
        if ago is not None and ago > 0:
            found[maker] = ago
    return found
