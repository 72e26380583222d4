"""One arm of one case in numbers, over all its valid blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from placement_cli.measure.blocks import CaseBlock
from placement_cli.measure.sample import Sample
from placement_cli.statistics.summary import latency_summary, summarise
from placement_cli.store.run_document import ArmSummary, LatencySpread, Spread


def summarise_arm(blocks: Sequence[CaseBlock], arm: str) -> ArmSummary | None:
    """Return what `arm` took over the valid blocks, None when it was never measured.

    Times are seconds a message, latencies seconds of single messages, bytes and calls those of a sample.
    """
    samples = [sample for block in blocks if block.valid for sample in block.measured(arm)]
    if not samples:
        return None
    return ArmSummary(
        complete_s=_spread([s.complete_s / s.messages for s in samples]),
        dispatch_s=_spread([s.dispatch_s / s.messages for s in samples]),
        in_flight_bytes=_spread([float(s.in_flight_bytes) for s in samples]),
        page_faults=_spread([s.page_faults / s.messages for s in samples]),
        latency_s=_latency([value for s in samples for value in s.latency_s]),
        finish_s=_optional(samples, lambda s: s.finish_s),
        free_share=_optional(samples, lambda s: s.free_share),
        missed_share=_missed(samples),
        pending_ops_end=_optional(samples, lambda s: s.pending_ops[-1] if s.pending_ops else None),
        pending_bytes_end=_optional(samples, lambda s: s.pending_bytes[-1] if s.pending_bytes else None),
        stall_call=_optional(samples, lambda s: s.stall_call),
    )


def _spread(values: Sequence[float]) -> Spread:
    summary = summarise(values)
    return Spread(median=summary.median, p10=summary.p10, p90=summary.p90, n=summary.n)


def _latency(values: Sequence[float]) -> LatencySpread | None:
    if not values:
        return None
    latency = latency_summary(values)
    return LatencySpread(p50=latency.p50, p95=latency.p95, p99=latency.p99, max=latency.max, n=latency.n)


def _optional(samples: Sequence[Sample], read: Callable[[Sample], float | None]) -> Spread | None:
    values = [float(value) for value in map(read, samples) if value is not None]
    return _spread(values) if values else None


def _missed(samples: Sequence[Sample]) -> float | None:
    counted = [sample for sample in samples if sample.missed is not None]
    messages = sum(sample.messages for sample in counted)
    return sum(sample.missed or 0 for sample in counted) / messages if messages else None
