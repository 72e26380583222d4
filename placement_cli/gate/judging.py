"""From the blocks of a gate to its verdicts: which cases need more blocks, which are flagged, which are confirmed.

Pure. A gate asks one question only, whether the new side is dearer, so a case that is not on its way there ends early.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from placement_cli.bench.judge import (
    LEAST_BLOCKS,
    Compared,
    Fault,
    case_fault,
    control_lean,
    control_ratios,
    hopeless,
    log_ratios,
    noise_floors,
    valid_blocks,
)
from placement_cli.bench.metrics import METRICS, Metric
from placement_cli.gate.suite import BASE, NEW, GateCase
from placement_cli.measure.blocks import CaseBlock
from placement_cli.statistics.family import holm_adjusted, lean
from placement_cli.statistics.noise_floor import MIN_EFFECT, effect_floor, noise_floor
from placement_cli.statistics.stopping import StoppingRule, decide
from placement_cli.statistics.verdict import Verdict, VerdictKind, invalid, withheld

ALPHA = 0.05
"""The chance that any comparison of an unchanged suite is flagged, before it is confirmed (measurement.md, 11)."""

Blocks = Mapping[str, Sequence[CaseBlock]]
"""The blocks of each case, by its id."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One comparison of a gate.

    `gated` says that it could fail the gate, `p_adjusted` is Holm's over all that could, `repeat` the same comparison
    over fresh blocks, where it was flagged.
    """

    case: GateCase
    compared: Compared
    gated: bool
    p_adjusted: float | None = None
    repeat: Compared | None = None

    @property
    def flagged(self) -> bool:
        """Whether it is slower beyond its limit, also among so many comparisons."""
        slower = self.compared.verdict.kind is VerdictKind.SLOWER
        return self.gated and slower and self.p_adjusted is not None and self.p_adjusted <= ALPHA

    @property
    def confirmed(self) -> bool:
        """Whether fresh blocks said so too."""
        return self.flagged and self.repeat is not None and self.repeat.verdict.kind is VerdictKind.SLOWER


@dataclass(frozen=True, slots=True)
class GateRule:
    """How a gate decides: the looks, and whether a case that is not on its way to slower may end early.

    `settle_all` measures on until every case has a verdict, or no blocks are left: for those who want no
    `inconclusive`.
    """

    stages: tuple[int, ...] = (6, 12, 20)
    settle_all: bool = False

    @property
    def stopping(self) -> StoppingRule:
        """The rule for one comparison."""
        return StoppingRule(self.stages, one_sided=not self.settle_all)


def compare(
    cases: Sequence[GateCase],
    blocks: Blocks,
    rule: GateRule,
    *,
    exhausted: bool = False,
    controls: Blocks | None = None,
) -> list[Finding]:
    """Return every comparison of `cases`, with Holm's adjustment over those that can fail the gate.

    `exhausted` says that no more blocks will come: what is undecided stays so. The noise floor of a case comes from
    its own control, drawn towards that of the suite where it has few blocks; with `controls` from those blocks too.
    """
    floors = _noise(cases, blocks, controls or {})
    found = [
        Finding(each, _one(each, blocks.get(each.id, ()), metric, floors, rule, exhausted), metric.key in each.limits)
        for each in cases
        for metric in METRICS[each.case.reading]
    ]
    return _adjusted(found)


def _adjusted(found: Sequence[Finding]) -> list[Finding]:
    tested = {n: p for n, each in enumerate(found) if each.gated and (p := each.compared.verdict.p_value) is not None}
    adjusted = dict(zip(tested, holm_adjusted(list(tested.values())), strict=True))
    return [replace(each, p_adjusted=adjusted.get(n)) for n, each in enumerate(found)]


def open_cases(cases: Sequence[GateCase], blocks: Blocks, rule: GateRule, *, repeating: bool = False) -> list[GateCase]:
    """Return the cases that need more blocks: a comparison that can fail the gate is not decided.

    When `repeating` what was flagged, each comparison stands for itself.
    """
    found = compare(cases, blocks, rule)
    family = 1 if repeating else sum(each.gated for each in found)
    waiting = {each.case.id for each in found if each.gated and not _settled(each, family)}
    return [
        each
        for each in cases
        if each.id in waiting
        and not hopeless(blocks.get(each.id, ()))
        and len(valid_blocks(blocks.get(each.id, ()))) < rule.stages[-1]
    ]


def _settled(found: Finding, family: int) -> bool:
    """Tell whether a comparison is decided; one that is slower must be so among `family` comparisons."""
    verdict = found.compared.verdict
    if verdict.kind is VerdictKind.SLOWER and (verdict.p_value or 0.0) * family > ALPHA:
        return False
    return found.compared.stop


def _one(
    each: GateCase,
    blocks: Sequence[CaseBlock],
    metric: Metric,
    noise: Mapping[tuple[str, str], float],
    rule: GateRule,
    exhausted: bool,
) -> Compared:
    floor = effect_floor(each.limits.get(metric.key, MIN_EFFECT), noise.get((each.id, metric.key), 0.0))
    ratios = tuple(log_ratios(blocks, BASE, NEW, metric))
    if fault := case_fault(blocks):
        return Compared(BASE, NEW, metric, ratios, floor, invalid(fault.reason, ratios, floor), stop=False)
    if not ratios:
        verdict = Verdict(VerdictKind.INCONCLUSIVE, None, None, 0, floor, "No block was measured.")
        return Compared(BASE, NEW, metric, (), floor, verdict, stop=False)
    decision = decide(ratios, floor, rule.stopping, rule.stages[-1], exhausted=exhausted)
    return Compared(BASE, NEW, metric, ratios, floor, decision.verdict, decision.stop)


def _noise(cases: Sequence[GateCase], blocks: Blocks, more: Blocks) -> dict[tuple[str, str], float]:
    """Return the noise floor of each case and metric, as a log ratio."""
    taken = {each.id: [*blocks.get(each.id, ()), *more.get(each.id, ())] for each in cases}
    planned = {each.id: max(LEAST_BLOCKS, len(valid_blocks(blocks.get(each.id, ())))) for each in cases}
    own = {each.id: noise_floors(each.case, taken[each.id], planned[each.id]) for each in cases}
    suite = {key: median(values) for key, values in _by_metric(own).items()}
    return {
        (each.id, metric.key): noise_floor(ratios, planned[each.id], suite[metric.key])
        for each in cases
        for metric in METRICS[each.case.reading]
        if metric.key in own[each.id] and (ratios := control_ratios(each.case, taken[each.id], metric))
    }


def _by_metric(own: Mapping[str, Mapping[str, float]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for floors in own.values():
        for key, value in floors.items():
            found.setdefault(key, []).append(value)
    return found


def confirmed(found: Sequence[Finding], repeats: Sequence[Finding]) -> list[Finding]:
    """Return `found`, each flagged comparison with that of its fresh blocks; what is not repeated claims nothing."""
    by_key = {(each.case.id, each.compared.metric.key): each.compared for each in repeats}
    return [_with_repeat(each, by_key.get((each.case.id, each.compared.metric.key))) for each in found]


def _with_repeat(found: Finding, repeat: Compared | None) -> Finding:
    if not found.flagged:
        return found
    seen = replace(found, repeat=repeat)
    if seen.confirmed:
        return seen
    again = "no fresh blocks were measured" if repeat is None else "fresh blocks in reverse order do not repeat it"
    verdict = withheld(found.compared.log_ratios, found.compared.floor, f"slower at first, but {again}")
    return replace(seen, compared=replace(found.compared, verdict=verdict))


def unsupported(found: Sequence[Finding]) -> list[Finding]:
    """Return `found` with what does not hold among so many comparisons called `inconclusive`."""
    return [_among_many(each) for each in found]


def _among_many(found: Finding) -> Finding:
    slower = found.gated and found.compared.verdict.kind is VerdictKind.SLOWER
    if not slower or found.flagged:
        return found
    why = (
        f"slower by itself, but chance explains it among this many comparisons (p = {found.p_adjusted:.2g} after Holm)"
    )
    verdict = withheld(found.compared.log_ratios, found.compared.floor, why)
    return replace(found, compared=replace(found.compared, verdict=verdict))


def bias(cases: Sequence[GateCase], blocks: Blocks) -> str:
    """Return why the whole gate is not trusted: its controls lean one way, so the design itself favours a side."""
    medians = [middle for each in cases if (middle := control_lean(each.case, blocks.get(each.id, ()))) is not None]
    if not medians or not (leaning := lean(medians)).leans:
        return ""
    return (
        f"The control, the base in a second process, leans one way in {max(leaning.up, leaning.down)} of "
        f"{leaning.cases} cases (p = {leaning.p_value:.2g}): the design is biased, its verdicts are invalid."
    )


def faults(cases: Sequence[GateCase], blocks: Blocks) -> dict[str, Fault]:
    """Return why cases are not trusted, by id, for those that are not."""
    found = {each.id: case_fault(blocks.get(each.id, ())) for each in cases}
    return {case_id: fault for case_id, fault in found.items() if fault is not None}
