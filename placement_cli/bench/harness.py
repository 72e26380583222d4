"""What the harness costs: the tool's time of a message against a loop written by hand, paired in one process."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import median

from placement_cli.bench.selection import select_scenarios
from placement_cli.errors import InternalError
from placement_cli.measure.reference import reference_outputs, save_reference
from placement_cli.measure.spawn import Spawn
from placement_cli.measure.specs import Case
from placement_cli.statistics.order_statistics import Interval, median_interval

LIMIT = 0.02
"""The tool's time of a message may differ from the hand-written loop's by this share."""
CHECKED: tuple[tuple[str, Sequence[str]], ...] = (
    ("chunk-size", ("chunk=30-64x256", "arms=async,sync")),
    ("call-cost", ("ops=3", "arms=off,async")),
)
"""The scenarios that are checked, each with the one case that has a hand-written twin."""
ARM = "async"


@dataclass(frozen=True, slots=True)
class HarnessCost:
    """The ratio of the tool's time to the hand-written loop's, over fresh processes, and its interval."""

    scenario: str
    tool_s: float
    bare_s: float
    ratio: float
    interval: Interval | None

    @property
    def ok(self) -> bool:
        """Whether the ratio is within the limit."""
        return abs(log(self.ratio)) <= log(1 + LIMIT)


def harness_costs(blocks: int, spawn: Spawn, seed: int, scratch: Path) -> list[HarnessCost]:
    """Return what the harness costs in each checked scenario, over `blocks` fresh processes."""
    return [_cost(name, _case(name, sets), blocks, spawn, seed, scratch) for name, sets in CHECKED]


def _case(name: str, sets: Sequence[str]) -> Case:
    (scenario,) = select_scenarios([name], sets)
    if len(scenario.cases) != 1:
        raise InternalError(f"the harness check of {name} expects one case, and there are {len(scenario.cases)}")
    return scenario.cases[0]


def _cost(name: str, case: Case, blocks: int, spawn: Spawn, seed: int, scratch: Path) -> HarnessCost:
    reference = scratch / f"harness-{name}.npz"
    save_reference(reference, reference_outputs(case, seed))
    ratios, tool_s, bare_s = [], [], []
    for block in range(blocks):
        with closing(spawn()) as worker:
            worker.ask("hello")
            worker.ask(
                "prepare",
                case=case.to_json(),
                arm=case.arm(ARM).to_json(),
                seed=seed,
                amounts={},
                reference=str(reference),
            )
            pairs = worker.ask("harness", tool_first=block % 2 == 0)["pairs"]
        ratios.append(median(log(tool / bare) for tool, bare in pairs))
        tool_s.append(median(tool for tool, _ in pairs))
        bare_s.append(median(bare for _, bare in pairs))
    interval = median_interval(ratios)
    shown = interval and Interval(exp(interval.low), exp(interval.high), interval.coverage)
    return HarnessCost(name, median(tool_s), median(bare_s), exp(median(ratios)), shown)
