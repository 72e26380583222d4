"""Quantities that follow from the samples beyond ratios: prices, knees, shares, growth; each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from placement_cli.bench.judge import valid_blocks
from placement_cli.measure.blocks import CaseBlock
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.measure.units import device_ops
from placement_cli.operators.values import VALUES
from placement_cli.statistics import cost
from placement_cli.store.run_document import Estimate

Blocks = Mapping[str, Sequence[CaseBlock]]
"""Blocks by case id."""


def case_estimates(case: Case, blocks: Sequence[CaseBlock]) -> list[Estimate]:
    """Return what the blocks of one case say beyond ratios."""
    found: list[Estimate] = []
    for arm in case.arms:
        if case.reading is Reading.QUEUE:
            found += _stall(case, blocks, arm.name)
        if _only_submits(case, arm):
            found += _as_estimate(f"waited_share[{arm.name}]", _per_block(blocks, arm.name, _waited), "share")
        if case.reading is Reading.PENDING:
            growth = _per_block(blocks, arm.name, _growth)
            found += _as_estimate(f"pending_growth[{arm.name}]", growth, "ops/message")
    return found


def scenario_estimates(cases: Sequence[Case], blocks: Blocks) -> list[Estimate]:
    """Return what holds over all cases of a scenario: for bursts, the price of an op and of an evaluation point.

    A line through the host's seconds a message over the ops of a message gives, for the arm that only builds, the
    price of building one op; for an evaluating arm, that of one call (`intercept`) and of each op in it (`slope`).
    """
    if not cases or cases[0].reading is not Reading.BURST:
        return []
    ops = [float(device_ops(case.pipeline)) for case in cases]
    if len(set(ops)) < 2:
        return []
    found: list[Estimate] = []
    for arm in cases[0].arms:
        rows = _rows(cases, blocks, arm.name)
        if rows:
            price = cost.price_per_unit(ops, rows)
            found += [
                _named(f"per_op_s[{arm.name}]", price.slope, "s"),
                _named(f"per_call_s[{arm.name}]", price.intercept, "s"),
            ]
    return found


def _rows(cases: Sequence[Case], blocks: Blocks, arm: str) -> list[list[float]]:
    """Return, for each block that measured every case, the host's seconds a message in each case."""
    by_index = [
        {block.index: block for block in valid_blocks(blocks.get(case.id, ())) if block.measured(arm)} for case in cases
    ]
    common = set.intersection(*(set(each) for each in by_index))
    return [
        [median(s.dispatch_s / s.messages for s in each[index].measured(arm)) for each in by_index]
        for index in sorted(common)
    ]


def _only_submits(case: Case, arm: Arm) -> bool:
    """Tell whether nothing in the messages of `arm` waits for values, so that a wait is one for submitting."""
    reads = arm.values or any(node.op == VALUES.name for node in case.pipeline.nodes)
    return case.reading is Reading.STREAM and arm.label == str(ArmMode.ASYNC) and not reads


def _stall(case: Case, blocks: Sequence[CaseBlock], arm: str) -> list[Estimate]:
    """Return at which call the host stalls, and the ops outstanding then.

    Both come from the blocks in which a call blocked. Where those are no more than half there is no number: the
    stall, if there is one, lies beyond the messages tried.
    """
    calls = _per_block(blocks, arm, lambda s: float(s.stall_call or 0))
    if not calls:
        return []
    stalled = [call for call in calls if call]
    name, free = f"stall_call[{arm}]", len(calls) - len(stalled)
    if free >= len(stalled):
        seldom = f" in {free} of {len(calls)} blocks" if stalled else ""
        reason = f"no call of {valid_blocks(blocks)[0].messages} messages blocked{seldom}"
        return [Estimate(name=name, value=None, low=None, high=None, unit="calls", reason=reason)]
    ops = device_ops(case.pipeline)
    outstanding = _as_estimate(f"stall_ops[{arm}]", [ops * call for call in stalled], "ops")
    found = [*_as_estimate(name, stalled, "calls"), *outstanding]
    return (
        [_with_reason(each, f"no call blocked in {free} of {len(calls)} blocks") for each in found] if free else found
    )


def _with_reason(estimate: Estimate, reason: str) -> Estimate:
    return estimate.model_copy(update={"reason": "; ".join(filter(None, [estimate.reason, reason]))})


def _waited(sample: Sample) -> float:
    """The share of the time until all was done in which the submitting thread neither worked nor had returned."""
    waited_s = sample.dispatch_s - (sample.host_cpu_s or 0.0)
    return max(0.0, waited_s / sample.complete_s)


def _growth(sample: Sample) -> float:
    """Pending ops that each message adds between the first and the last."""
    ops = sample.pending_ops
    return (ops[-1] - ops[0]) / (len(ops) - 1) if len(ops) > 1 else 0.0


def _per_block(blocks: Sequence[CaseBlock], arm: str, read: Callable[[Sample], float]) -> list[float]:
    measured = [block.measured(arm) for block in valid_blocks(blocks)]
    return [median(read(sample) for sample in samples) for samples in measured if samples]


def _as_estimate(name: str, values: Sequence[float], unit: str) -> list[Estimate]:
    return [_named(name, cost.estimate(values), unit)] if values else []


def _named(name: str, estimate: cost.Estimate, unit: str) -> Estimate:
    interval = estimate.interval
    if interval is None:
        reason = f"{estimate.n_blocks} blocks are too few for an interval"
        return Estimate(name=name, value=estimate.median, low=None, high=None, unit=unit, reason=reason)
    return Estimate(name=name, value=estimate.median, low=interval.low, high=interval.high, unit=unit)
