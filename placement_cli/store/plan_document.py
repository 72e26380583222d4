"""The document of a plan, `placement.plan` version 1: the structure of a matrix and how to compute with it.

History: 1.0.0 the first.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from placement_cli.errors import EXIT_NAMES
from placement_cli.store.run_document import Diagnostic, ExitRecord, Part, ToolRecord

PLAN_VERSION = "1.0.0"

Span = tuple[int, int]
"""First channel, and the one after the last."""


class StructureRecord(Part):
    """What the matrix looks like: how its blocks lie, how many, and what is beside them."""

    kind: str
    blocks: int
    zero_rows: int
    zero_columns: int
    nonzero: int
    dense_rows: list[int] = Field(default_factory=list)
    dense_columns: list[int] = Field(default_factory=list)
    nearly_zero: int = 0
    dropped: int = 0
    error_bound: float = 0.0
    says: list[str] = Field(default_factory=list)


class BlockRecord(Part):
    """One block, in the order of channels that the plan computes in: `rows` are inputs, `columns` outputs."""

    rows: Span
    columns: Span


class FormulationRecord(Part):
    """How the product is computed; `in_order` and `out_order` are the channels as the blocks take them."""

    kind: str
    name: str
    blocks: list[BlockRecord]
    permuted: bool
    calls: int
    in_order: list[int] | None = None
    out_order: list[int] | None = None
    steps: list[str] = Field(default_factory=list)


class AlternativeRecord(Part):
    """One way of computing. Times are of one chunk; `ratio` is measured time over that of the dense product.

    `predicted_s` is null where the price is not in seconds; `predicted_ratio` is over the dense product.
    """

    kind: str
    name: str
    calls: int
    predicted_s: float | None
    predicted_ratio: float
    measured_s: float | None = None
    measured_ci: tuple[float, float] | None = None
    ratio: float | None = None
    ratio_ci: tuple[float, float] | None = None
    reason: str | None = None


class UpstreamRecord(Part):
    """What ezmsg-sigproc's own planner chooses, with what it costs over the plan chosen here (1.2: 20 % more).

    `predicted_over_plan` is null where the plan here costs nothing.
    """

    version: str
    name: str
    calls: int
    predicted_s: float | None
    predicted_over_plan: float | None
    measured_s: float | None = None
    over_plan: float | None = None
    over_plan_ci: tuple[float, float] | None = None


class LengthRecord(Part):
    """The plan for one length of chunk, and everything it was chosen from, the chosen one first."""

    samples: int
    formulation: FormulationRecord
    predicted_s: float | None
    measured_s: float | None
    alternatives: list[AlternativeRecord]
    upstream: UpstreamRecord | None = None


class CrossoverRecord(Part):
    """Which way is cheapest for which lengths, both included; null is and more."""

    samples_from: int
    samples_to: int | None
    kind: str
    name: str
    predicted_s: float | None


class CostRecord(Part):
    """Whose costs: `provenance` in words, and the backend they hold for."""

    backend: str
    threads: int
    dtype: str
    provenance: str
    profile: str | None
    confidence: Literal["calibrated", "published", "assumed"]


class PlanDocument(Part):
    """The plans of one matrix; the keys from `samples` to `alternatives` repeat those of the first of `plans`."""

    schema_: Literal["placement.plan"] = Field(default="placement.plan", alias="schema")
    schema_version: str = PLAN_VERSION
    tool: ToolRecord
    weights: str
    shape: tuple[int, int]
    costs: CostRecord
    structure: StructureRecord
    samples: int
    formulation: FormulationRecord
    predicted_s: float | None
    measured_s: float | None
    alternatives: list[AlternativeRecord]
    crossovers: list[CrossoverRecord]
    plans: list[LengthRecord]
    notes: list[str]
    exit: ExitRecord = Field(default_factory=lambda: ExitRecord(code=0, name=EXIT_NAMES[0]))
    diagnostics: list[Diagnostic] = Field(default_factory=list)

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"
