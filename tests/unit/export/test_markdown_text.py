"""Markdown that is cut to what can be shown."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.export.markdown_text import LONGEST, cut_to, escaped, head, row


def test_what_fits_is_not_cut() -> None:
    """To the last byte."""
    assert cut_to("größer\n", 9) == "größer\n"


def test_what_is_left_out_is_counted() -> None:
    """Rows of tables, and all other lines that hold something."""
    text = "\n".join(
        ["# title", "", *head(["a", "b"]), *(row([f"{n:04}", "x" * 20]) for n in range(100)), "", "- said"]
    )
    cut = cut_to(text, 1_000)
    shown = sum(line.startswith("| 0") for line in cut.splitlines())
    assert 0 < shown < 100
    assert cut.startswith("# title\n")
    assert cut.endswith(f"Left out, as no more can be shown: {100 - shown} rows of tables and 1 other lines.\n")


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), max_size=30), st.integers(-5, 400))
def test_it_never_has_more_bytes(lines: list[str], most: int) -> None:
    """Whatever stands in it; nothing at all where not even the sentence fits."""
    cut = cut_to("\n".join(lines), most)
    assert len(cut.encode()) <= max(0, most)


def test_one_name_does_not_fill_it() -> None:
    """A very long one ends early."""
    assert len(escaped("x" * 100_000)) == LONGEST + 1
