"""How durations, sizes and ratios are read and written."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from placement_cli.units import (
    MAX_SIZE,
    MAX_TEXT,
    format_duration,
    format_percent,
    format_ratio,
    format_size,
    parse_duration,
    parse_size,
)

DURATIONS = {
    "ns": 1e-9,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "\u03bcs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
}
SIZES = {
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("17 us", 17e-6),
        ("0.5 ms", 0.0005),
        ("2 s", 2.0),
        ("1.5min", 90.0),
        ("2h", 7200.0),
        ("250ns", 250e-9),
        (" .5  s ", 0.5),
        ("1e3 us", 0.001),
        ("0 s", 0.0),
        ("2 min 5 s", 125.0),
        ("1h30min", 5400.0),
    ],
)
def test_durations_are_read_as_people_write_them(text: str, seconds: float) -> None:
    """A number, a unit, spaces or none, and parts that add up."""
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("33 MiB", 33 * 2**20),
        ("2 GB", 2 * 10**9),
        ("64 B", 64),
        ("1.5KiB", 1536),
        ("0.1 MiB", 104858),
        ("1e3 B", 1000),
        ("0 B", 0),
        (f"{MAX_SIZE} B", MAX_SIZE),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    """Decimal and binary multiples, with fractions of the larger ones rounded to whole bytes."""
    assert parse_size(text) == size


NO_QUANTITY = [
    "",
    " ",
    "5",
    "s",
    "-1 {u}",
    "+1 {u}",
    "nan {u}",
    "inf {u}",
    "1 {u}x",
    "1,5 {u}",
    "1_0 {u}",
    "1 {u};",
]
NO_QUANTITY += [
    "0x1 {u}",
    "1 2 {u}",
    "1e9999 {u}",
    "1e999 {u}",
    "\u0663 {u}",
    "1 {u} 1 {u}",
    "1." * 40 + " {u}",
]


@pytest.mark.parametrize("text", [*(text.format(u="s") for text in NO_QUANTITY), "5 m", "5 S", "5 s 2 min", "5 B"])
def test_what_is_no_duration_is_refused_with_what_is_allowed(text: str) -> None:
    """The error names the units; nothing negative, endless or unclear is guessed at."""
    with pytest.raises(ValueError, match="ns, us, ms, s, min, h"):
        parse_duration(text)


@pytest.mark.parametrize(
    "text",
    [*(text.format(u="B") for text in NO_QUANTITY), "1.5 B", f"{MAX_SIZE + 1} B", "1 kb", "1 M", "5 s"],
)
def test_what_is_no_size_is_refused_with_what_is_allowed(text: str) -> None:
    """The error names the units; half a byte, bits and more than 63 bits are no sizes."""
    with pytest.raises(ValueError, match="B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"):
        parse_size(text)


@pytest.mark.parametrize("parse", [parse_duration, parse_size])
def test_an_over_long_text_is_refused_with_a_short_message(parse: object) -> None:
    """Length is bounded before anything is read, and the message repeats little of the text."""
    assert callable(parse)
    for text in ("0" * MAX_TEXT + "1 s", "9" * 1_000_000):
        with pytest.raises(ValueError, match="is not a") as caught:
            parse(text)
        assert len(str(caught.value)) < 250


@settings(deadline=None)
@given(st.text(max_size=80) | st.from_regex(r"\A[0-9.eE+ -]{0,20} ?[a-zA-Z]{0,4}\Z"))
def test_any_text_is_a_finite_quantity_or_an_error(text: str) -> None:
    """Nothing else than ValueError comes out, and no value is negative, infinite or undefined."""
    for parse, most in ((parse_duration, math.inf), (parse_size, MAX_SIZE)):
        try:
            value = parse(text)
        except ValueError:
            continue
        assert 0 <= value <= most
        assert math.isfinite(value)


@settings(deadline=None)
@given(number=st.integers(0, 10**6), unit=st.sampled_from(sorted(DURATIONS)))
def test_a_whole_duration_has_the_value_of_its_unit(number: int, unit: str) -> None:
    """Every unit stands for its seconds, to the last bit that a float has."""
    assert parse_duration(f"{number} {unit}") == pytest.approx(number * DURATIONS[unit], rel=1e-15)


@settings(deadline=None)
@given(number=st.integers(0, 10**6), unit=st.sampled_from(sorted(SIZES)))
def test_a_whole_size_has_the_value_of_its_unit(number: int, unit: str) -> None:
    """Every unit stands for its bytes, exactly."""
    assert parse_size(f"{number} {unit}") == number * SIZES[unit]


@settings(deadline=None)
@given(st.floats(0, 1e6, allow_subnormal=False))
def test_a_duration_written_in_full_is_read_back_to_the_last_bit(seconds: float) -> None:
    """Reading is correctly rounded: the shortest decimal of a float gives that float."""
    assert parse_duration(f"{seconds!r} s") == seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (-0.0, "0 s"),
        (139e-6, "139 \u00b5s"),
        (3.41e-3, "3.41 ms"),
        (1.2, "1.20 s"),
        (12e-9, "12.0 ns"),
        (0.5e-9, "0.5 ns"),
        (999.6e-6, "1.00 ms"),
        (0.9996, "1.00 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (125, "2 min 5 s"),
        (3599.7, "1 h"),
        (5400, "1 h 30 min"),
        (-3.4e-3, "-3.40 ms"),
        (-125, "-2 min 5 s"),
    ],
)
def test_durations_are_written_with_three_figures_and_a_fitting_unit(seconds: float, text: str) -> None:
    """Rounding never leaves a thousand of one unit or sixty of another."""
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (64, "64 B"),
        (1023, "1023 B"),
        (1023.6, "1.00 KiB"),
        (33 * 2**20, "33.0 MiB"),
        (1010 * 2**10, "1010 KiB"),
        (2**20 - 1, "1.00 MiB"),
        (9.996 * 2**20, "10.0 MiB"),
        (2**52, "4096 TiB"),
        (-2048, "-2.00 KiB"),
        (-0.2, "0 B"),
    ],
)
def test_sizes_are_written_with_three_figures_in_binary_units(size: float, text: str) -> None:
    """Bytes are whole, and rounding never leaves 1024 of one unit."""
    assert format_size(size) == text


@settings(deadline=None)
@given(st.floats(1e-12, 1e8))
@example(59.95)
@example(3599.5)
@example(0.0009995)
def test_a_written_duration_is_read_back_within_its_rounding(seconds: float) -> None:
    """Three figures below a minute are half a percent; whole seconds and minutes are half of one."""
    half = 0.0051 * seconds if seconds < 60 else 0.51 if seconds < 3599.5 else 30.5
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds, abs=half)


@settings(deadline=None)
@given(st.integers(0, 2**60))
def test_a_written_size_is_read_back_within_its_rounding(size: int) -> None:
    """Three figures are half a percent."""
    assert parse_size(format_size(size)) == pytest.approx(size, rel=0.0051)


@settings(deadline=None)
@given(st.floats(1e-12, 1e8), st.floats(1, 2))
def test_longer_durations_never_read_as_shorter(seconds: float, factor: float) -> None:
    """The order of two durations survives being written."""
    assert parse_duration(format_duration(seconds)) <= parse_duration(format_duration(seconds * factor))


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.4, "1.40"),
        (0, "0.00"),
        (0.985, "0.985"),
        (12.34, "12.3"),
        (999.96, "1000"),
        (1234.5, "1234"),
        (0.00123, "0.00123"),
        (1e-12, "1.00e-12"),
        (-1.5, "-1.50"),
    ],
)
def test_ratios_are_written_with_three_figures(ratio: float, text: str) -> None:
    """Whatever its magnitude, a ratio shows three figures; thousands show all their digits."""
    assert format_ratio(ratio) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.041, "4.1 %"), (1, "100.0 %"), (-0.05, "-5.0 %"), (-0.00001, "0.0 %"), (0, "0.0 %")],
)
def test_shares_are_written_as_percentages(share: float, text: str) -> None:
    """One decimal, and no minus before zero."""
    assert format_percent(share) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("write", [format_duration, format_size, format_ratio, format_percent])
def test_what_is_not_finite_is_not_written(write: object, value: float) -> None:
    """A value that could not be measured never looks like one that was."""
    assert callable(write)
    with pytest.raises(ValueError, match="not finite"):
        write(value)
