"""What the schema of a run cannot say: its parts refer to one another, and its numbers can be divided by."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.store.run_document import BlockRecord, CaseRecord, Comparison, RunDocument, SampleRecord

CONTROL = "control"
"""What a second process of the base is called among samples and summaries; it is no arm."""
READINGS = frozenset({"stream", "burst", "queue", "pending", "paced"})
"""The readings that runs of this major version hold."""
SIDES = frozenset({"base", "new"})
"""The sides of a gate. Against a stored run the base is compared with, and no arm: it was not measured."""


def unsound(document: RunDocument) -> str | None:
    """Return the first thing that no run can have written, with its place; None when there is none."""
    return next(_problems(document), None)


def _problems(document: RunDocument) -> Iterator[str]:
    seen: set[str] = set()
    for number, case in enumerate(document.cases):
        place = f"cases.{number}"
        if case.id in seen:
            yield f"{place}.id: {case.id!r} stands twice"
        seen.add(case.id)
        for problem in _of_case(case, SIDES if document.gate else frozenset()):
            yield f"{place}.{problem}"


def _of_case(case: CaseRecord, sides: frozenset[str]) -> Iterator[str]:
    if case.reading not in READINGS:
        yield f"reading: {case.reading!r} is none of {', '.join(sorted(READINGS))}"
    if case.base not in case.arms:
        yield f"base: {case.base!r} is none of its arms"
    known = {*case.arms, CONTROL}
    yield from (f"summary: {name!r} is none of its arms" for name in case.summary if name not in known)
    for number, comparison in enumerate(case.comparisons):
        yield from (f"comparisons.{number}.{problem}" for problem in _of_comparison(comparison, known | sides))
    for number, block in enumerate(case.blocks):
        yield from (f"blocks.{number}.{problem}" for problem in _of_block(block, known))


def _of_comparison(comparison: Comparison, known: set[str]) -> Iterator[str]:
    for side, name in (("base", comparison.base), ("new", comparison.new)):
        if name not in known:
            yield f"{side}: {name!r} is none of its arms"
    ratio, interval = comparison.ratio, comparison.ci
    if ratio is not None and ratio <= 0:
        yield "ratio: is not above zero"
    if interval is not None and not 0 < interval[0] <= interval[1]:
        yield "ci: is no interval of a ratio"


def _of_block(block: BlockRecord, known: set[str]) -> Iterator[str]:
    for number, sample in enumerate(block.samples):
        if sample.arm not in known:
            yield f"samples.{number}.arm: {sample.arm!r} is none of its arms"
        yield from (f"samples.{number}.{problem}" for problem in _of_sample(sample))


def _of_sample(sample: SampleRecord) -> Iterator[str]:
    if sample.messages < 1:
        yield "messages: is not above zero"
    if sample.dispatch_s < 0 or sample.complete_s < 0 or min(sample.latency_s or (0,)) < 0:
        yield "a time is below zero"
    if (sample.finish_s or 0) < 0:
        yield "finish_s: is below zero"
