"""The edges that close a cycle."""

from __future__ import annotations

from collections.abc import Sequence

EdgeEnds = tuple[int, int]
"""The numbers of the nodes an edge leaves and enters."""


def closing_edges(nodes: int, edges: Sequence[EdgeEnds]) -> frozenset[int]:
    """Return the positions of edges without which there is no cycle.

    They are the edges back to a node that a walk, from nodes without inputs first and then in the order given, is
    still on its way from.
    """
    leaving = _leaving(nodes, edges)
    entered = {head for _, head in edges}
    state = [0] * nodes  # 0: not seen, 1: on the way, 2: done
    closing: set[int] = set()
    for start in sorted(range(nodes), key=lambda node: node in entered):
        if state[start] == 0:
            _walk(start, leaving, edges, state, closing)
    return frozenset(closing)


def _walk(
    start: int, leaving: Sequence[Sequence[int]], edges: Sequence[EdgeEnds], state: list[int], closing: set[int]
) -> None:
    state[start] = 1
    path = [(start, iter(leaving[start]))]
    while path:
        node, rest = path[-1]
        edge = next(rest, None)
        if edge is None:
            state[node] = 2
            path.pop()
            continue
        head = edges[edge][1]
        if state[head] == 1:
            closing.add(edge)
        elif state[head] == 0:
            state[head] = 1
            path.append((head, iter(leaving[head])))


def _leaving(nodes: int, edges: Sequence[EdgeEnds]) -> list[list[int]]:
    leaving: list[list[int]] = [[] for _ in range(nodes)]
    for position, (tail, _) in enumerate(edges):
        leaving[tail].append(position)
    return leaving
