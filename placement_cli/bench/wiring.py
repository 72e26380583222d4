"""Writes the nodes of a scenario out for one point of its grid: repeats, branches, inputs, parameters.

`repeat: N` makes a chain of N copies, NAME.0 to NAME.N-1; who reads NAME reads the last. `branches: N` makes N
copies side by side; a node that reads NAME reads them all, but a node with as many branches reads its own copy.
With both, the copies are NAME.BRANCH.STEP. Neighbours with equally many branches run branch by branch, as a
program does that finishes one branch before it begins the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from placement_cli.bench.axes import parse_chunk
from placement_cli.bench.declared import Declared, declared_nodes
from placement_cli.bench.grid import Point
from placement_cli.bench.operator_checks import check_wired, work_of
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.pipeline import ITEM_BYTES, SOURCE, Node, Pipeline, Source
from placement_cli.located.places import quoted


@dataclass(frozen=True, slots=True)
class Layout:
    """A pipeline, and in `copies` for each name of the document the nodes of the pipeline it stands for."""

    pipeline: Pipeline
    copies: Mapping[str, tuple[str, ...]]


def wire(point: Point) -> Layout:
    """Return the pipeline of the scenario at `point`.

    Raises UsageError, with the place of what is wrong, for anything that cannot be run: unknown operators and
    inputs, parameters out of bounds, wrong numbers of inputs, shapes that do not fit, MLX work on NumPy values.
    """
    source = wire_source(point)
    declared = declared_nodes(point)
    works = {name: work_of(point, name, node.entry) for name, node in declared.items()}
    nodes: list[Node] = []
    owners: list[str] = []
    for owner, branch, step in _in_order(declared.values()):
        inputs = _inputs(point, owner, branch, step, declared)
        work = works[owner.name]
        nodes.append(Node(owner.copy(branch, step), work.operator.name, inputs, work.params))
        owners.append(owner.name)
    pipeline = Pipeline(source, tuple(nodes))
    check_wired(point, pipeline, owners, works)
    return Layout(pipeline, {name: node.copies for name, node in declared.items()})


def wire_source(point: Point) -> Source:
    """Return the source of the scenario at `point`; raises UsageError."""
    entry = point.grid.document.source
    chunk = point.given(entry.chunk, "source", "chunk")
    dtype = point.given(entry.dtype, "source", "dtype")
    if dtype.value not in ITEM_BYTES:
        known = did_you_mean(str(dtype.value), list(ITEM_BYTES))
        raise dtype.error(f"{quoted(dtype.value)} is no element type of a source. {known}")
    try:
        low, high, channels = parse_chunk(chunk.value)
    except UsageError as error:
        raise chunk.error(str(error)) from None
    return Source(low, high, channels, str(dtype.value))


def _in_order(nodes: Iterable[Declared]) -> Iterator[tuple[Declared, int, int]]:
    """Yield every copy as (declared node, branch, step) in the order in which it runs."""
    for branches, group in groupby(nodes, key=lambda node: node.branches):
        together = list(group)
        for part in [together] if branches is not None else [[node] for node in together]:
            for branch in range(branches or 1):
                yield from ((node, branch, step) for node in part for step in range(node.steps or 1))


def _inputs(point: Point, node: Declared, branch: int, step: int, declared: Mapping[str, Declared]) -> tuple[str, ...]:
    """Return the copies that one copy of `node` reads."""
    if step:
        return (node.copy(branch, step - 1),)
    names: list[str] = []
    for name in node.inputs:
        other = declared.get(name)
        if other is None:
            names.append(SOURCE)
        elif node.branches is None or other.branches is None:
            names += other.ends
        elif node.branches == other.branches:
            names.append(other.end(branch))
        else:
            path = ("nodes", node.name, "branches")
            what = f"node {node.name!r} has {node.branches} branches, but {name!r}, which it reads, has"
            raise point.grid.places.error(path, f"{what} {other.branches}; expected as many on both, or on one only")
    return tuple(names)
