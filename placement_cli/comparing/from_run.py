"""A run of this program as it is compared: one value a block that its verdicts rest on, for every arm and metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import StatisticsError, median

from placement_cli.bench.judge import CONTROL_LEANS
from placement_cli.bench.metrics import METRICS, Metric
from placement_cli.bench.says import fault_reason
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.values import checked
from placement_cli.errors import EXIT_NAMES, InvalidMeasurement, ScenarioFailed
from placement_cli.measure.sample import Sample
from placement_cli.measure.specs import Reading
from placement_cli.store.fingerprint import differences
from placement_cli.store.run_document import CaseRecord, RunDocument, SampleRecord

BASE = "base"
"""The arm of a gate that its other side ran."""
MOST_NAMED = 3
"""Facts or cases that a note names."""


def recorded_from(document: RunDocument, name: str, origin: str) -> Recorded:
    """Return what is compared of `document`, called `name` and read from `origin`.

    The control, a second process of the base, is left out, and so are cases that the run itself calls invalid, all of
    them where its control leans, and blocks that only confirm what a gate had flagged. Of a gate whose sides do not
    share all facts the base is left out as well, with a note: its values were not measured with the facts of the run.
    Raises UnreadableInput, with the place, for values that cannot have been measured.
    """
    facts = document.env
    differs = differences(document.gate.new.stable, document.gate.base.stable) if document.gate else []
    left_out = frozenset({BASE} if differs else ())
    leaning = any(each.code == CONTROL_LEANS for each in document.diagnostics)
    invalid = {case.id for case in document.cases if leaning or fault_reason(case)}
    sound = [case for case in document.cases if case.id not in invalid]
    cases = [each for case in sound for each in _of_case(case, left_out, origin)]
    return Recorded(
        name=name,
        origin=origin,
        tool=f"{document.tool.name} {document.tool.version}",
        started=document.run.started,
        fingerprint=facts.fingerprint,
        stable=facts.stable,
        series=tuple(cases),
        notes=tuple(_notes(document, [case.id for case in document.cases if case.id in invalid], differs)),
    )


def _of_case(case: CaseRecord, left_out: frozenset[str], origin: str) -> Iterator[Series]:
    for arm in case.arms:
        if arm in left_out:
            continue
        blocks = [samples for block in case.counted if (samples := _measured(block.samples, arm))]
        for metric in METRICS[Reading(case.reading)] if blocks else ():
            values = _values(metric, blocks)
            if values:
                place = f"{origin}: {case.id}, {arm}, {metric.key}"
                yield Series(case.id, arm, metric.key, metric.unit, checked(values, place), case.params)


def _measured(samples: Sequence[SampleRecord], arm: str) -> list[Sample]:
    kept = [sample for sample in samples if sample.arm == arm and sample.phase == "measure"]
    return [Sample.from_json(sample.model_dump(exclude_none=True)) for sample in kept]


def _values(metric: Metric, blocks: Sequence[Sequence[Sample]]) -> list[float]:
    """Return the middle of each block; nothing where a sample was taken without what the metric is read off."""
    try:
        return [float(median(map(metric.read, samples))) for samples in blocks]
    except (StatisticsError, IndexError):
        return []


def _notes(document: RunDocument, invalid: Sequence[str], differs: Sequence[str]) -> Iterator[str]:
    if not document.run.complete:
        yield "It ended before its plan did."
    if document.exit.code in (InvalidMeasurement.exit_code, ScenarioFailed.exit_code):
        yield f"It ended with {EXIT_NAMES[document.exit.code]}."
    if invalid:
        yield f"Left out, as the run calls them invalid: {_named(invalid)}."
    if differs:
        yield f"The base of this gate is left out: {_named(differs)}."


def _named(parts: Sequence[str]) -> str:
    more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
    return f"{'; '.join(parts[:MOST_NAMED])}{more}"
