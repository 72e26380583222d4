"""What the schema of a run cannot say: its parts refer to one another, and its numbers can be divided by."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.statistics.control import CONTROL
from placement_cli.store.run_document import BlockRecord, CaseRecord, Comparison, RunDocument, SampleRecord

READINGS = frozenset({"stream", "burst", "queue", "pending", "paced"})
"""The readings that runs of this major version hold."""
SIDES = frozenset({"base", "new"})
"""The sides of a gate. Against a stored run the base is compared with, and no arm: it was not measured."""

LARGEST = 2**63 - 1
"""No count and no number of bytes is larger."""
LONGEST_S = 1e9
"""No sample lasts longer: 30 years."""
TIMES = ("dispatch_s", "complete_s", "finish_s")
COUNTS = ("round", "in_flight_bytes", "peak_bytes", "active_bytes", "cache_bytes", "page_faults")


def unsound(document: RunDocument) -> str | None:
    """Return the first thing that no run can have written, with its place; None when there is none."""
    return next(_problems(document), None)


def _problems(document: RunDocument) -> Iterator[str]:
    seen: set[str] = set()
    scenarios = {scenario.name for scenario in document.scenarios}
    for number, case in enumerate(document.cases):
        place = f"cases.{number}"
        if case.id in seen:
            yield f"{place}.id: {case.id!r} stands twice"
        seen.add(case.id)
        if case.scenario not in scenarios:
            yield f"{place}.scenario: {case.scenario!r} is none of the run's"
        for problem in _of_case(case, SIDES if document.gate else frozenset()):
            yield f"{place}.{problem}"


def _of_case(case: CaseRecord, sides: frozenset[str]) -> Iterator[str]:
    if case.reading not in READINGS:
        yield f"reading: {case.reading!r} is none of {', '.join(sorted(READINGS))}"
    if case.base not in case.arms:
        yield f"base: {case.base!r} is none of its arms"
    if not all(isinstance(arm.get("mode"), str) for arm in case.arms.values()):
        yield "arms: one has no mode"
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
    if not all(isinstance(state.get("thermal"), str | None) for state in block.state):
        yield "state: holds a thermal state that is no word"
    for number, sample in enumerate(block.samples):
        if sample.arm not in known:
            yield f"samples.{number}.arm: {sample.arm!r} is none of its arms"
        yield from (f"samples.{number}.{problem}" for problem in _of_sample(sample))


def _of_sample(sample: SampleRecord) -> Iterator[str]:
    if not 1 <= sample.messages <= LARGEST:
        yield "messages: is not above zero" if sample.messages < 1 else "messages: is no number of them"
    for name in TIMES:
        seconds = getattr(sample, name)
        if seconds is not None and not 0 <= seconds <= LONGEST_S:
            yield f"{name}: is no time that a sample takes"
    for name in COUNTS:
        if not 0 <= getattr(sample, name) <= LARGEST:
            yield f"{name}: is no number of them"
    if any(not 0 <= seconds <= LONGEST_S for seconds in sample.latency_s or ()):
        yield "latency_s: is no time that a message takes"
