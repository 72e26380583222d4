"""Whether the parts of a run's document agree with one another: what is exported relies on it."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.measure.blocks import CONTROL
from placement_cli.measure.specs import Reading
from placement_cli.store.run_document import BlockRecord, CaseRecord, RunDocument, SampleRecord

LARGEST = 2**63 - 1
"""No count and no number of bytes is larger."""
LONGEST_S = 1e9
"""No sample lasts longer: 30 years."""
TIMES = ("dispatch_s", "complete_s", "finish_s")
COUNTS = ("round", "in_flight_bytes", "peak_bytes", "active_bytes", "cache_bytes", "page_faults")


def contradiction(document: RunDocument) -> str:
    """Return the first thing in `document` that cannot be, after its place (`cases.0.base: ...`); empty if none is."""
    return next(_contradictions(document), "")


def _contradictions(document: RunDocument) -> Iterator[str]:
    scenarios = {scenario.name for scenario in document.scenarios}
    ids: set[str] = set()
    for number, case in enumerate(document.cases):
        where = f"cases.{number}"
        if case.id in ids:
            yield f"{where}.id: another case has it as well"
        ids.add(case.id)
        if case.scenario not in scenarios:
            yield f"{where}.scenario: is not among the scenarios of the run"
        yield from (f"{where}.{what}" for what in _of_case(case))


def _of_case(case: CaseRecord) -> Iterator[str]:
    known = {*case.arms, CONTROL}
    if case.reading not in set(Reading):
        yield "reading: is no kind of reading"
    if case.base not in case.arms:
        yield "base: is not among the arms"
    if not all(isinstance(arm.get("mode"), str) for arm in case.arms.values()):
        yield "arms: one has no mode"
    if not known.issuperset(case.summary):
        yield "summary: holds an arm that the case does not have"
    for number, each in enumerate(case.comparisons):
        if not known.issuperset((each.base, each.new)):
            yield f"comparisons.{number}: compares an arm that the case does not have"
    for number, block in enumerate(case.blocks):
        yield from (f"blocks.{number}.{what}" for what in _of_block(block, known))


def _of_block(block: BlockRecord, known: set[str]) -> Iterator[str]:
    if not all(isinstance(state.get("thermal"), str | None) for state in block.state):
        yield "state: holds a thermal state that is no word"
    for number, sample in enumerate(block.samples):
        if sample.arm not in known:
            yield f"samples.{number}.arm: the case does not have it"
        if not 1 <= sample.messages <= LARGEST:
            yield f"samples.{number}.messages: a sample has one at least"
        yield from (f"samples.{number}.{what}" for what in _of_sample(sample))


def _of_sample(sample: SampleRecord) -> Iterator[str]:
    for name in TIMES:
        seconds = getattr(sample, name)
        if seconds is not None and not 0 <= seconds <= LONGEST_S:
            yield f"{name}: is no time that a sample takes"
    for name in COUNTS:
        if not 0 <= getattr(sample, name) <= LARGEST:
            yield f"{name}: is no number of them"
    if any(not 0 <= seconds <= LONGEST_S for seconds in sample.latency_s or ()):
        yield "latency_s: is no time that a message takes"
