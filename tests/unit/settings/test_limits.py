"""Limits: how they are written, and which one holds."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.metrics import METRICS
from placement_cli.settings.limits import (
    DEFAULT_TIME_LIMIT,
    MAX_LIMIT,
    METRIC_KEYS,
    Limit,
    LimitEntry,
    Limits,
    format_limit,
    glob_matches,
    metric_matches,
    parse_limit,
    parse_limit_or_off,
)
from placement_cli.statistics.noise_floor import MIN_EFFECT

CASE = "chunk-size[chunk=128x1024,dtype=float32]"
TIME, MEMORY = Limit(0.03, "default"), Limit(0.1, "default")


@pytest.mark.parametrize(
    ("text", "change"),
    [("+5%", 0.05), ("+0.5 %", 0.005), (" + 5% ", 0.05), ("+.5%", 0.005), ("+5.%", 0.05), ("+1000%", 10.0)],
)
def test_a_limit_is_a_change_with_its_sign(text: str, change: float) -> None:
    """Blanks and decimals are free."""
    assert parse_limit(text) == change


@pytest.mark.parametrize(
    "text",
    [
        "5%",
        "200%",
        "5",
        "+5",
        "-5%",
        "+-5%",
        "+0%",
        "+0.00 %",
        "+1000.1%",
        "",
        "+%",
        "+5%%",
        "+1e1%",
        "+\N{ARABIC-INDIC DIGIT FIVE}%",
        "off",
        "nan",
        "+" + "9" * 100 + "%",
        "+0." + "0" * 100 + "1%",
    ],
)
def test_anything_else_is_refused_with_the_way_to_write_it(text: str) -> None:
    """Whoever wrote it need not look it up."""
    with pytest.raises(ValueError, match=r"is no limit: write the change that is still fine as \+5%"):
        parse_limit(text)


@given(st.decimals(min_value=Decimal("0.0001"), max_value=1000, places=4))
@settings(deadline=None)
def test_what_is_written_is_read_back(percent: Decimal) -> None:
    """Every limit has one form, and it means the same."""
    change = parse_limit(f"+{percent}%")
    assert change == pytest.approx(float(percent) / 100, rel=1e-12)
    assert parse_limit(format_limit(change)) == change


@given(st.text(alphabet="+-0123456789.% eoffé") | st.text())
@settings(deadline=None)
def test_any_text_is_a_limit_or_an_error(text: str) -> None:
    """Never anything outside of the range, and never another kind of error."""
    try:
        value = parse_limit_or_off(text)
    except ValueError:
        return
    assert value is None if text == "off" else 0 < value <= MAX_LIMIT
    assert parse_limit_or_off(format_limit(value)) == value


@pytest.mark.parametrize(("value", "text"), [(0.05, "+5%"), (0.035, "+3.5%"), (10.0, "+1000%"), (1.0, "+100%")])
def test_limits_are_shown_as_they_are_written(value: float, text: str) -> None:
    """Without zeros that say nothing."""
    assert format_limit(value) == text


def test_the_metrics_are_those_that_are_measured() -> None:
    """A metric that a reading gains must be known here too."""
    assert set(METRIC_KEYS) == {metric.key for metrics in METRICS.values() for metric in metrics}


def test_brackets_in_globs_stand_for_themselves() -> None:
    """The id of a case is a pattern for itself."""
    assert glob_matches(CASE, CASE)
    assert glob_matches("chunk-size[[]*]", "chunk-size[[]x]")
    assert glob_matches("chunk-size[*dtype=float32]", CASE)
    assert glob_matches("chunk-size[chunk=128x102?,*", CASE)
    assert not glob_matches("Chunk-size*", CASE)
    assert not glob_matches("chunk-size", CASE)


def test_time_and_memory_share_all_metrics() -> None:
    """Each metric is in one of the two groups."""
    assert all(metric_matches("time", key) is not metric_matches("memory", key) for key in METRIC_KEYS)
    assert [key for key in METRIC_KEYS if metric_matches("memory", key)] == ["in_flight_bytes"]


def test_without_entries_time_and_memory_have_a_limit_each() -> None:
    """Those of the check table."""
    limits = Limits(TIME, MEMORY)
    assert limits.limit_for(CASE, "async", "complete_s") == TIME
    assert limits.limit_for(CASE, "async", "in_flight_bytes") == MEMORY


def test_the_last_entry_that_covers_a_comparison_wins() -> None:
    """Whichever is narrower: the order of the file decides, as in .gitignore."""
    narrow = LimitEntry(0.05, "f:1", CASE, "async", "complete_s")
    wide = LimitEntry(None, "f:5", "chunk*", "*", "time")

    limits = Limits(TIME, MEMORY, (narrow, wide))
    assert limits.limit_for(CASE, "async", "complete_s") == Limit(None, "f:5")

    limits = Limits(TIME, MEMORY, (wide, narrow))
    assert limits.limit_for(CASE, "async", "complete_s") == Limit(0.05, "f:1", named=True)
    assert limits.limit_for(CASE, "sync", "complete_s") == Limit(None, "f:5")
    assert limits.limit_for("fan-out[x=1]", "async", "complete_s") == TIME
    assert limits.limit_for(CASE, "async", "in_flight_bytes") == MEMORY


@pytest.mark.parametrize(
    ("metric", "named"), [("latency_p95_s", True), ("latency*", True), ("*", False), ("time", False)]
)
def test_a_metric_is_asked_for_by_its_key(metric: str, named: bool) -> None:
    """Groups and entries for all metrics change limits, and do not make more metrics count."""
    limits = Limits(TIME, MEMORY, (LimitEntry(0.2, "f:1", metric=metric),))
    assert limits.limit_for(CASE, "async", "latency_p95_s") == Limit(0.2, "f:1", named)


def test_entries_that_cover_nothing_are_told() -> None:
    """An overridden entry covers something; a misspelt one does not."""
    overridden, misspelt, used = (
        LimitEntry(0.1, f"f:{at}", cases) for at, cases in enumerate(["*", "chnk*", "chunk*"])
    )
    limits = Limits(TIME, MEMORY, (overridden, misspelt, used))
    assert limits.unmatched([(CASE, "async", "complete_s"), (CASE, "sync", "complete_s")]) == (misspelt,)
    assert limits.unmatched([]) == (overridden, misspelt, used)


def test_the_default_is_the_smallest_effect_of_every_verdict() -> None:
    """A gate without settings looks for what `bench` would call slower."""
    assert DEFAULT_TIME_LIMIT == MIN_EFFECT
