"""How often the tool is wrong: verdicts on an arm against itself, and against itself made slower on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from placement_cli.bench.judge import Compared
from placement_cli.bench.metrics import primary
from placement_cli.bench.run import Method, ScenarioPlan, make_judge, run_scenario
from placement_cli.bench.stages import Halt, Progress, Unrecorded
from placement_cli.bench.watch import Watcher
from placement_cli.graph.pipeline import Node, Pipeline, Source
from placement_cli.measure.blocks import Bench
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.statistics.rates import Rate, rate
from placement_cli.statistics.verdict import VerdictKind

TWIN = "twin"
"""The name of the arm that is the base once more."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What N verdicts on equal arms, or on one made slower, came to.

    `flagged` is the rate of `faster` or `slower` (of `slower` alone where slowness was injected), with its exact
    95 % bounds (Clopper and Pearson). `blocks` is how many blocks a verdict took in the mean.
    """

    inject: float
    verdicts: Sequence[str]
    flagged: Rate
    blocks: float
    reasons: Sequence[str]


def self_test(verdicts: int, inject: float, method: Method, bench: Bench, watcher: Watcher, scratch: Path) -> SelfTest:
    """Give `verdicts` verdicts on an arm against itself slowed by `inject` (a share; 0: equal arms).

    Every group of cases has its own fresh processes in every block and its own order, as a scenario of `bench`.
    """
    compared: list[Compared] = []
    for plan in _plans(verdicts, inject):
        progress = Progress()
        own = replace(bench, seed=bench.seed + len(compared))
        run_scenario(plan, progress, method, own, Unrecorded(), watcher, Halt(), scratch)
        judge = make_judge(plan, progress, method)
        for case in plan.cases:
            found = judge.compare(case, progress.of(case))
            compared += [each for each in found if each.metric is primary(case.reading)]
    return _outcome(inject, compared)


def _outcome(inject: float, compared: Sequence[Compared]) -> SelfTest:
    kinds = [each.verdict.kind for each in compared]
    looked_for = (VerdictKind.SLOWER,) if inject else (VerdictKind.SLOWER, VerdictKind.FASTER)
    flagged = [each for each in compared if each.verdict.kind in looked_for]
    return SelfTest(
        inject,
        [str(kind) for kind in kinds],
        rate(len(flagged), len(compared)),
        sum(each.verdict.n_blocks for each in compared) / len(compared),
        [each.verdict.reason for each in flagged],
    )


def _plans(verdicts: int, inject: float) -> Iterator[ScenarioPlan]:
    """Yield scenarios of up to as many cases as there are workloads, until `verdicts` cases are reached."""
    workloads = _workloads()
    for number, first in enumerate(range(0, verdicts, len(workloads)), start=1):
        some = list(workloads.items())[: verdicts - first]
        cases = tuple(_case(f"selftest-{number}", label, pipeline, inject) for label, pipeline in some)
        yield ScenarioPlan(f"selftest-{number}", "Is an arm told from itself?", cases, cases[0].id)


def _workloads() -> dict[str, Pipeline]:
    """Return different kinds of work, all small: a stateful chain, matmul, many small ops, and large messages."""
    small, large = Source(32, 32, 128), Source(256, 256, 512)
    return {
        "filter": _chain(small, Node("filter", "sosfilt", ("source",)), Node("rectify", "abs", ("filter",))),
        "matmul": _chain(small, Node("mix", "affine", ("source",))),
        "ops": _chain(Source(8, 8, 16), *_links("abs", 16)),
        "large": _chain(large, Node("scale", "scale", ("source",)), Node("rectify", "abs", ("scale",))),
    }


def _chain(source: Source, *nodes: Node) -> Pipeline:
    return Pipeline(source, nodes)


def _links(op: str, count: int) -> list[Node]:
    return [Node(f"link.{n}", op, ("source" if n == 0 else f"link.{n - 1}",)) for n in range(count)]


def _case(scenario: str, label: str, pipeline: Pipeline, inject: float) -> Case:
    tail = (pipeline.nodes[-1].name,)
    arms = (Arm("async", ArmMode.ASYNC, tail), Arm(TWIN, ArmMode.ASYNC, tail, inject=inject))
    return Case(f"{scenario}[work={label}]", scenario, Reading.STREAM, pipeline, arms, "async", {"work": label})
