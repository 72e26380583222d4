"""The document of a run, version 1: everything one command measured, from which each number can be recomputed.

History: 1.0.0 the first; 1.1.0 gates: `gate`, and `gated` and `confirmation` of a comparison, `confirms` of a block.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from placement_cli.store.texts import encodable

RUN_SCHEMA = "placement.run"
RUN_VERSION = "1.1.0"


class Part(BaseModel):
    """A part of a document: unknown keys are kept out, numbers are finite."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, populate_by_name=True, frozen=True)


class Spread(Part):
    """The middle of some values and where most of them lie. A missing one carries a reason."""

    median: float
    p10: float
    p90: float
    n: int


class LatencySpread(Part):
    """Latencies of single messages, in seconds."""

    p50: float
    p95: float
    p99: float
    max: float
    n: int


class ArmSummary(Part):
    """One arm of one case over all valid blocks. Times and faults are of one message; bytes of one sample."""

    complete_s: Spread
    dispatch_s: Spread
    in_flight_bytes: Spread
    page_faults: Spread
    latency_s: LatencySpread | None = None
    finish_s: Spread | None = None
    free_share: Spread | None = None
    missed_share: float | None = None
    pending_ops_end: Spread | None = None
    pending_bytes_end: Spread | None = None
    stall_call: Spread | None = None


class Confirmation(Part):
    """What fresh blocks in reverse order said of a comparison that was flagged; it counts when they repeat it."""

    ratio: float | None
    ci: tuple[float, float] | None
    n_blocks: int
    repeated: bool
    reason: str


class Comparison(Part):
    """One arm against the base of its case. `ratio` above 1 means slower, or more memory.

    An effect counts beyond `limit`; `same` means that the whole interval lies within `same_within`. Both are
    relative changes. `gated` says that a gate could fail for it, `confirmation` what came of its second measurement.
    """

    base: str
    new: str
    metric: str
    ratio: float | None
    ci: tuple[float, float] | None
    ci_level: float | None
    bootstrap_ci: tuple[float, float] | None = None
    n_blocks: int
    noise_floor: float
    limit: float
    same_within: float
    p: float | None
    p_adjusted: float | None = None
    verdict: Literal["faster", "slower", "same", "inconclusive", "invalid"]
    reason: str
    blocks_needed: int | None = None
    gated: bool = False
    confirmation: Confirmation | None = None


class Estimate(Part):
    """A quantity computed over the cases or blocks, with its interval."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    unit: str
    reason: str | None = None


class SampleRecord(Part):
    """One sample as it was taken; times are of the whole batch of `messages`."""

    arm: str
    phase: Literal["warmup", "measure"]
    round: int
    at_s: float
    messages: int
    dispatch_s: float
    complete_s: float
    in_flight_bytes: int
    peak_bytes: int
    active_bytes: int
    cache_bytes: int
    page_faults: int
    host_cpu_s: float | None = None
    latency_s: list[float] | None = None
    call_s: list[float] | None = None
    pending_ops: list[int] | None = None
    pending_bytes: list[int] | None = None
    finish_s: float | None = None
    free_share: float | None = None
    missed: int | None = None
    stall_call: int | None = None


class BlockRecord(Part):
    """One block of one case: the samples of one fresh process an arm.

    `confirms` marks the fresh blocks of a case that a gate had flagged: they take no part in its first verdict.
    """

    index: int
    valid: bool
    kind: str
    reason: str
    messages: int
    start_order: list[str]
    pids: dict[str, int]
    errors: dict[str, float | None]
    state: list[dict[str, Any]]
    samples: list[SampleRecord]
    confirms: bool = False


class CaseRecord(Part):
    """One point of a scenario's grid: what competed, what was measured, and what follows."""

    id: str
    scenario: str
    reading: str
    params: dict[str, int | float | str]
    base: str
    pipeline: dict[str, Any]
    arms: dict[str, dict[str, Any]]
    blocks: list[BlockRecord]
    summary: dict[str, ArmSummary]
    comparisons: list[Comparison]
    estimates: list[Estimate] = Field(default_factory=list)

    @property
    def counted(self) -> list[BlockRecord]:
        """The blocks that its summary and verdicts rest on: the valid ones, without those that confirm a verdict."""
        return [block for block in self.blocks if block.valid and not block.confirms]


class Saying(Part):
    """A sentence of *What this says* and the cases it rests on."""

    text: str
    cases: list[str]


class Diagnostic(Part):
    """Something a reader should know about the run."""

    level: Literal["info", "warning", "error"]
    code: str
    text: str
    case: str | None = None


class ScenarioRecord(Part):
    """One scenario of the run: its question, its noise floor and what holds over its cases."""

    name: str
    question: str
    noise_floor: float | None
    control_case: str | None
    estimates: list[Estimate] = Field(default_factory=list)


class RunFacts(Part):
    """When, how and with what the run was made."""

    id: str
    started: str
    duration_s: float
    argv: list[str]
    seed: int
    complete: bool
    resumed: int = 0

    @field_validator("argv")
    @classmethod
    def _encodable(cls, argv: list[str]) -> list[str]:
        """Escape what JSON cannot hold: bytes of a path that are no UTF-8, which Python keeps as lone surrogates."""
        return [encodable(word) for word in argv]


class Environment(Part):
    """Where it was measured: stable facts, their fingerprint, and the harness's own costs."""

    fingerprint: str
    stable: dict[str, Any]
    harness: dict[str, Any]


class ExitRecord(Part):
    """The exit code and its name."""

    code: int
    name: str


class ToolRecord(Part):
    """The program that wrote the document."""

    name: str
    version: str


class SideRecord(Part):
    """One side of a gate: what was asked for, what it turned out to be, and the facts it was measured with.

    `kind` is `current`, `revision`, `requirement`, `copy`, `project`, `environment` or `stored`; `resolved` what that
    was here, such as a commit or the versions installed.
    """

    given: str
    kind: str
    resolved: str
    fingerprint: str
    stable: dict[str, Any]


class GateRecord(Part):
    """Whether a gate passed, and what it compared.

    Its cases have the arms `base` and `new`: one arm of a scenario, run by either side. `cases` counts them,
    `compared` the comparisons that could fail the gate, `failed` are the ids of those cases that did. `differs` says
    which facts the sides do not share, one sentence part each.
    """

    verdict: Literal["passed", "regression", "inconclusive", "nothing-comparable", "invalid", "scenario-failed"]
    reason: str
    base: SideRecord
    new: SideRecord
    differs: list[str]
    cases: int
    compared: int
    failed: list[str]


class RunDocument(Part):
    """Everything one `bench` or `check` measured."""

    # What a document is must stand in it; keys that later minor versions add to its parts may be missing.
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    schema_: Literal["placement.run"] = Field(default="placement.run", alias="schema")
    schema_version: str = RUN_VERSION
    tool: ToolRecord
    run: RunFacts
    env: Environment
    method: dict[str, Any]
    scenarios: list[ScenarioRecord]
    cases: list[CaseRecord]
    says: list[Saying]
    exit: ExitRecord
    diagnostics: list[Diagnostic]
    gate: GateRecord | None = None

    def to_json(self) -> str:
        """Return the document as JSON text; what was not measured is null."""
        return self.model_dump_json(by_alias=True, indent=1)
