"""Names as other tools are given them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.export.plain_names import LONGEST, plain_line, unique_names


@settings(deadline=None)
@given(st.lists(st.text(max_size=8) | st.just("x" * 500), max_size=6))
def test_names_are_short_lines_that_differ(names: list[str]) -> None:
    """Whatever they were, alike or empty; what is harmless stays in front."""
    unique = unique_names(names)
    assert len(set(unique)) == len(names)
    for given_name, name in zip(names, unique, strict=True):
        assert name.isprintable()
        assert 0 < len(name) <= LONGEST + 8
        assert name.startswith(plain_line(given_name))


def test_the_same_name_stays_the_same() -> None:
    """Benchmarks of two runs match by name: one that needs no change gets none."""
    assert unique_names(["a[x=1] async", "b\tc", "b\nc"]) == ["a[x=1] async", "b c", "b c (2)"]
