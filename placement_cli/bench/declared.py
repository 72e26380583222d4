"""Nodes as the scenario declares them, with their numbers of copies resolved for one point of the grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from placement_cli.bench.grid import Point
from placement_cli.bench.scenario_schema import NodeEntry
from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.pipeline import SOURCE
from placement_cli.located.places import Given, quoted

MAX_COPIES = 256
"""Largest `repeat` and `branches`."""
MAX_NODES = 1024
"""Most nodes of one case, all copies counted."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One node of the document. `steps` and `branches` are None where it is not written several times."""

    name: str
    entry: NodeEntry
    inputs: tuple[str, ...]
    steps: int | None
    branches: int | None

    def copy(self, branch: int, step: int) -> str:
        """Return the name of one copy."""
        parts = [self.name]
        parts += [] if self.branches is None else [str(branch)]
        parts += [] if self.steps is None else [str(step)]
        return ".".join(parts)

    def end(self, branch: int) -> str:
        """Return the name of the copy that others read in `branch`: the last of its chain."""
        return self.copy(branch, (self.steps or 1) - 1)

    @property
    def ends(self) -> tuple[str, ...]:
        """The names that others read, one a branch."""
        return tuple(self.end(branch) for branch in range(self.branches or 1))

    @property
    def copies(self) -> tuple[str, ...]:
        """The names of all copies, branch by branch."""
        return tuple(self.copy(branch, step) for branch in range(self.branches or 1) for step in range(self.steps or 1))


def declared_nodes(point: Point) -> dict[str, Declared]:
    """Return the nodes of the scenario at `point`, in the order of the file.

    Raises UsageError for numbers of copies out of bounds, inputs that do not come earlier, and names used twice.
    """
    nodes: dict[str, Declared] = {}
    total = 0
    for name, entry in point.grid.document.nodes.items():
        steps = _copies(point, name, "repeat", entry.repeat)
        branches = _copies(point, name, "branches", entry.branches)
        total += (steps or 1) * (branches or 1)
        if total > MAX_NODES:
            raise point.grid.places.error(
                ("nodes", name), f"gives case {point.id} more than {MAX_NODES} nodes, copies counted"
            )
        nodes[name] = Declared(name, entry, _inputs(point, name, entry, nodes), steps, branches)
    _check_names(point, nodes)
    return nodes


def _copies(point: Point, name: str, key: str, value: int | float | str | None) -> int | None:
    if value is None:
        return None
    given = point.given(value, "nodes", name, key)
    if not isinstance(given.value, int) or not 1 <= given.value <= MAX_COPIES:
        raise _out_of_bounds(given, name, key)
    return given.value


def _out_of_bounds(given: Given, name: str, key: str) -> UsageError:
    return given.error(
        f"{key} of node {name!r} is {quoted(given.value)}; expected a whole number from 1 to {MAX_COPIES}"
    )


def _inputs(point: Point, name: str, entry: NodeEntry, earlier: dict[str, Declared]) -> tuple[str, ...]:
    """Return the names `name` reads; without `inputs` the node before it, or the source."""
    if entry.inputs is None:
        return (next(reversed(earlier), SOURCE),)
    known = [SOURCE, *earlier]
    for index, wanted in enumerate(entry.inputs):
        if wanted in known:
            continue
        path = ("nodes", name, "inputs", index)
        if wanted in point.grid.document.nodes:
            what = f"node {name!r} reads {wanted!r}, which does not come before it; expected a node further up"
            raise point.grid.places.error(path, what)
        raise point.grid.places.error(
            path, f"node {name!r} reads {quoted(wanted)}, which is no node. {did_you_mean(wanted, known)}"
        )
    return entry.inputs


def _check_names(point: Point, nodes: Mapping[str, Declared]) -> None:
    """Refuse copies that are called like another node."""
    taken: dict[str, str] = {}
    for name, copy in _all_names(nodes):
        if taken.setdefault(copy, name) != name:
            place = point.grid.places.of_key("nodes", name)
            raise UsageError(f"{place}: node {name!r} and a copy of {taken[copy]!r} are both called {copy!r}")


def _all_names(nodes: Mapping[str, Declared]) -> Iterator[tuple[str, str]]:
    """Yield every declared name and the names of its copies; the last declared come last."""
    for name, node in nodes.items():
        for copy in {name: None, **dict.fromkeys(node.copies)}:
            yield name, copy
