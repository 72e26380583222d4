"""What findings are made from: the graph with its costs, and the numbers of the placements that matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from placement_cli.advise.advice import Finding, Placement, Severity
from placement_cli.advise.codes import CODES
from placement_cli.advise.cover import Cover
from placement_cli.advise.feasible import Bounds
from placement_cli.advise.flow import Flow, FlowNode
from placement_cli.advise.loads import Load
from placement_cli.advise.machine import Machine
from placement_cli.advise.numbers import Numbers
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
    gains (time now over time advised) under different guesses of what is unknown.
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
    blocks: Mapping[str, BlockGain] = field(default_factory=dict)

    @property
    def current(self) -> Placement:
        """The modes that the graph has today."""
        return self.flow.current

    def points(self) -> list[FlowNode]:
        """Return the nodes that have an evaluation point today."""
        return [node for node in self.flow.mlx_nodes if self.current[node.name].submits]

    def changed(self, changes: Mapping[str, Mode]) -> dict[str, Mode]:
        """Return the current placement with some modes changed."""
        return {**self.current, **changes}

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


def listed(names: Iterable[str], most: int = 4) -> str:
    """Return names for a sentence, `a, b and 3 more`."""
    every = list(names)
    if len(every) <= most:
        return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)
    return f"{', '.join(every[:most])} and {len(every) - most} more"
