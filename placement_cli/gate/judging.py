"""From the blocks of a gate to its verdicts: which cases need more blocks, which are flagged, which are confirmed.

Pure. A gate asks one question only, whether the new side is dearer, so a case that is not on its way there ends early.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log1p
from statistics import median

from placement_cli.bench.judge import Compared, Fault, control_ratios, hopeless, valid_blocks
from placement_cli.bench.metrics import primary
from placement_cli.gate.evidence import Blocks, Evidence, gather, noises, side_fault
from placement_cli.gate.suite import BASE, NEW, GateCase
from placement_cli.statistics.family import holm_adjusted, lean
from placement_cli.statistics.noise_floor import MIN_EFFECT, effect_floor
from placement_cli.statistics.stopping import StoppingRule, decide
from placement_cli.statistics.verdict import Verdict, VerdictKind, invalid, withheld

HARMLESS_SHARE = 0.5
"""A lean of the controls below this share of the smallest limit decides nothing."""
ALPHA = 0.05
"""The chance that any comparison of an unchanged suite is flagged, before it is confirmed (measurement.md, 11)."""


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
    return weigh(gather(cases, blocks, controls or {}), rule, exhausted=exhausted)


def weigh(evidence: Sequence[Evidence], rule: GateRule, *, exhausted: bool = False) -> list[Finding]:
    """Return what follows from the evidence of every comparison; see `compare`."""
    return _adjusted(
        [
            Finding(each.case, _one(each, noise, rule, exhausted), each.metric.key in each.case.limits)
            for each, noise in zip(evidence, noises(evidence), strict=True)
        ]
    )


def _adjusted(found: Sequence[Finding]) -> list[Finding]:
    tested = {n: p for n, each in enumerate(found) if each.gated and (p := each.compared.verdict.p_value) is not None}
    adjusted = dict(zip(tested, holm_adjusted(list(tested.values())), strict=True))
    return [replace(each, p_adjusted=adjusted.get(n)) for n, each in enumerate(found)]


def open_cases(
    cases: Sequence[GateCase], blocks: Blocks, rule: GateRule, controls: Blocks | None = None
) -> list[GateCase]:
    """Return the cases that need more blocks: a comparison that can fail the gate is not decided.

    With `controls`, when what was flagged is repeated, each comparison stands for itself; see `compare`.
    """
    found = compare(cases, blocks, rule, controls=controls)
    waiting = undecided_cases(found, repeating=controls is not None)
    return [
        each
        for each in cases
        if each.id in waiting
        and not hopeless(blocks.get(each.id, ()))
        and len(valid_blocks(blocks.get(each.id, ()))) < rule.stages[-1]
    ]


def undecided_cases(found: Sequence[Finding], *, repeating: bool = False) -> set[str]:
    """Return the ids of the cases with a comparison that can fail the gate and is not decided; see `open_cases`."""
    family = 1 if repeating else sum(each.gated for each in found)
    return {each.case.id for each in found if each.gated and not _settled(each, family)}


def _settled(found: Finding, family: int) -> bool:
    """Tell whether a comparison is decided; one that is slower must be so among `family` comparisons."""
    verdict = found.compared.verdict
    if verdict.kind is VerdictKind.SLOWER and (verdict.p_value or 0.0) * family > ALPHA:
        return False
    return found.compared.stop


def _one(each: Evidence, noise: float, rule: GateRule, exhausted: bool) -> Compared:
    floor = effect_floor(each.case.limits.get(each.metric.key, MIN_EFFECT), noise)
    ratios = each.new
    if each.fault:
        return Compared(BASE, NEW, each.metric, ratios, floor, invalid(each.fault, ratios, floor), stop=False)
    if not ratios:
        verdict = Verdict(VerdictKind.INCONCLUSIVE, None, None, 0, floor, "No block was measured.")
        return Compared(BASE, NEW, each.metric, (), floor, verdict, stop=False)
    decision = decide(ratios, floor, rule.stopping, rule.stages[-1], exhausted=exhausted)
    return Compared(BASE, NEW, each.metric, ratios, floor, decision.verdict, decision.stop)


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
    verdict = withheld(found.compared.log_ratios, found.compared.floor, f"slower at first, but {_again(repeat)}")
    return replace(seen, compared=replace(found.compared, verdict=verdict))


def _again(repeat: Compared | None) -> str:
    if repeat is None or not (repeat.log_ratios or repeat.verdict.kind is VerdictKind.INVALID):
        return "no fresh blocks were measured"
    if repeat.verdict.kind is VerdictKind.INVALID:
        return "its fresh blocks are invalid"
    return "fresh blocks in reverse order do not repeat it"


def distrusted(found: Sequence[Finding], reason: str) -> list[Finding]:
    """Return `found` with every verdict called invalid for `reason`."""
    return [replace(each, compared=_invalid(each.compared, reason)) for each in found]


def _invalid(compared: Compared, reason: str) -> Compared:
    return replace(compared, verdict=invalid(reason, compared.log_ratios, compared.floor))


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
    """Return why the whole gate is not trusted: its controls lean one way, so the design itself favours a side.

    All cases of a block share its processes, so a block is one trial: the middle of its cases' controls. Eight are
    needed before any can be told to lean, and a lean that is small beside every limit does no harm.
    """
    middles = [median(ratios) for ratios in _controls_by_block(cases, blocks).values()]
    if not middles or not (leaning := lean(middles)).leans:
        return ""
    if abs(leaning.median) < HARMLESS_SHARE * log1p(min(min(each.limits.values()) for each in cases)):
        return ""
    return (
        f"The control, the base in a second process, leans one way in {max(leaning.up, leaning.down)} of "
        f"{leaning.cases} blocks (p = {leaning.p_value:.2g}): the design is biased, its verdicts are invalid."
    )


def _controls_by_block(cases: Sequence[GateCase], blocks: Blocks) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for each in cases:
        for block in blocks.get(each.id, ()):
            ratios = control_ratios(each.case, [block], primary(each.case.reading))
            found.setdefault(block.index, []).extend(ratios)
    return {index: ratios for index, ratios in found.items() if ratios}


def faults(cases: Sequence[GateCase], blocks: Blocks) -> dict[str, Fault]:
    """Return why cases are not trusted, by id, for those that are not."""
    found = {each.id: side_fault(blocks.get(each.id, ())) for each in cases}
    return {case_id: fault for case_id, fault in found.items() if fault is not None}
