"""Plans in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placement_cli.blocks.formulation import Kind
from placement_cli.blocks.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from placement_cli.blocks.plan import BlockPlan, Run, Section

RUNS_SHOWN = 8
"""Runs of blocks listed one by one; the rest is counted."""


def explain(plan: BlockPlan) -> str:
    """Return what the plan does, a step a line, and its notes."""
    return "\n".join(_lines(plan))


def _lines(plan: BlockPlan) -> Iterator[str]:
    yield f"{plan.n_in} inputs x {plan.n_out} outputs: {plan.formulation.name}."
    for section in plan.sections:
        yield from _section(section)
    zeros = plan.formulation.zero_filled_out
    if zeros:
        yield f"Fill {counted(zeros, 'output')} with zeros: no weight reaches them."
    if plan.compiled:
        yield "The whole as one compiled function."
    yield from plan.notes


def _section(section: Section) -> Iterator[str]:
    if section.in_index is not None:
        yield f"Gather {counted(len(section.in_index), 'input')} by index."
    shown = _alike(section.runs)
    yield from (_run(run, times, accumulates=section.accumulates) for run, times in shown[:RUNS_SHOWN])
    if len(shown) > RUNS_SHOWN:
        yield f"And {counted(len(shown) - RUNS_SHOWN, 'run')} of blocks more."
    if section.out_index is not None:
        yield f"Put {counted(len(section.out_index), 'output')} in their places by index."


def _alike(runs: tuple[Run, ...]) -> list[tuple[Run, int]]:
    """Join neighbouring runs that only differ in where they lie."""
    joined: list[tuple[Run, int]] = []
    for run in runs:
        last = joined[-1][0] if joined else None
        times = run.count if run.kind is Kind.LOOP else 1
        if last and _is_alike(last, run):
            joined[-1] = (last, joined[-1][1] + times)
        else:
            joined.append((run, times))
    return joined


def _is_alike(one: Run, other: Run) -> bool:
    same = (one.kind, one.rows, one.columns) == (other.kind, other.rows, other.columns)
    return same and (one.kind is Kind.LOOP or one.count == other.count)


def _run(run: Run, times: int, *, accumulates: bool) -> str:
    shape = f"{run.rows} x {run.columns}"
    repeated = f"{times} times: " if times > 1 else ""
    match run.kind:
        case Kind.DENSE:
            return f"One product with a matrix of {shape}."
        case Kind.LOOP:
            return f"{counted(times, 'product')} with a block of {shape}, one after the other."
        case Kind.BATCH:
            return f"{repeated}{run.count} blocks of {shape} as one batched product."
        case Kind.GATHER_MM:
            return f"{repeated}{run.count} blocks of {shape} as one gather_mm."
        case Kind.ELEMENTWISE:
            return f"{repeated}{counted(run.count, 'channel')}, each times its own weight."
        case Kind.SHARED_SUM:
            return f"{repeated}{counted(run.count, 'block')} of {shape}: scale, and add the scaled sum."
        case Kind.MASKED_MM:
            return f"block_masked_mm of {shape}, {run.count} tiles of {run.tile} x {run.tile} not zero."
        case _:
            doing = "added to every output" if accumulates else "for the outputs that read everything"
            return f"One thin product of {shape}, {doing}."
