"""The order in which the host runs the nodes: that of the document, but no node before what it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

SHOWN = 12
"""So many names of a cycle are written out."""


def in_order(reads: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names of `reads` (a node to the nodes it reads) so that each comes after what it reads.

    Of those that could come next the first of the document does. Nodes on a cycle, and behind one, are left out.
    """
    position = {name: index for index, name in enumerate(reads)}
    names = list(reads)
    readers: dict[str, list[str]] = {name: [] for name in reads}
    waiting = {name: len(set(inputs)) for name, inputs in reads.items()}
    for name, inputs in reads.items():
        for other in set(inputs):
            readers[other].append(name)
    ready = [position[name] for name, count in waiting.items() if not count]
    heapify(ready)
    order: list[str] = []
    while ready:
        order.append(names[heappop(ready)])
        for reader in readers[order[-1]]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heappush(ready, position[reader])
    return order


def cycle_among(reads: Mapping[str, Sequence[str]], ordered: Sequence[str]) -> list[str]:
    """Return one cycle of what `in_order` left out, each node followed by one that reads it; empty without any."""
    done = set(ordered)
    left = [name for name in reads if name not in done]
    if not left:
        return []
    seen: dict[str, int] = {}
    way = [left[0]]
    while way[-1] not in seen:
        seen[way[-1]] = len(way) - 1
        way.append(next(other for other in reads[way[-1]] if other not in done))
    cycle = way[seen[way[-1]] : -1][::-1]
    on_it = set(cycle)
    first = cycle.index(next(name for name in left if name in on_it))
    return cycle[first:] + cycle[:first]


def cycle_text(cycle: Sequence[str]) -> str:
    """Return a cycle in the direction in which messages flow, such as `a -> b -> a`."""
    shown = list(cycle[:SHOWN])
    if len(cycle) > SHOWN:
        shown.append(f"... {len(cycle) - SHOWN} more")
    return " -> ".join([*shown, cycle[0]])
