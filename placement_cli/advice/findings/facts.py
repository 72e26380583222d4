"""What findings are made from: the graph with its costs, and the numbers of the placements that matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from placement_cli.advice.advice import Finding, Placement, Severity
from placement_cli.advice.cover import Cover
from placement_cli.advice.feasible import Bounds
from placement_cli.advice.flow import Flow, FlowNode
from placement_cli.advice.loads import Load
from placement_cli.advice.machine import Machine
from placement_cli.advice.numbers import Numbers
from placement_cli.advice.thresholds import MOST_JUDGED, MOST_OF_THE_WORK, NOTICEABLE, ROUNDING, SHORTEST_S
from placement_cli.codes import CODES
from placement_cli.graph.mode import Mode

Play = Callable[[Iterable[Placement]], list[Numbers]]
"""Plays placements of the graph as it is."""


@dataclass(frozen=True, slots=True)
class BlockGain:
    """What the block structure of a node's matrix is worth: dense time over planned time, and how it is computed."""

    gain: float
    formulation: str
    basis: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a finding may look at. `now` and `advised` are the numbers of both placements.

    `unforced_s` is the time per message of the current placement if no node read values by itself. `one_message` are
    the bytes of one message in one submission, `peak` those of its largest piece as it is placed now. `gains` are the
    gains (time now over time advised) under different guesses of what is unknown. `missing` says what today's placement
    leaves unevaluated, or evaluates too seldom.
    """

    flow: Flow
    loads: tuple[Load, ...]
    machine: Machine
    bounds: Bounds
    cover: Cover
    least_gaps: Mapping[int, float]
    now: Numbers
    advised: Numbers
    slowest_s: float
    one_message: float
    peak: float
    play: Play
    unforced: Callable[[], Numbers]
    gains: tuple[float, ...] = ()
    missing: tuple[str, ...] = ()
    blocks: Mapping[str, BlockGain] = field(default_factory=dict)

    @property
    def current(self) -> Placement:
        """The modes that the graph has today."""
        return self.flow.current

    def points(self) -> list[FlowNode]:
        """Return the nodes that have an evaluation point today."""
        return [node for node in self.flow.mlx_nodes if self.current[node.name].submits]

    def movable(self) -> list[FlowNode]:
        """Return the nodes with a point that may be moved: those that are not pinned."""
        return [node for node in self.points() if not node.node.pinned]

    def removable(self) -> list[FlowNode]:
        """Return the movable points that nothing but cost speaks for: no lazy array would reach another thread."""
        readers = self.flow.readers
        return [
            node
            for node in self.movable()
            if not any(self.flow.crosses_thread(link) for link in readers.get(node.number, ()))
        ]

    def with_modes(self, changes: Mapping[str, Mode]) -> Numbers:
        """Return the numbers of the current placement with some modes changed."""
        return self.play([{**self.current, **changes}])[0]

    def saves(self, then: Numbers, share: float = NOTICEABLE) -> bool:
        """Whether `then` holds the host noticeably less than today."""
        return self.now.host_s - then.host_s > max(share * self.now.host_s, SHORTEST_S)

    def keeps_limits(self, then: Numbers) -> bool:
        """Whether `then` keeps the limits on latency and memory that hold today."""
        now, latency, memory = self.now, self.bounds.latency_s, self.bounds.memory_bytes
        late = latency is not None and then.latency_p90_s > max(latency, now.latency_p90_s)
        large = memory is not None and then.memory_bytes > max(memory, now.memory_bytes)
        return not late and not large

    @property
    def leaves_work_out(self) -> bool:
        """Whether some of the work is never done today, so that its time is not to be compared."""
        return bool(self.missing) and self.now.device_s < MOST_OF_THE_WORK * self.advised.device_s

    @property
    def hopeless(self) -> bool:
        """Whether even the advised placement breaks a limit."""
        bounds, then = self.bounds, self.advised
        late = bounds.latency_s is not None and then.latency_p90_s > bounds.latency_s
        slow = bounds.period_s is not None and max(then.period_s, then.busiest_s) > bounds.period_s * (1.0 + ROUNDING)
        return late or slow or (bounds.memory_bytes is not None and then.memory_bytes > bounds.memory_bytes)

    def load(self, node: FlowNode) -> Load:
        """Return the costs of a node."""
        return self.loads[node.number]


def finding(
    code: str,
    node: str | None,
    severity: Severity,
    says: str,
    fix: str,
    **evidence: float | str,
) -> Finding:
    """Return a finding with the name of its code."""
    return Finding(code, CODES[code], node, severity, says, fix, evidence)


def groups_of(nodes: Sequence[FlowNode]) -> list[list[FlowNode]]:
    """Return nodes by the node of the document that they are copies of; too many are one group."""
    found: dict[str, list[FlowNode]] = {}
    for node in nodes:
        found.setdefault(node.origin, []).append(node)
    return list(found.values()) if len(found) <= MOST_JUDGED else [list(nodes)]


def named(nodes: Iterable[FlowNode]) -> str:
    """Return nodes for a sentence by the names of the document; copies of a repeated node are counted."""
    copies = Counter(node.origin for node in nodes)
    return listed(name if count == 1 else f"{name} ({count} copies)" for name, count in copies.items())


def listed(names: Iterable[str], most: int = 4) -> str:
    """Return names for a sentence, `a, b and 3 more`."""
    every = list(names)
    if len(every) <= most:
        return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)
    return f"{', '.join(every[:most])} and {len(every) - most} more"
