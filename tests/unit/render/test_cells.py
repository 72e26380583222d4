"""What stands in the cells of tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from placement_cli.render.cells import (
    VERDICT_STYLES,
    against,
    arm_cell,
    comparison_of,
    quantity,
    ratio_text,
    verdict_text,
)
from placement_cli.store.run_document import CaseRecord, Comparison, RunDocument

LoadRun = Callable[[str], RunDocument]


@pytest.fixture
def case(load_run_of: LoadRun) -> CaseRecord:
    """A case of five arms in a stream."""
    return load_run_of("stream").cases[0]


def compared(case: CaseRecord, arm: str, metric: str = "complete_s") -> Comparison:
    """The comparison of an arm."""
    found = comparison_of(case, arm, metric)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("metric", "shown"),
    [("complete_s", "152 µs"), ("dispatch_s", "50.7 µs"), ("in_flight_bytes", "3.00 MiB"), ("spike_s", "152 µs")],
)
def test_quantities_have_their_unit(metric: str, shown: str, case: CaseRecord) -> None:
    """The median of a metric is shown in its unit; what has none of its own is shown by the time of a message."""
    assert quantity(case.summary["async"], metric) == shown


def test_ratios_have_their_interval(case: CaseRecord) -> None:
    """A ratio without interval is shown alone, none at all as nothing."""
    each = compared(case, "sync")
    assert ratio_text(each) == "2.05x [1.97, 2.11]"
    assert ratio_text(each.model_copy(update={"ci": None})) == "2.05x"
    assert ratio_text(each.model_copy(update={"ratio": None})) == ""


def test_every_verdict_has_a_word_and_a_style(case: CaseRecord) -> None:
    """No verdict is told by colour alone."""
    for verdict, style in VERDICT_STYLES.items():
        text = verdict_text(compared(case, "sync").model_copy(update={"verdict": verdict}))
        assert (text.plain, text.style) == (verdict, style)


def test_bytes_are_more_or_less(case: CaseRecord) -> None:
    """A verdict on bytes is not slower or faster."""
    assert verdict_text(compared(case, "sync", "in_flight_bytes")).plain == "less"


def test_the_base_is_compared_with_nothing(case: CaseRecord) -> None:
    """The base has its quantity alone."""
    assert against(case, "async", "complete_s") is None
    assert arm_cell(case, "async", "complete_s").plain == "152 µs"


def test_an_arm_has_quantity_ratio_and_verdict(case: CaseRecord) -> None:
    """One below the other."""
    assert arm_cell(case, "sync", "complete_s").plain == "311 µs\n2.05x [1.97, 2.11]\nslower"


def test_an_arm_that_is_left_out_says_why(case: CaseRecord) -> None:
    """Where an arm does the same as another it has no numbers."""
    assert arm_cell(case, "every:4", "complete_s").plain == "same as\nanother arm"


def test_an_arm_without_numbers_was_not_measured(case: CaseRecord) -> None:
    """A missing summary is told, with the verdict where there is one."""
    bare = case.model_copy(update={"summary": {}})
    assert arm_cell(bare, "async", "complete_s").plain == "not measured"
    assert arm_cell(bare, "sync", "complete_s").plain.startswith("not measured\n")


def test_a_lone_arm_that_failed_is_invalid(load_run_of: LoadRun) -> None:
    """Where nothing is compared a fault shows as the verdict."""
    stalled, _, crashed = load_run_of("queue").cases
    assert against(stalled, "async", "dispatch_s") is None
    found = against(crashed, "async", "dispatch_s")
    assert found is not None
    assert [part.plain for part in found] == ["", "invalid"]
