"""Writes graph.yaml of one message as a traced program showed it, ready for `placement advise`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placement_cli.diagnose.graph.device_times import device_times
from placement_cli.diagnose.graph.message import Message, message_of, timing_of
from placement_cli.diagnose.graph.pace import Pace, pace_of
from placement_cli.diagnose.graph.part_costs import part_costs
from placement_cli.diagnose.graph.parts import TOO_MANY, Part, labels_of
from placement_cli.diagnose.graph.remarks import remarks
from placement_cli.diagnose.graph.source import source_of
from placement_cli.diagnose.graph.wiring import Wiring, wiring_of
from placement_cli.errors import NothingComparable
from placement_cli.graph.document.reading import LIMITS
from placement_cli.graph.document.scalars import LONGEST_DURATION_S
from placement_cli.graph.document.writing import graph_text as document_text
from placement_cli.graph.graph import SOURCE, Costs, DeviceName, Edge, Graph, GraphNode, Observed
from placement_cli.graph.importing.naming import names_for, one_line
from placement_cli.tracing.raw import RawProcess

VALUES_OF_A_NODE = 28
VALUES_OF_AN_INPUT = 4
"""Keys and values that a node, and each of its inputs, take in the document at most."""
VALUES_BESIDES = 100
"""Keys and values of everything but the nodes."""


def graph_text(processes: Sequence[RawProcess], name: str) -> str:
    """Return graph.yaml, called `name`, of one message of the traced program, with the costs that were seen.

    Comments on top say what was seen and what could not be. Raises NothingComparable when no operation was recorded,
    or when a message is larger than graph.yaml may be.
    """
    message = message_of(processes)
    wiring = wiring_of(message)
    timing = timing_of(message)
    pace = pace_of(message, timing)
    devices = device_times(wiring)
    names = names_for(labels_of(wiring.parts.parts, message))
    _check_size(wiring)
    costs = part_costs(wiring, timing, devices, paced=pace.paced)
    nodes = _Nodes(wiring, names, _streams(wiring), len({part.record.thread for part in wiring.parts.parts}) > 1)
    graph = Graph(
        source=source_of(wiring, pace),
        nodes=tuple(nodes.node(part, costs[part.number]) for part in wiring.parts.parts),
        name=one_line(name),
        device=_device(message.process.device),
        observed=_observed(message, pace),
    )
    comment = remarks(wiring, processes, pace, devices, names)
    return "\n".join([*comment, document_text(graph)])


def _check_size(wiring: Wiring) -> None:
    parts = wiring.parts.parts
    inputs = sum(len(part.inputs) + len(wiring.lagged.get(part.number, ())) for part in parts)
    if VALUES_OF_A_NODE * len(parts) + VALUES_OF_AN_INPUT * inputs > LIMITS.max_values - VALUES_BESIDES:
        raise NothingComparable(TOO_MANY)


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Makes the node of each part; `names` are those of the parts, `streams` where streams are to be told."""

    wiring: Wiring
    names: Sequence[str]
    streams: Mapping[int, str]
    threaded: bool

    def node(self, part: Part, costs: Costs) -> GraphNode:
        """Return the node of a part."""
        return GraphNode(
            name=self.names[part.number],
            inputs=self._inputs(part),
            backend="host" if part.host else "mlx",
            state="none" if part.host else self.wiring.states.get(part.number, "none"),
            forces="always" if part.forces else "never",
            evaluate=part.mode,
            costs=costs,
            thread=one_line(part.record.thread) if self.threaded else "",
            stream=one_line(self.streams.get(part.number, "")),
        )

    def _inputs(self, part: Part) -> tuple[Edge, ...]:
        edges = [Edge(self.names[number]) for number, _ in part.inputs]
        for number, ago in self.wiring.lagged.get(part.number, ()):
            edges.append(Edge(SOURCE if number is None else self.names[number], ago))
        if part.number in self.wiring.source_readers or not edges:
            edges.insert(0, Edge(SOURCE))
        return tuple(dict.fromkeys(edges))


def _streams(wiring: Wiring) -> dict[int, str]:
    """Return the streams in which parts are evaluated, by number, where a message uses more than one."""
    message = wiring.message
    found: dict[int, str] = {}
    used: set[str] = set()
    for call in wiring.evaluations:
        point = message.record(call.index).point
        if point is None or not call.scheduled:
            continue
        stream = message.process.points[point].stream
        used.add(stream)
        for index in sorted(call.scheduled):
            if index in wiring.parts.owner:
                found.setdefault(wiring.parts.owner[index], stream)
    return found if len(used) > 1 else {}


def _device(text: str) -> DeviceName | None:
    """Return the device by the word for it in what MLX calls it, such as `Device(gpu, 0)`."""
    words = re.findall(r"[a-z]+", text.lower())
    return "gpu" if "gpu" in words else "cpu" if "cpu" in words else None


def _observed(message: Message, pace: Pace) -> Observed:
    step = None if pace.period_s is None else float(f"{pace.period_s:.4g}")
    samples = message.process.memory
    last = max(samples, key=lambda sample: sample.at_s) if samples else None
    return Observed(
        step_s=step if step is not None and 0 < step <= LONGEST_DURATION_S else None,
        active_bytes=None if last is None else max(0, last.active),
        cache_bytes=None if last is None else max(0, last.cache),
    )
