"""What no run can have written is found, with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.store.run_document import GateRecord, RunDocument, SideRecord
from placement_cli.store.run_soundness import READINGS, unsound

MakeDocument = Callable[..., RunDocument]


def changed(document: RunDocument, *path: str | int, value: Any) -> RunDocument:
    """Return the document with another value at a place of its first case."""
    data = json.loads(document.to_json())
    place = data["cases"][0]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return RunDocument.model_validate(data)


def test_every_small_run_is_sound(document: RunDocument) -> None:
    """Nothing is found in what this program writes."""
    assert unsound(document) is None


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (("base",), "other", "cases.0.base: 'other' is none of its arms"),
        (("reading",), "telepathy", "cases.0.reading: 'telepathy' is none of burst"),
        (("comparisons", 0, "new"), "other", "cases.0.comparisons.0.new: 'other'"),
        (("comparisons", 0, "ratio"), -1.0, "comparisons.0.ratio: is not above zero"),
        (("comparisons", 0, "ci"), [2.0, 1.0], "comparisons.0.ci: is no interval"),
        (("blocks", 0, "samples", 1, "messages"), 0, "blocks.0.samples.1.messages: is not above zero"),
        (("blocks", 0, "samples", 0, "complete_s"), -1.0, "samples.0.complete_s: is no time"),
        (("scenario",), "other", "cases.0.scenario: 'other' is none of the run's"),
        (("arms", "sync"), {}, "cases.0.arms: one has no mode"),
        (("blocks", 0, "state", 0, "thermal"), ["hot"], "blocks.0.state: holds a thermal state"),
        (("blocks", 0, "samples", 0, "complete_s"), 1e80, "complete_s: is no time"),
        (("blocks", 0, "samples", 0, "latency_s"), [0.1, -0.1], "latency_s: is no time"),
        (("blocks", 0, "samples", 0, "peak_bytes"), 10**30, "peak_bytes: is no number"),
        (("blocks", 0, "samples", 0, "arm"), "other", "samples.0.arm: 'other' is none"),
        (("blocks", 0, "samples", 0, "finish_s"), -1.0, "samples.0.finish_s: is no time"),
    ],
)
def test_what_cannot_be_is_found(
    make_document: MakeDocument, path: tuple[str | int, ...], value: Any, problem: str
) -> None:
    """References to nothing, and numbers that would be divided by."""
    assert problem in (unsound(changed(make_document(), *path, value=value)) or "")


def test_cases_are_named_once(make_document: MakeDocument) -> None:
    """Results are looked up by the id of their case."""
    document = make_document()
    twice = document.model_copy(update={"cases": [*document.cases, *document.cases]})
    assert "stands twice" in (unsound(twice) or "")


def test_a_gate_compares_with_a_side_that_it_did_not_measure(make_document: MakeDocument) -> None:
    """Against a stored run the base is no arm; in any other run a comparison has both its arms."""
    document = changed(make_document(), "comparisons", 0, "base", value="base")
    side = SideRecord(given="x", kind="baseline", resolved="", fingerprint="", stable={})
    gate = GateRecord(verdict="passed", reason="", base=side, new=side, differs=[], cases=1, compared=1, failed=[])
    assert "'base' is none of its arms" in (unsound(document) or "")
    assert unsound(document.model_copy(update={"gate": gate})) is None


def test_the_readings_are_those_that_are_measured() -> None:
    """The store knows the same readings as the bench."""
    from placement_cli.measure.specs import Reading

    assert set(READINGS) == {reading.value for reading in Reading}
