"""The grammar of values: lists, ranges, chunks."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.bench.axes import (
    MAX_AXIS_VALUES,
    canonical,
    format_values,
    parse_chunk,
    parse_item,
    parse_values,
)
from placement_cli.errors import UsageError
from placement_cli.graph.pipeline import ParameterValue


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1", (1,)),
        ("-2.5", (-2.5,)),
        ("1e-3", (0.001,)),
        ("2.0", (2,)),
        ("0,0.5, 2 ,6", (0, 0.5, 2, 6)),
        ("blas,python,sleep", ("blas", "python", "sleep")),
        ("1-4", (1, 2, 3, 4)),
        ("3-3", (3,)),
        ("1-16*2", (1, 2, 4, 8, 16)),
        ("1-10*3", (1, 3, 9)),
        ("0-10+2", (0, 2, 4, 6, 8, 10)),
        ("0-1+0.25", (0, 0.25, 0.5, 0.75, 1)),
        ("0.1-0.4+0.1", (0.1, 0.2, 0.3, 0.4)),
        ("0.5-4*2,20", (0.5, 1, 2, 4, 20)),
        ("30-64x256,128x1024", ("30-64x256", "128x1024")),
        ("a-b", ("a-b",)),
    ],
)
def test_values_are_read(text: str, values: tuple[ParameterValue, ...]) -> None:
    """Lists and ranges are written out; whole numbers are int; a chunk is a word."""
    read = parse_values(text)

    assert read == values
    assert [type(value) for value in read] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a value"),
        ("1,,2", "'' is not a value"),
        ("a b", "'a b' is not a value"),
        ("[red]", "'[red]' is not a value"),
        ("\x1b[0m", "'\\x1b[0m' is not a value"),
        ("1*2", "'1*2' is not a value"),
        ("1-4/2", "'1-4/2' is not a value"),
        ("1-4*x", "'1-4*x' is not a value"),
        ("\u0663", "'\u0663' is not a value"),
        ("4-1", "'4-1' ends before it begins"),
        ("1-4*1", "'1-4*1' never ends; expected a factor above 1"),
        ("0-4*2", "'0-4*2' never ends"),
        ("1-4+0", "'1-4+0' never ends; expected a step above 0"),
        ("1-1000000000", f"gives more than {MAX_AXIS_VALUES} values"),
        ("0-1+0.000001", f"gives more than {MAX_AXIS_VALUES} values"),
        ("1,2,1.0", "'1' is given twice"),
        ("1-4,2", "'2' is given twice"),
        ("1e999", "inf is not a number"),
        ("9" * 65, "'9999"),
    ],
)
def test_what_is_no_value_is_refused(text: str, message: str) -> None:
    """Each mistake is named, and no range runs away."""
    with pytest.raises(UsageError) as raised:
        parse_values(text)

    assert str(raised.value).startswith(message)


WORDS = st.from_regex(r"[A-Za-z][A-Za-z0-9._-]{0,20}", fullmatch=True)
NUMBERS = st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(st.lists(WORDS | NUMBERS, min_size=1, max_size=20))
def test_values_that_are_printed_are_read_back(values: list[ParameterValue]) -> None:
    """Printing and reading are inverse for values in their canonical form."""
    distinct = tuple(dict.fromkeys(canonical(value) for value in values))

    assert parse_values(format_values(distinct)) == distinct


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 50))
def test_a_stepped_range_is_pythons_range(first: int, length: int, step: int) -> None:
    """FIRST-LAST+STEP holds every whole step up to and including the last."""
    assert list(parse_item(f"{first}-{first + length}+{step}")) == list(range(first, first + length + 1, step))


@settings(deadline=None)
@given(st.text(max_size=40) | st.text(alphabet="0123456789.-+*x,eE", max_size=30))
def test_any_text_is_values_or_a_usage_error(text: str) -> None:
    """No text makes the grammar raise anything but a usage error, or give too many values."""
    with suppress(UsageError):
        assert 1 <= len(parse_values(text)) <= MAX_AXIS_VALUES


@pytest.mark.parametrize(
    ("text", "chunk"),
    [("30-64x256", (30, 64, 256)), ("128x1024", (128, 128, 1024)), ("1x1", (1, 1, 1))],
)
def test_chunks_are_read(text: str, chunk: tuple[int, int, int]) -> None:
    """A chunk gives the fewest and the most samples, and the channels."""
    assert parse_chunk(text) == chunk


@pytest.mark.parametrize(
    "value", ["", "3", 3, 2.5, "3x", "x3", "3x4x5", "64-30x2", "0x5", "0-3x5", "3x0", "9999999x1", "1x99999", "3X4"]
)
def test_what_is_no_chunk_is_refused(value: ParameterValue) -> None:
    """Other words, other numbers and sizes out of bounds are usage errors that begin with the chunk."""
    with pytest.raises(UsageError, match=r"^chunk "):
        parse_chunk(value)
