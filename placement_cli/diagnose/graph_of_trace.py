"""Writes graph.yaml of one message as a traced program showed it, ready for `placement advise`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from placement_cli.diagnose.graph.device_times import device_times
from placement_cli.diagnose.graph.message import Message, message_of, timing_of
from placement_cli.diagnose.graph.pace import Pace, pace_of
from placement_cli.diagnose.graph.part_costs import part_costs
from placement_cli.diagnose.graph.parts import Part, labels_of
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
    graph = Graph(
        source=source_of(wiring, pace),
        nodes=tuple(_Nodes(wiring, names).node(part, costs[part.number]) for part in wiring.parts.parts),
        name=one_line(name),
        device=_device(message.process.device),
        observed=_observed(message, pace),
    )
    comment = remarks(wiring, processes, pace, devices, names)
    return "\n".join([*comment, document_text(graph)])


def _check_size(wiring: Wiring) -> None:
    parts = wiring.parts.parts
    inputs = sum(len(part.inputs) + len(wiring.lagged.get(part.number, ())) for part in parts)
    if VALUES_OF_A_NODE * len(parts) + VALUES_OF_AN_INPUT * inputs > LIMITS.max_values - 100:
        raise NothingComparable(
            f"one message of the trace has {len(parts)} parts, more than a graph may have. Put what belongs together "
            f"into functions of its own, or evaluate once per message, so that the messages can be told apart."
        )


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Makes the node of each part; `names` are those of the parts."""

    wiring: Wiring
    names: Sequence[str]

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
            thread=self._thread(part),
            stream=self._stream(part),
        )

    def _inputs(self, part: Part) -> tuple[Edge, ...]:
        edges = [Edge(self.names[number]) for number, _ in part.inputs]
        for number, ago in self.wiring.lagged.get(part.number, ()):
            edges.append(Edge(SOURCE if number is None else self.names[number], ago))
        if part.number in self.wiring.source_readers or not edges:
            edges.insert(0, Edge(SOURCE))
        return tuple(dict.fromkeys(edges))

    def _thread(self, part: Part) -> str:
        threads = {each.record.thread for each in self.wiring.parts.parts}
        return one_line(part.record.thread) if len(threads) > 1 else ""

    def _stream(self, part: Part) -> str:
        """Return the stream of the call that evaluates a part, where calls of the message use more than one."""
        message = self.wiring.message
        points = message.process.points
        used = {points[index].stream for call in self.wiring.evaluations if (index := _point(message, call.index)) >= 0}
        evaluating = next((call for call in self.wiring.evaluations if call.scheduled.intersection(part.ops)), None)
        if len(used) < 2 or evaluating is None:
            return ""
        return one_line(points[_point(message, evaluating.index)].stream)


def _point(message: Message, index: int) -> int:
    point = message.record(index).point
    return -1 if point is None else point


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
