"""From advice to its document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite, isnan

from placement_cli.advice.advice import (
    Advice,
    Alternative,
    Estimate,
    Finding,
    MeasuredPlacement,
    Placement,
    Predicted,
    Verified,
)
from placement_cli.advice.copies import folded
from placement_cli.graph.document.writing import to_document
from placement_cli.graph.graph import Graph, GraphNode
from placement_cli.store.advice_document import (
    AdviceDocument,
    EdgeRecord,
    EstimateRecord,
    FindingRecord,
    GraphRecord,
    MeasuredRecord,
    NodeRecord,
    PlacementRecord,
    PredictedRecord,
    ProfileRecord,
    SourceRecord,
    VerifiedRecord,
)
from placement_cli.store.run_document import Diagnostic, ToolRecord

UNBOUNDED = "without bound"
UNKNOWN = "not known"
NOT_CALIBRATED = "not-calibrated"


def advice_document(advice: Advice, tool_version: str, origin: str) -> AdviceDocument:
    """Return the document of `advice` on the graph that was read from the file `origin`, as it was given.

    Raises UsageError for a graph that graph.yaml cannot describe, which no file can hold.
    """
    return AdviceDocument(
        tool=ToolRecord(name="placement", version=tool_version),
        graph=_graph(advice.graph, origin),
        profile=ProfileRecord(
            name=advice.profile.name,
            confidence=advice.profile.confidence,
            why=advice.profile.why,
            provenance=advice.profile.provenance,
        ),
        objective=advice.objective,
        verdict=advice.verdict,
        placement=_modes(advice.graph, advice.placement),
        current=_modes(advice.graph, advice.current),
        predicted=_predicted(advice.predicted),
        alternatives=[_placement(advice.graph, each) for each in advice.alternatives],
        findings=[_finding(each) for each in advice.findings],
        confidence=advice.confidence,
        search=advice.search,
        assumed=list(advice.assumed),
        settle=list(advice.settle),
        pareto=[_placement(advice.graph, each) for each in advice.pareto],
        verified=None if advice.verified is None else _verified(advice.verified, advice),
        diagnostics=list(_diagnostics(advice)),
    )


def _graph(graph: Graph, origin: str) -> GraphRecord:
    source = graph.source
    return GraphRecord(
        name=graph.name,
        file=origin,
        device=graph.device,
        source=SourceRecord(
            shape=(source.samples, source.channels),
            dtype=source.dtype,
            rate_hz=source.rate,
            messages=source.messages,
            kind=source.kind,
        ),
        node_count=sum(node.repeat for node in graph.nodes),
        nodes=[_node(node) for node in graph.nodes],
        document=to_document(graph),
    )


def _node(node: GraphNode) -> NodeRecord:
    return NodeRecord(
        name=node.name,
        inputs=[EdgeRecord(node=edge.node, lag=edge.lag, leaky=edge.leaky) for edge in node.inputs],
        op=node.op,
        repeat=node.repeat,
        backend=node.backend,
        pinned=node.pinned,
        process=node.process,
        thread=node.thread,
    )


def _modes(graph: Graph, placement: Placement) -> dict[str, str]:
    return {name: str(mode) for name, mode in folded(graph, placement).items()}


def _placement(graph: Graph, each: Alternative) -> PlacementRecord:
    return PlacementRecord(
        name=each.name,
        placement=_modes(graph, each.placement),
        predicted=_predicted(each.predicted),
        ratio=_estimate(each.ratio),
        violates=list(each.violates),
    )


def _predicted(predicted: Predicted) -> PredictedRecord:
    return PredictedRecord(
        period_s=_estimate(predicted.period_s),
        host_s=_estimate(predicted.host_s),
        host_busy_s=_estimate(predicted.host_busy_s),
        device_s=_estimate(predicted.device_s),
        latency_s=_estimate(predicted.latency_s),
        latency_p90_s=_estimate(predicted.latency_p90_s),
        in_flight_bytes=_estimate(predicted.in_flight_bytes),
        device_busy=_estimate(predicted.device_busy),
    )


def _estimate(estimate: Estimate) -> EstimateRecord:
    """Return the estimate; a reason is there where one of its numbers is not finite."""
    numbers = (estimate.value, estimate.low, estimate.high)
    return EstimateRecord(
        value=_finite(estimate.value), low=_finite(estimate.low), high=_finite(estimate.high), reason=_reason(*numbers)
    )


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def _reason(*numbers: float) -> str | None:
    if all(map(isfinite, numbers)):
        return None
    return UNKNOWN if any(map(isnan, numbers)) else UNBOUNDED


def _finding(finding: Finding) -> FindingRecord:
    return FindingRecord(
        code=finding.code,
        name=finding.name,
        node=finding.node,
        severity=finding.severity,
        says=finding.says,
        fix=finding.fix,
        evidence=_evidence(finding.evidence),
    )


def _evidence(evidence: Mapping[str, float | str]) -> dict[str, float | str | None]:
    """Return the evidence; what is not finite is null, and NAME_reason says why."""
    told: dict[str, float | str | None] = {}
    for name, value in evidence.items():
        reason = None if isinstance(value, str) else _reason(value)
        told |= {name: value} if reason is None else {name: None, f"{name}_reason": reason}
    return told


def _verified(verified: Verified, advice: Advice) -> VerifiedRecord:
    predicted = {each.name: each.predicted for each in (*advice.pareto, *advice.alternatives)}
    return VerifiedRecord(
        run=verified.run,
        error_median=_finite(verified.error_median),
        says=verified.says,
        measured=[_measured(each, predicted.get(each.name)) for each in verified.measured],
    )


def _measured(each: MeasuredPlacement, predicted: Predicted | None) -> MeasuredRecord:
    return MeasuredRecord(
        name=each.name,
        period_s=_estimate(each.period_s),
        predicted_period_s=None if predicted is None else _estimate(predicted.period_s),
        host_s=_measure(each.host_s),
        latency_s=_measure(each.latency_s),
        in_flight_bytes=_measure(each.in_flight_bytes),
        ratio=_measure(each.ratio),
    )


def _measure(estimate: Estimate | None) -> EstimateRecord | None:
    return None if estimate is None else _estimate(estimate)


def _diagnostics(advice: Advice) -> Iterator[Diagnostic]:
    """Yield a warning where the predictions rest on costs of another machine and nothing was measured."""
    if advice.verified is not None:
        return
    if advice.profile.confidence == "assumed":
        yield Diagnostic(level="warning", code=NOT_CALIBRATED, text=advice.profile.why)
    elif advice.profile.confidence == "published":
        yield Diagnostic(level="info", code=NOT_CALIBRATED, text=advice.profile.why)
