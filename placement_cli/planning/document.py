"""From plans to their document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from placement_cli.store.plan_document import (
    AlternativeRecord,
    BlockRecord,
    CostRecord,
    CrossoverRecord,
    FormulationRecord,
    LengthRecord,
    PlanDocument,
    StructureRecord,
    UpstreamRecord,
)
from placement_cli.store.run_document import Diagnostic, ToolRecord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from placement_cli.blocks.lengths import LengthRange
    from placement_cli.blocks.plan import BlockPlan
    from placement_cli.blocks.structure import Structure
    from placement_cli.planning.comparison import Alternative, LengthPlan
    from placement_cli.planning.prices import PlanPrice

NOT_CALIBRATED = "not-calibrated"


@dataclass(frozen=True, slots=True)
class Planned:
    """Everything one `placement plan` found out."""

    weights: str
    structure: Structure
    backend: str
    threads: int
    dtype: str
    price: PlanPrice
    lengths: tuple[LengthPlan, ...]
    crossovers: tuple[LengthRange, ...]
    upstream_version: str | None = None


def plan_document(planned: Planned, tool_version: str) -> PlanDocument:
    """Return the document; `lengths` holds one length at least."""
    in_seconds = planned.price.in_seconds
    plans = [_length(length, planned) for length in planned.lengths]
    first = plans[0]
    return PlanDocument(
        tool=ToolRecord(name="placement", version=tool_version),
        weights=planned.weights,
        shape=(planned.structure.n_in, planned.structure.n_out),
        costs=_costs(planned),
        structure=structure_record(planned.structure),
        samples=first.samples,
        formulation=first.formulation,
        predicted_s=first.predicted_s,
        measured_s=first.measured_s,
        alternatives=first.alternatives,
        crossovers=[_crossover(each, in_seconds) for each in planned.crossovers],
        plans=plans,
        notes=list(dict.fromkeys(note for length in planned.lengths for note in length.best.plan.notes)),
        diagnostics=_diagnostics(planned),
    )


def structure_record(structure: Structure) -> StructureRecord:
    """Return a structure as documents carry it."""
    crossing = structure.crossing
    pattern = crossing.rest if crossing else structure.pattern
    return StructureRecord(
        kind=str(structure.arrangement),
        blocks=len(pattern.components),
        zero_rows=structure.unused_inputs,
        zero_columns=structure.unused_outputs,
        nonzero=structure.pattern.nonzero,
        dense_rows=list(crossing.rows) if crossing else [],
        dense_columns=list(crossing.columns) if crossing else [],
        nearly_zero=structure.nearly_zero,
        dropped=structure.dropped,
        error_bound=structure.error_bound,
        says=structure.describe().splitlines(),
    )


def _costs(planned: Planned) -> CostRecord:
    profile = planned.price.profile
    confidence: Literal["calibrated", "published", "assumed"] = profile.confidence if profile else "assumed"
    return CostRecord(
        backend=planned.backend,
        threads=planned.threads,
        dtype=planned.dtype,
        provenance=planned.price.provenance,
        profile=profile.name if profile else None,
        confidence=confidence,
    )


def _length(length: LengthPlan, planned: Planned) -> LengthRecord:
    in_seconds = planned.price.in_seconds
    dense = length.dense.predicted
    best = length.best
    return LengthRecord(
        samples=length.samples,
        formulation=_formulation(best.plan, best.name),
        predicted_s=best.predicted if in_seconds else None,
        measured_s=best.times.seconds if best.times else None,
        alternatives=[_alternative(each, dense, in_seconds) for each in length.alternatives],
        upstream=_upstream(length, planned),
    )


def _formulation(plan: BlockPlan, name: str) -> FormulationRecord:
    formulation = plan.formulation
    return FormulationRecord(
        kind=str(formulation.kind),
        name=name,
        blocks=[
            BlockRecord(rows=(rows.start, rows.stop), columns=(columns.start, columns.stop))
            for rows, columns in plan.blocks
        ],
        permuted=formulation.permuted,
        calls=formulation.calls,
        in_order=_numbers(plan.in_perm),
        out_order=_numbers(plan.out_perm),
        steps=plan.explain().splitlines(),
    )


def _numbers(index: NDArray[np.intp] | None) -> list[int] | None:
    return None if index is None else [int(channel) for channel in index]


def _alternative(each: Alternative, dense: float, in_seconds: bool) -> AlternativeRecord:
    ratio, interval = each.ratio or (None, None)
    return AlternativeRecord(
        kind=str(each.formulation.kind),
        name=each.name,
        calls=each.formulation.calls,
        predicted_s=each.predicted if in_seconds else None,
        predicted_ratio=each.predicted / dense,
        measured_s=each.times.seconds if each.times else None,
        measured_ci=each.times.interval if each.times else None,
        ratio=ratio,
        ratio_ci=(interval.low, interval.high) if interval else None,
        reason=each.problem,
    )


def _upstream(length: LengthPlan, planned: Planned) -> UpstreamRecord | None:
    theirs = length.upstream
    if theirs is None:
        return None
    over, interval = length.over_plan or (None, None)
    return UpstreamRecord(
        version=planned.upstream_version or "",
        name=theirs.name,
        calls=theirs.formulation.calls,
        predicted_s=theirs.predicted if planned.price.in_seconds else None,
        predicted_over_plan=theirs.predicted / length.best.predicted if length.best.predicted > 0 else None,
        measured_s=theirs.times.seconds if theirs.times else None,
        over_plan=over,
        over_plan_ci=(interval.low, interval.high) if interval else None,
    )


def _crossover(each: LengthRange, in_seconds: bool) -> CrossoverRecord:
    formulation = each.choice.formulation
    return CrossoverRecord(
        samples_from=each.samples_from,
        samples_to=each.samples_to,
        kind=str(formulation.kind),
        name=formulation.name,
        predicted_s=each.predicted_s if in_seconds else None,
    )


def _diagnostics(planned: Planned) -> list[Diagnostic]:
    found = []
    if planned.price.profile is None:
        found.append(Diagnostic(level="warning", code=NOT_CALIBRATED, text=planned.price.provenance))
    if not planned.price.trusted and any(length.best.times is None for length in planned.lengths):
        text = "The profile missed its gate: choices by it are to be measured (--measure)."
        found.append(Diagnostic(level="warning", code="fit-missed-gate", text=text))
    return found
