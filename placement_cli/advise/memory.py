"""The most that one message needs at a time, by where its evaluation points are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from placement_cli.advise.flow import Flow
from placement_cli.advise.loads import Load
from placement_cli.graph.mode import SYNC, Mode, ModeKind


def message_bytes(flow: Flow, loads: Sequence[Load]) -> float:
    """Return what one message holds when all of it is one submission: its input, outputs and intermediates."""
    return flow.graph.source.message_bytes + sum(loads[node.number].held_bytes for node in flow.mlx_nodes)


def peak_bytes(flow: Flow, loads: Sequence[Load], placement: Mapping[str, Mode]) -> float:
    """Return the most bytes that one message holds at a time.

    What lies between two waits is one piece: all its buffers are held until it is done, for the device frees by
    command buffer and the host allocates ahead. After a wait only what is still to be read remains.
    """
    return max([0.0, *_pieces(flow, loads, placement)])


def _pieces(flow: Flow, loads: Sequence[Load], placement: Mapping[str, Mode]) -> list[float]:
    waits = [node.number for node in flow.mlx_nodes if placement[node.name].kind is ModeKind.SYNC]
    found, done = [], 0
    for number in waits:
        new = flow.above[number] & ~done
        found.append(_alive(flow, loads, done) + _held(flow, loads, new) + _source(flow, done))
        done |= new
    rest = sum(1 << node.number for node in flow.mlx_nodes) & ~done
    if rest:
        found.append(_alive(flow, loads, done) + _held(flow, loads, rest) + _source(flow, done))
    return found


def _held(flow: Flow, loads: Sequence[Load], bits: int) -> float:
    return sum(loads[node.number].held_bytes for node in flow.mlx_nodes if bits >> node.number & 1)


def _alive(flow: Flow, loads: Sequence[Load], done: int) -> float:
    """Return the bytes of outputs that are there and that something still to be computed reads."""
    return sum(
        loads[node.number].output_bytes
        for node in flow.mlx_nodes
        if done >> node.number & 1 and any(not done >> link.reader & 1 for link in flow.readers.get(node.number, ()))
    )


def _source(flow: Flow, done: int) -> float:
    """Return the bytes of the message itself while anything still to be computed reads it."""
    readers = flow.readers.get(-1, ())
    return float(flow.graph.source.message_bytes) if any(not done >> link.reader & 1 for link in readers) else 0.0


def split_by_bytes(flow: Flow, loads: Sequence[Load], base: Mapping[str, Mode], limit: float) -> dict[str, Mode] | None:
    """Return `base` with the fewest waits at interior nodes so that no piece passes `limit`; None when none do.

    Pieces are runs of nodes in the order of the graph. A piece takes what is alive at its beginning and everything its
    nodes produce: bytes decide, not the count of nodes. Of as many waits, those with less alive are taken.
    """
    nodes = flow.mlx_nodes
    alive = _alive_after(flow, loads)
    produced = [0.0]
    for node in nodes:
        produced.append(produced[-1] + loads[node.number].held_bytes)
    best: list[tuple[int, float, int]] = [
        (0, 0.0, -1)
    ]  # by end of a piece: pieces, bytes alive at waits, its beginning
    for end in range(1, len(nodes) + 1):
        fitting = [
            (best[begin][0] + 1, best[begin][1] + (alive[end] if end < len(nodes) else 0.0), begin)
            for begin in range(end)
            if best[begin][0] < NEVER and alive[begin] + produced[end] - produced[begin] <= limit
        ]
        best.append(min(fitting, default=(NEVER, 0.0, -1)))
    placement, end = dict(base), best[-1][2]
    while end > 0:
        placement[nodes[end - 1].name] = SYNC
        end = best[end][2]
    fits = best[-1][0] < NEVER and peak_bytes(flow, loads, placement) <= limit
    return placement if fits else None


NEVER = 1 << 60


def _alive_after(flow: Flow, loads: Sequence[Load]) -> list[float]:
    """Return for each number of MLX nodes done the bytes that something after them still reads."""
    last: dict[int, int] = {}
    order = {node.number: place for place, node in enumerate(flow.mlx_nodes, start=1)}
    for link in flow.links:
        last[link.sender] = max(last.get(link.sender, 0), order.get(link.reader, len(order)))
    sizes = {node.number: loads[node.number].output_bytes for node in flow.mlx_nodes}
    sizes[-1] = float(flow.graph.source.message_bytes)
    change = [0.0] * (len(order) + 2)
    for number, size in sizes.items():
        change[order.get(number, 0)] += size
        change[max(last.get(number, 0), order.get(number, 0))] -= size
    found, total = [], 0.0
    for each in change[:-1]:
        total += each
        found.append(total)
    return found
