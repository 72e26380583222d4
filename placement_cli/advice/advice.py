"""What advice is made of: predictions, alternatives, findings, and the advice itself, all as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from placement_cli.graph.graph import Graph
from placement_cli.graph.mode import Mode

Placement = Mapping[str, Mode]
"""The mode at the output of every MLX node, in the order of the graph; copies of a repeated node by their own names."""

Severity = Literal["error", "warning", "note"]
"""`error`: it will fail or grow without end; `warning`: it costs something; `note`: good to know."""

AdviceConfidence = Literal["measured", "calibrated", "published", "assumed"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A predicted number and the interval it should lie in."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float) -> Estimate:
        """Return the estimate in another unit."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class Predicted:
    """What a placement does, per message.

    `period_s`: time from one message to the next in the long run. `host_s`: time the host thread is held, waiting
    included; `host_busy_s`: without waiting. `device_s`: time the device works. `latency_s`: message in until values
    are there, at the median; `latency_p90_s` at the 90th percentile of messages. `in_flight_bytes`: the most that is
    allocated at any time, weights and what was there before not counted. `device_busy`: share of the time that the
    device works.
    """

    period_s: Estimate
    host_s: Estimate
    host_busy_s: Estimate
    device_s: Estimate
    latency_s: Estimate
    latency_p90_s: Estimate
    in_flight_bytes: Estimate
    device_busy: Estimate


@dataclass(frozen=True, slots=True)
class Alternative:
    """A placement that was considered.

    `ratio` is its time per message over that of the current placement, for live sources its host time: above 1 is
    slower. `violates` are sentences on limits it breaks, empty when it is feasible.
    """

    name: str
    placement: Placement
    predicted: Predicted
    ratio: Estimate
    violates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the graph as it is: `code` of the table of codes, the node it is about (or None).

    `says` gives the reason in numbers, `fix` what to do, `evidence` the numbers by name with their unit in the name.
    """

    code: str
    name: str
    node: str | None
    severity: Severity
    says: str
    fix: str
    evidence: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MeasuredPlacement:
    """What one placement was measured at: medians with 95 % intervals; None where nothing was measured."""

    name: str
    period_s: Estimate
    host_s: Estimate | None = None
    latency_s: Estimate | None = None
    in_flight_bytes: Estimate | None = None
    ratio: Estimate | None = None
    """Time over that of the tail rule."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A measurement of placements of the graph itself: where the run is kept, and how far predictions were off."""

    run: str
    measured: tuple[MeasuredPlacement, ...]
    error_median: float
    """Median over the placements of |measured / predicted - 1|."""
    says: str
    """What the measurement says about the advice, in one sentence."""


@dataclass(frozen=True, slots=True)
class ProfileUse:
    """Which profile the predictions rest on, how far it can be trusted, and why this one."""

    name: str
    confidence: AdviceConfidence
    why: str
    provenance: str


@dataclass(frozen=True, slots=True)
class Advice:
    """The whole advice.

    `verdict` is one sentence. `alternatives` hold the current placement first, then the tail rule, SYNC at the tail,
    every node, a window, and the one advised where it is none of these (its name is `advised`). `assumed` are
    sentences on what was not known, `settle` on which measurement would settle it, `search` says what was proved.
    """

    graph: Graph
    profile: ProfileUse
    objective: str
    verdict: str
    placement: Placement
    current: Placement
    predicted: Predicted
    alternatives: tuple[Alternative, ...]
    findings: tuple[Finding, ...]
    confidence: AdviceConfidence
    search: str
    assumed: tuple[str, ...] = ()
    settle: tuple[str, ...] = ()
    pareto: tuple[Alternative, ...] = ()
    verified: Verified | None = None

    def changes(self) -> Sequence[tuple[str, Mode, Mode]]:
        """Return (node, mode today, mode advised) of the nodes whose mode changes."""
        return [(name, self.current[name], mode) for name, mode in self.placement.items() if self.current[name] != mode]
