"""Pictures of whole runs: what is drawn, what the tables say, and what is not drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from placement_cli.report.charts.drift import drift
from placement_cli.report.charts.latencies import latencies
from placement_cli.report.charts.noise import noise
from placement_cli.report.charts.pending import pending
from placement_cli.report.charts.prices import axis_of, prices
from placement_cli.report.charts.ratios import ratios
from placement_cli.report.charts.stalls import stalls
from placement_cli.report.charts.throughput import throughput, window_depth
from placement_cli.report.charts.timeline import BLOCKED, WORKING, device_stretch, timeline, unit_for
from placement_cli.report.picture import Picture, Spec
from placement_cli.statistics.control import CONTROL
from placement_cli.store.run_document import CaseRecord, RunDocument

Load = Callable[[str], RunDocument]


def drawn(spec: Spec, layer: int) -> Sequence[dict[str, Any]]:
    """Return the data of one layer of a chart."""
    return list(spec["datasets"][spec["layer"][layer]["data"]["name"]])


def rows(picture: Picture | None) -> list[dict[str, str]]:
    """Return the rows of the table of a picture that is there."""
    assert picture is not None
    return [dict(zip(picture.table.headings, row, strict=True)) for row in picture.table.rows]


def with_control(case: CaseRecord, factor: float) -> CaseRecord:
    """Return `case` with a control in its first block that takes `factor` times the base."""
    block = case.blocks[0]
    second = [
        sample.model_copy(update={"arm": CONTROL, "complete_s": factor * sample.complete_s})
        for sample in block.samples
        if sample.arm == case.base
    ]
    longer = block.model_copy(update={"samples": [*block.samples, *second]})
    return case.model_copy(update={"blocks": [longer, *case.blocks[1:]]})


def test_every_comparison_is_a_row_and_a_mark(document: RunDocument) -> None:
    """In the table of ratios as in its panels, one for each metric."""
    compared = [each for case in document.cases for each in case.comparisons]
    picture = ratios(document.cases)
    if not compared:
        assert picture is None
        return
    assert len(rows(picture)) == len(compared)
    assert picture is not None
    assert len(picture.panels) == len({each.metric for each in compared})


def test_a_comparison_without_a_ratio_is_told_in_words(load_run_of: Load) -> None:
    """It keeps its row, and the others keep their axis."""
    cases = load_run_of("stream").cases
    unknown = cases[0].comparisons[0].model_copy(update={"ratio": None, "ci": None, "verdict": "invalid"})
    case = cases[0].model_copy(update={"comparisons": [unknown, *cases[0].comparisons[1:]]})
    picture = ratios([case])
    assert rows(picture)[0]["ratio"] == ""
    assert picture is not None
    assert "invalid: no ratio" in str(picture.panels[0].spec["datasets"])


def test_what_was_measured_again_has_a_row_below(gate: RunDocument) -> None:
    """Its verdict is whether it was confirmed."""
    named = [(row["arm"], row["verdict"]) for row in rows(ratios(gate.cases))]
    assert named == [("async", "slower"), ("sync", "slower"), ("sync, measured again", "confirmed")]


def test_latencies_are_strokes_with_the_tail_in_the_table(load_run_of: Load) -> None:
    """None where no message was timed."""
    cases = load_run_of("paced").cases
    picture = latencies(cases)
    assert len(rows(picture)) == sum(len(case.summary) for case in cases)
    assert {"p50", "p95", "p99", "slowest", "messages"} <= rows(picture)[0].keys()
    assert latencies(load_run_of("burst").cases) is None


def test_throughput_joins_the_windows_in_the_order_of_their_depth(load_run_of: Load) -> None:
    """Each case is a panel; other readings have none."""
    picture = throughput(load_run_of("stream").cases)
    assert picture is not None
    assert [point["arm"] for point in drawn(picture.panels[0].spec, 0)] == ["window:1", "window:4"]
    assert throughput(load_run_of("paced").cases) is None
    assert window_depth({"mode": "every:4", "depth": 4}) == 0


def test_a_message_is_held_then_waits(load_run_of: Load) -> None:
    """The table says how long each; what the host did within is told only where it was read."""
    case = load_run_of("stream").cases[0]
    first = rows(timeline([case]))[0]
    assert (first[WORKING], first[BLOCKED]) == ("not read", "not read")
    block = case.blocks[0]
    read = [each.model_copy(update={"host_cpu_s": each.dispatch_s / 4}) for each in block.samples]
    told = case.model_copy(update={"blocks": [block.model_copy(update={"samples": read})]})
    second = rows(timeline([told]))[0]
    assert "not read" not in (second[WORKING], second[BLOCKED])
    assert timeline(load_run_of("paced").cases) is None


def test_a_device_cannot_begin_what_is_not_submitted(load_run_of: Load) -> None:
    """Without a point it begins at the end of the stream, and a burst without one never does."""
    burst = load_run_of("burst").cases[0]
    assert device_stretch(burst, "off", 1.0, 2.0) is None
    assert device_stretch(burst, "async", 1.0, 2.0) == (0.0, 2.0)
    streamed = burst.model_copy(update={"reading": "stream"})
    assert device_stretch(streamed, "off", 1.0, 2.0) == (1.0, 2.0)


@pytest.mark.parametrize(("seconds", "unit"), [(2.0, "s"), (0.3, "ms"), (5e-5, "\u00b5s"), (3e-12, "ns")])
def test_times_have_a_unit_that_fits(seconds: float, unit: str) -> None:
    """The largest in which the longest is at least 1."""
    assert unit_for(seconds)[1] == unit


def test_noise_is_the_control_against_the_base(load_run_of: Load) -> None:
    """One point a block that has both; nothing without a control."""
    cases = load_run_of("stream").cases
    picture = noise([with_control(cases[0], 1.1)], 0.02)
    (row,) = rows(picture)
    assert row["control against base"] == "1.10"
    assert picture is not None
    assert "2.0 %" in picture.reading
    assert noise(cases, 0.02) is None


def test_drift_is_each_sample_against_its_own_arm(load_run_of: Load) -> None:
    """Blocks without samples have no row; a slow arm is no drift."""
    cases = load_run_of("stream").cases
    found = rows(drift(cases))
    assert [row["block"] for row in found] == ["1"]
    assert int(found[0]["samples"]) == sum(s.phase == "measure" for case in cases for s in case.blocks[0].samples)
    assert all(float(row["median"]) == pytest.approx(1, abs=0.1) for row in found)
    bare = [case.model_copy(update={"blocks": []}) for case in cases]
    assert drift(bare) is None


def test_blocks_that_confirm_are_numbered_on(load_run_of: Load) -> None:
    """They begin anew in the document, and are no further samples of the first blocks."""
    case = with_control(load_run_of("stream").cases[0], 2.0)
    again = [block.model_copy(update={"confirms": True}) for block in case.blocks]
    more = case.model_copy(update={"blocks": [*case.blocks, *again]})
    first = max(block.index for block in case.blocks) + 1
    course, pairs = drift([more]), noise([more], None)
    assert course is not None
    assert pairs is not None
    assert f"Blocks from {first + 1} on are fresh ones" in course.reading
    assert f"Blocks from {first + 1} on are fresh ones" in pairs.reading
    assert [row["block"] for row in rows(pairs)] == ["1", str(first + 1)]
    told = {row["block"]: row["remarks"] for row in rows(course)}
    assert len(told) == 2 * len(rows(drift([case])))
    assert "measured again" in told[str(first + 1)]
    assert "measured again" not in told["1"]


def test_what_piles_up_is_drawn_message_by_message(load_run_of: Load) -> None:
    """Ops and bytes; None where they were not read."""
    case = load_run_of("pending").cases[0]
    block = case.blocks[0]
    read = {"pending_ops": [1, 2, 7], "pending_bytes": [0, 4096, 8192]}
    counted = block.model_copy(update={"samples": [each.model_copy(update=read) for each in block.samples]})
    picture = pending([case.model_copy(update={"blocks": [counted]})])
    found = {(row["ops after the first"], row["ops after the last"], row["most bytes"]) for row in rows(picture)}
    assert found == {("1", "7", "8.00 KiB")}
    assert picture is not None
    assert [panel.title.rpartition(": ")[2] for panel in picture.panels] == ["ops pending", "bytes pending"]
    assert pending(load_run_of("stream").cases) is None


def test_calls_are_drawn_where_a_queue_was_filled(load_run_of: Load) -> None:
    """The table says at which call the host stalls."""
    cases = load_run_of("queue").cases
    block = cases[0].blocks[0]
    called = [each.model_copy(update={"call_s": [1e-6] * 63 + [1e-3]}) for each in block.samples]
    case = cases[0].model_copy(update={"blocks": [block.model_copy(update={"samples": called})]})
    (row,) = rows(stalls([case]))
    assert (row["number of the longest"], row["longest call"], row["stalls in call"]) == ("64", "1.00 ms", "64")
    assert stalls(load_run_of("stream").cases) is None


def test_prices_are_drawn_over_the_one_number_that_varies(load_run_of: Load) -> None:
    """Words and several axes are none."""
    cases = load_run_of("burst").cases
    assert axis_of(cases) == "ops"
    assert axis_of(load_run_of("stream").cases) is None
    picture = prices(cases)
    assert picture is None or picture.title == "Host time over ops"
