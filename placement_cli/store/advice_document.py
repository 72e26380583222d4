"""The document of advice, `placement.advice` version 1: where a graph should evaluate, predicted and explained.

History: 1.0.0 the first.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from placement_cli.errors import EXIT_NAMES
from placement_cli.store.run_document import Diagnostic, ExitRecord, Part, ToolRecord

ADVICE_VERSION = "1.0.0"

Confidence = Literal["measured", "calibrated", "published", "assumed"]
Modes = dict[str, str]
"""Node to mode, as graph.yaml writes it; a repeated node by its own name where its copies have the same mode."""


class EstimateRecord(Part):
    """A number and the interval it should lie in; what is not finite is null, and `reason` says why."""

    value: float | None
    low: float | None
    high: float | None
    reason: str | None = None


class PredictedRecord(Part):
    """What a placement does, per message.

    `host_s` includes waiting, `host_busy_s` does not; `in_flight_bytes` is the most at any time, without weights.
    """

    period_s: EstimateRecord
    host_s: EstimateRecord
    host_busy_s: EstimateRecord
    device_s: EstimateRecord
    latency_s: EstimateRecord
    latency_p90_s: EstimateRecord
    in_flight_bytes: EstimateRecord
    device_busy: EstimateRecord


class PlacementRecord(Part):
    """A placement that was considered; `ratio` is its time over that of the current one, above 1 is slower."""

    name: str
    placement: Modes
    predicted: PredictedRecord
    ratio: EstimateRecord
    violates: list[str]


class FindingRecord(Part):
    """Something about the graph as it is. Numbers of `evidence` have their unit in the key."""

    code: str
    name: str
    node: str | None
    severity: Literal["error", "warning", "note"]
    says: str
    fix: str
    evidence: dict[str, float | str | None]


class EdgeRecord(Part):
    """A node reads the output of `node`, of the message `lag` messages ago; a `leaky` reader may drop messages."""

    node: str
    lag: int = 0
    leaky: bool = False


class NodeRecord(Part):
    """One node as far as a reader of advice needs it; graph.yaml has the rest."""

    name: str
    inputs: list[EdgeRecord]
    op: str | None
    repeat: int
    backend: Literal["mlx", "host"]
    pinned: bool
    process: str
    thread: str


class SourceRecord(Part):
    """The messages: shape in samples x channels, `rate_hz` a second, null when as fast as the host takes them."""

    shape: tuple[int, int]
    dtype: str
    rate_hz: float | None
    messages: int | None
    kind: Literal["live", "replay", "loop", "once"]


class GraphRecord(Part):
    """What identifies the graph: its name, the file as it was given, the source, and the nodes in order.

    `document` is the whole graph, as graph.yaml has it.
    """

    name: str
    file: str
    device: Literal["gpu", "cpu"] | None
    source: SourceRecord
    node_count: int
    nodes: list[NodeRecord]
    document: dict[str, Any] = Field(default_factory=dict)


class ProfileRecord(Part):
    """The profile that predictions rest on, how far it can be trusted, and why it was taken."""

    name: str
    confidence: Confidence
    why: str
    provenance: str


class MeasuredRecord(Part):
    """One placement as measured, with 95 % intervals; null where nothing was measured.

    `ratio` is its time over that of one ASYNC at every tail; `predicted_period_s` what was predicted for it.
    """

    name: str
    period_s: EstimateRecord
    predicted_period_s: EstimateRecord | None
    host_s: EstimateRecord | None
    latency_s: EstimateRecord | None
    in_flight_bytes: EstimateRecord | None
    ratio: EstimateRecord | None


class VerifiedRecord(Part):
    """A measurement of the graph itself: where its run is kept, and the median of |measured / predicted - 1|."""

    run: str
    error_median: float | None
    says: str
    measured: list[MeasuredRecord]


class AdviceDocument(Part):
    """The whole advice; `alternatives` hold the current placement first."""

    # What a document is must stand in it.
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    schema_: Literal["placement.advice"] = Field(default="placement.advice", alias="schema")
    schema_version: str = ADVICE_VERSION
    tool: ToolRecord
    graph: GraphRecord
    profile: ProfileRecord
    objective: str
    verdict: str
    placement: Modes
    current: Modes
    predicted: PredictedRecord
    alternatives: list[PlacementRecord]
    findings: list[FindingRecord]
    confidence: Confidence
    search: str
    assumed: list[str]
    settle: list[str]
    pareto: list[PlacementRecord]
    verified: VerifiedRecord | None
    exit: ExitRecord = Field(default_factory=lambda: ExitRecord(code=0, name=EXIT_NAMES[0]))
    diagnostics: list[Diagnostic] = Field(default_factory=list)

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"
