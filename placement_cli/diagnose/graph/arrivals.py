"""Arrays that come into a message from outside: fresh ones, those of the message before, and constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from placement_cli.diagnose.graph.evaluations import Evaluation
from placement_cli.diagnose.graph.message import Message
from placement_cli.diagnose.graph.operations import HOST_MADE, RANDOM, elements, is_view, plain_name
from placement_cli.diagnose.graph.windows import UNSEEN
from placement_cli.tracing.raw import RawOp

Sort = Literal["constant", "carried", "fresh", "unseen"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """An array that operation `reader` reads and that no operation of the message made.

    `maker` is the record that made it, UNSEEN for none. `ago` is how many messages before, 0 where that is not known.
    """

    reader: int
    serial: int
    maker: int
    sort: Sort
    ago: int = 0


def arrivals_of(message: Message) -> list[Arrival]:
    """Return what comes into a message, in the order in which it is read."""
    members, aligned = message.members, message.aligned
    found: list[Arrival] = []
    for index in message.indices:
        op = message.record(index).op
        if op is None:
            continue
        for place, (serial, maker) in enumerate(zip(op.inputs, message.record(index).makers, strict=True)):
            if maker not in members:
                found.append(_arrival(message, aligned[index], index, place, serial, maker))
    return found


def _arrival(message: Message, alike: Sequence[int], index: int, place: int, serial: int, maker: int) -> Arrival:
    others = [message.record(other).arrays for other in alike if other != index]
    same = [serial in arrays[place : place + 1] for arrays in others]
    if not serial:
        return Arrival(index, serial, UNSEEN, "unseen")
    if message.main is None or any(same):
        return Arrival(index, serial, maker, "constant")
    ago = None if maker == UNSEEN else message.number_of(maker)
    if ago is not None and ago > 0:
        return Arrival(index, serial, maker, "carried", ago)
    if others:  # another array in every message, made by what is not shown
        return Arrival(index, serial, maker, "fresh")
    return Arrival(index, serial, maker, "unseen" if maker == UNSEEN else "constant")


def fresh_by_look(message: Message, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Return `arrivals` with those taken for fresh that an operation reads which knows no other array.

    What works on constants alone would give the same in every message; views of them are common all the same.
    """
    unseen = {each.reader for each in arrivals if each.sort == "unseen"}
    known = {each.reader for each in arrivals if each.sort != "unseen"}
    alone = {
        index
        for index in unseen - known
        if all(maker == UNSEEN for maker in message.record(index).makers) and not is_view(message.window.op(index))
    }
    return [replace(each, sort="fresh") if each.reader in alone else each for each in arrivals]


def made_from_nothing(message: Message, evaluations: Sequence[Evaluation], *, any_name: bool) -> frozenset[int]:
    """Return the operations that bring the message in: without inputs, of host values if there are such, else random.

    Others without inputs, such as zeros, count only with `any_name`. What makes an array of values that the host read
    in this message is no source.
    """
    fed = {each.feeds for each in evaluations}
    bare = [index for index in message.indices if _without_inputs(message, index) and index not in fed]
    large = [index for index in bare if elements(message.window.op(index)) > 1]
    choices = (
        _called(message, large, HOST_MADE),
        _called(message, large, RANDOM),
        large if any_name else [],
        _called(message, bare, HOST_MADE),
    )
    return frozenset(next((found for found in choices if found), []))


def largest(message: Message, indices: Iterable[int]) -> RawOp | None:
    """Return the operation among `indices` with the largest output, the first of equals; None for none."""
    return max((message.window.op(index) for index in sorted(indices)), key=lambda op: op.bytes, default=None)


def _without_inputs(message: Message, index: int) -> bool:
    op = message.record(index).op
    return op is not None and not op.inputs


def _called(message: Message, indices: Iterable[int], names: frozenset[str]) -> list[int]:
    return [index for index in indices if plain_name(message.window.op(index)) in names]
