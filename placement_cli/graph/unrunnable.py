"""Why a graph cannot be run: everything at once, each reason with the nodes it holds for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from placement_cli.errors import UsageError, did_you_mean
from placement_cli.graph.graph import Graph, GraphNode
from placement_cli.graph.pipeline import ITEM_BYTES
from placement_cli.located.places import quoted
from placement_cli.operators.catalog import OPERATORS, check_params
from placement_cli.operators.host import HOST

MAX_RUN_NODES = 1024
"""Most nodes of a graph that is run, copies counted: each is a statement of the loop that is timed."""
MAX_HOST_S = 60.0
"""Longest host work of one node."""
SHOWN_NAMES = 4
"""No more nodes are named in one sentence."""


class Reasons:
    """Reasons why a graph cannot be run, with the names of the nodes they hold for, in the order found."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def add(self, reason: str, *names: str) -> None:
        """Note that `reason` holds for the nodes called `names`, or without any for the whole graph."""
        self._found.setdefault(reason, []).extend(names)

    def refuse(self) -> None:
        """Raise the UsageError that lists all reasons, if there are any."""
        if self._found:
            found = "; ".join(f"{named(names)}: {reason}" if names else reason for reason, names in self._found.items())
            raise UsageError(f"the graph cannot be run as it stands: {found}.")


def unrunnable(graph: Graph) -> Reasons:
    """Return why `graph` cannot be run; what only the shapes tell is not among it."""
    reasons = Reasons()
    for node in graph.nodes:
        for reason in _of_node(node):
            reasons.add(reason, node.name)
    for reason, names in _of_graph(graph):
        reasons.add(reason, *names)
    return reasons


def needs_values(node: GraphNode) -> bool:
    """Tell whether `node` is a host node, for which values are read."""
    operator = OPERATORS.get(node.op or "")
    return node.backend == "host" or (operator is not None and operator.backend == "host")


def copy_names(node: GraphNode) -> tuple[str, ...]:
    """Return the names of the copies of `node`, `NAME.0` first; its own name where it is not repeated."""
    return (node.name,) if node.repeat == 1 else tuple(f"{node.name}.{number}" for number in range(node.repeat))


def _of_node(node: GraphNode) -> Iterator[str]:
    if any(edge.lag for edge in node.inputs):
        yield "reads an earlier message (`lag`), which the loop that is timed does not keep"
    if (node.costs.host_s or 0.0) > MAX_HOST_S:
        yield f"works longer than {MAX_HOST_S:g} s on the host"
    if needs_values(node):
        yield from _of_params(node) if node.op == HOST.name else ()
        return
    operator = OPERATORS.get(node.op or "")
    if node.op is None:
        yield "has no `op`, so that there is nothing to run; expected one that `placement operators` lists"
    elif operator is None:
        yield f"there is no operator {quoted(node.op)}. {did_you_mean(node.op[:64], list(OPERATORS)).rstrip('.')}"
    else:
        yield from _of_params(node)
        if not node.emits.always and not operator.withholds:
            yield "`emits` says that it withholds output, which its operator does not do"


def _of_params(node: GraphNode) -> Iterator[str]:
    try:
        check_params(OPERATORS[node.op or ""], node.params)
    except UsageError as error:
        yield str(error).rstrip(".")


def _of_graph(graph: Graph) -> Iterator[tuple[str, list[str]]]:
    """Yield what is wrong with several nodes together, or with the source, and the nodes it is about."""
    if graph.source.dtype not in ITEM_BYTES:
        known = ", ".join(ITEM_BYTES)
        yield f"the operators do not take messages of {graph.source.dtype}, but of {known}", []
    count = sum(node.repeat for node in graph.nodes)
    if count > MAX_RUN_NODES:
        yield f"it has {count} nodes, copies counted; at most {MAX_RUN_NODES} can be run", []
        return
    mlx = [node for node in graph.nodes if not needs_values(node)]
    if not mlx:
        yield "no node does MLX work, so that there is nothing to evaluate", []
    devices = {node.device or graph.device or "" for node in mlx}
    if len(devices) > 1:
        yield "work on several devices, but the loop that is timed has one", [node.name for node in mlx if node.device]
    if taken := list(_taken_twice(graph.nodes)):
        yield "called like a copy of another node", taken


def _taken_twice(nodes: Iterable[GraphNode]) -> Iterator[str]:
    names = {node.name for node in nodes}
    return (name for node in nodes if node.repeat > 1 for name in copy_names(node) if name in names)


def named(names: Sequence[str]) -> str:
    """Return the nodes called `names` for a message, of many only the first."""
    shown = ", ".join(quoted(name) for name in names[:SHOWN_NAMES])
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return f"{'nodes' if len(names) > 1 else 'node'} {shown}{more}"
