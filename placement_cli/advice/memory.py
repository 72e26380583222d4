"""The most that one message needs at a time, by where its evaluation points are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from placement_cli.advice.flow import Flow
from placement_cli.advice.loads import Load
from placement_cli.graph.mode import SYNC, Mode, ModeKind


def message_bytes(flow: Flow, loads: Sequence[Load]) -> float:
    """Return what one message holds when all of it is one submission: its input, outputs and intermediates."""
    return flow.graph.source.message_bytes + sum(loads[node.number].held_bytes for node in flow.mlx_nodes)


def peak_bytes(flow: Flow, loads: Sequence[Load], placement: Mapping[str, Mode]) -> float:
    """Return the most bytes that one message holds at a time.

    What lies between two waits is one piece: all its buffers are held until it is done, for the device frees by
    command buffer and the host allocates ahead. After a wait only what is still to be read remains. The host waits at
    SYNC, and where it reads values.
    """
    message = _Message(flow, loads)
    peak = 0.0
    for place, number in _waits(flow, placement):
        message.pass_hosts(place)
        peak = max(peak, message.compute(flow.needed[number]))
    return max(peak, message.compute(sum(1 << node.number for node in flow.mlx_nodes)))


def _waits(flow: Flow, placement: Mapping[str, Mode]) -> list[tuple[int, int]]:
    """Return where the host waits on every message: (the node it has come to, the node whose values it waits for)."""
    found = [(n.number, n.number) for n in flow.mlx_nodes if placement[n.name].kind is ModeKind.SYNC and n.silence == 1]
    sure = [link for link in flow.links if flow.reads_values(link) and not link.lag and not link.leaky]
    found += [
        (link.sender if flow.crosses_process(link) else link.reader, link.sender)
        for link in sure
        if flow.nodes[link.reader].run_silence == 1
    ]
    return sorted(found)


class _Message:
    """What is alive of one message while piece after piece of it is computed."""

    def __init__(self, flow: Flow, loads: Sequence[Load]) -> None:
        self.flow, self.loads = flow, loads
        self.sizes = {-1: float(flow.graph.source.message_bytes)}
        self.sizes |= {node.number: loads[node.number].output_bytes for node in flow.mlx_nodes}
        readers = {number: [link for link in links if not link.lag] for number, links in flow.readers.items()}
        self.unread = {number: len(readers.get(number, ())) for number in self.sizes}
        self.done, self.hosts = 0, 0
        self.alive = self.sizes[-1] if self.unread[-1] else 0.0

    def compute(self, wanted: int) -> float:
        """Compute what of `wanted`, nodes as bits, is not done yet; return the bytes that this takes, 0 for none."""
        new = list(_numbers(wanted & ~self.done))
        self.done |= wanted
        held = self.alive + sum(self.loads[number].held_bytes for number in new)
        for number in new:
            self.alive += self.sizes[number] if self.unread[number] else 0.0
        for number in new:
            self._has_read(number)
        return held if new else 0.0

    def pass_hosts(self, place: int) -> None:
        """Let the host go on to the node `place`: host nodes before it have read what they read."""
        while self.hosts < place:
            if not self.flow.nodes[self.hosts].mlx:
                self._has_read(self.hosts)
            self.hosts += 1

    def _has_read(self, number: int) -> None:
        for link in self.flow.inputs.get(number, ()):
            if link.lag or link.sender not in self.unread:
                continue
            self.unread[link.sender] -= 1
            there = link.sender < 0 or self.done >> link.sender & 1
            if there and not self.unread[link.sender]:
                self.alive -= self.sizes[link.sender]


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def split_by_bytes(flow: Flow, loads: Sequence[Load], base: Mapping[str, Mode], limit: float) -> dict[str, Mode] | None:
    """Return `base` with the fewest waits at interior nodes so that no piece passes `limit`; None when none do.

    Pieces are runs of nodes in the order of the graph. A piece takes what is alive at its beginning and everything its
    nodes produce: bytes decide, not the count of nodes. Of as many waits, those with less alive are taken.
    """
    placement = dict(base)
    ends = _ends(_alive_after(flow, loads), [loads[node.number].held_bytes for node in flow.mlx_nodes], limit)
    if ends is None:
        return None
    for end in ends:
        placement[flow.mlx_nodes[end - 1].name] = SYNC
    return placement if peak_bytes(flow, loads, placement) <= limit else None


def _ends(alive: Sequence[float], held: Sequence[float], limit: float) -> list[int] | None:
    """Return where the fewest pieces but the last end, as counts of nodes; None when single nodes do not fit.

    `alive[n]` is alive after n nodes, `held[n]` what the n-th node produces. By dynamic programming over the ends.
    """
    count = len(held)
    best: list[tuple[int, float, int] | None] = [(0, 0.0, 0)]  # pieces, bytes alive at waits, where the last one begins
    for end in range(1, count + 1):
        found, produced = None, 0.0
        for begin in range(end - 1, -1, -1):
            produced += held[begin]
            if produced > limit:
                break
            before = best[begin]
            if before is not None and alive[begin] + produced <= limit:
                this = (before[0] + 1, before[1] + (alive[end] if end < count else 0.0), begin)
                found = this if found is None else min(found, this)
        best.append(found)
    ends: list[int] = []
    while count:
        last = best[count]
        if last is None:
            return None
        count = last[2]
        ends += [count] if count else []
    return ends


def _alive_after(flow: Flow, loads: Sequence[Load]) -> list[float]:
    """Return for each number of MLX nodes done the bytes that something after them still reads."""
    order = {node.number: place for place, node in enumerate(flow.mlx_nodes, start=1)}
    last: dict[int, int] = {}
    for link in flow.links:
        if not link.lag:
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
