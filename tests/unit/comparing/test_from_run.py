"""A run as it is compared: one value a valid block, the control left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

from placement_cli.comparing.from_run import recorded_from
from placement_cli.comparing.recorded import Recorded
from placement_cli.errors import UnreadableInput
from placement_cli.store.run_document import GateRecord, RunDocument, SideRecord

Load = Callable[[str], RunDocument]


def changed(document: RunDocument, change: Callable[[dict[str, Any]], None]) -> RunDocument:
    """Return the document after `change` has been at its JSON."""
    data = json.loads(document.to_json())
    change(data)
    return RunDocument.model_validate(data)


def read(document: RunDocument) -> Recorded:
    """Return what is compared of a document."""
    return recorded_from(document, "a", "a.json")


def gate(document: RunDocument, base_mlx: str) -> RunDocument:
    """Return the document as that of a gate against a side with this MLX."""
    stable = document.env.stable
    new = SideRecord(given=".", kind="current", resolved="", fingerprint="sha256:1", stable=stable)
    base = new.model_copy(update={"stable": {**stable, "mlx": base_mlx}})
    found = GateRecord(verdict="passed", reason="", base=base, new=new, differs=[], cases=1, compared=1, failed=[])

    def sides(data: dict[str, Any]) -> None:
        names = {"async": "base", "sync": "new"}
        for case in data["cases"]:
            case["base"] = "base"
            case["arms"] = {names[arm]: case["arms"][arm] for arm in names}
            case["comparisons"], case["summary"] = [], {}
            for block in case["blocks"]:
                kept = [sample for sample in block["samples"] if sample["arm"] in names]
                block["samples"] = [{**sample, "arm": names[sample["arm"]]} for sample in kept]

    return changed(document, sides).model_copy(update={"gate": found})


def test_one_value_a_valid_block(load_run_of: Load) -> None:
    """The median over the measured samples of the block, a message; warm-up and invalid blocks count for nothing."""

    def blocks(data: dict[str, Any]) -> None:
        first = data["cases"][0]["blocks"][0]
        slower = [{**sample, "complete_s": 3 * sample["complete_s"]} for sample in first["samples"]]
        data["cases"][0]["blocks"] = [first, {**first, "index": 1, "samples": slower}, {**first, "valid": False}]

    document = changed(load_run_of("stream"), blocks)
    samples = [each for each in document.cases[0].blocks[0].samples if each.arm == "sync" and each.phase == "measure"]
    expected = median(sample.complete_s / sample.messages for sample in samples)
    found = next(each for each in read(document).series if each.arm == "sync" and each.metric == "complete_s")
    assert found.values == pytest.approx((expected, 3 * expected))
    assert found.params == {"chunk": "30-64x256", "dtype": "float32"}
    assert (found.case, found.unit, found.independent) == (document.cases[0].id, "s", True)


def test_the_metrics_are_those_of_the_reading(load_run_of: Load) -> None:
    """Prices of a burst are host times first, those of a stream times and bytes."""
    assert {series.metric for series in read(load_run_of("burst")).series} == {"dispatch_s", "complete_s"}
    assert {series.metric for series in read(load_run_of("stream")).series} == {"complete_s", "in_flight_bytes"}


def test_the_control_is_no_arm(load_run_of: Load) -> None:
    """A second process of the base is there for the noise floor alone."""

    def control(data: dict[str, Any]) -> None:
        samples = data["cases"][0]["blocks"][0]["samples"]
        samples += [{**sample, "arm": "control"} for sample in samples if sample["arm"] == "async"]

    document = load_run_of("stream")
    assert read(changed(document, control)).series == read(document).series


def test_both_sides_of_a_gate_are_series(load_run_of: Load) -> None:
    """Of one set-up, base and new stand side by side."""
    assert {series.arm for series in read(gate(load_run_of("stream"), "0.32.4")).series} == {"base", "new"}


def test_a_base_with_other_facts_is_left_out(load_run_of: Load) -> None:
    """Its values are none of the set-up that the run goes by; a note says which fact differs."""
    document = gate(load_run_of("stream"), "0.31.1")
    found = read(document)
    assert {series.arm for series in found.series} == {"new"}
    assert found.fingerprint == document.env.fingerprint
    assert any("The base of this gate is left out: mlx was '0.32.4' and is '0.31.1'" in note for note in found.notes)


def test_notes_tell_what_ended_early(load_run_of: Load) -> None:
    """A run that was stopped, or whose measurement was invalid, is compared with a word about it."""
    complete = load_run_of("burst")
    stopped = changed(complete, lambda data: data["run"].update(complete=False))
    assert read(complete).notes == ()
    assert read(stopped).notes == ("It ended before its plan did.",)
    assert "invalid-measurement" in read(load_run_of("stream")).notes[0]


def test_impossible_values_are_refused(load_run_of: Load) -> None:
    """With the file, the case, the arm and the metric."""

    def absurd(data: dict[str, Any]) -> None:
        for sample in data["cases"][0]["blocks"][0]["samples"]:
            sample["complete_s"] = 1e30

    with pytest.raises(UnreadableInput, match=r"a\.json: chunk-size\[.*\], async, complete_s: .* is nothing"):
        read(changed(load_run_of("stream"), absurd))


def test_what_the_run_calls_invalid_is_left_out(load_run_of: Load) -> None:
    """Whether its blocks say so, a comparison does or the control leans; a note names the cases."""
    document = load_run_of("burst")
    first = document.cases[0].id

    def heat(data: dict[str, Any]) -> None:
        for block in data["cases"][0]["blocks"]:
            block["state"] = [{"thermal": "heavy"}]

    def verdict(data: dict[str, Any]) -> None:
        data["cases"][0]["comparisons"][0]["verdict"] = "invalid"

    def leaning(data: dict[str, Any]) -> None:
        data["diagnostics"].append({"level": "error", "code": "control-leans", "text": "It leans."})

    assert first in {series.case for series in read(document).series}
    for change in (heat, verdict):
        found = read(changed(document, change))
        assert found.series
        assert first not in {series.case for series in found.series}
        assert f"Left out, as the run calls them invalid: {first}." in found.notes
    assert read(changed(document, leaning)).series == ()


def test_blocks_that_confirm_are_left_out(load_run_of: Load) -> None:
    """The first verdict does not rest on them, and only what was flagged has any."""
    document = load_run_of("burst")

    def confirm(data: dict[str, Any]) -> None:
        blocks = data["cases"][0]["blocks"]
        blocks += [{**block, "confirms": True} for block in blocks]

    assert read(changed(document, confirm)).series == read(document).series
