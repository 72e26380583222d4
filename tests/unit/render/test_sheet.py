"""A table in whichever layout fits."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from placement_cli.render.sheet import Group, Row, Sheet, fit

CELLS = st.text(alphabet="abc 漢", min_size=1, max_size=14)


def texts(*cells: str) -> tuple[Text, ...]:
    """Cells."""
    return tuple(Text(cell) for cell in cells)


def sheet(*, keys: Sequence[str] = ("chunk", "depth")) -> Sheet:
    """Two cases of two arms, the second compared with the first."""
    slower = (Text("1.44x [1.38, 1.50]"), Text("slower"))
    rows = (Row(texts("async (base)", "1.20 ms", "3 MiB")), Row(texts("sync", "1.73 ms", "1 MiB"), slower))
    groups = tuple(Group(texts(*values[: len(keys)]), rows) for values in (("30x256", "4"), ("128x1024", "16")))
    return Sheet(texts(*keys), ("arm", "median", "held"), groups)


def shown(made: Sheet, columns: int) -> list[str]:
    """The lines of a sheet."""
    return [line.plain for line in fit(made, columns)]


def test_wide_terminals_have_everything_side_by_side() -> None:
    """Parameters, arms, figures and comparison stand in one row; a case is named once."""
    assert shown(sheet(), 80) == [
        "chunk     depth  arm           median   held   against base        verdict",
        "──────────────────────────────────────────────────────────────────────────",
        "30x256    4      async (base)  1.20 ms  3 MiB",
        "                 sync          1.73 ms  1 MiB  1.44x [1.38, 1.50]  slower",
        "",
        "128x1024  16     async (base)  1.20 ms  3 MiB",
        "                 sync          1.73 ms  1 MiB  1.44x [1.38, 1.50]  slower",
    ]


def test_narrower_ones_name_the_case_above_its_arms() -> None:
    """Without the columns of the parameters the rows are as before."""
    assert shown(sheet(), 62)[:5] == [
        "  arm           median   held   against base        verdict",
        "───────────────────────────────────────────────────────────",
        "chunk 30x256  depth 4",
        "  async (base)  1.20 ms  3 MiB",
        "  sync          1.73 ms  1 MiB  1.44x [1.38, 1.50]  slower",
    ]


def test_then_the_comparison_goes_below_its_arm() -> None:
    """The comparison gets a line of its own before any figure does."""
    assert shown(sheet(), 40)[:6] == [
        "  arm           median   held",
        "──────────────────────────────",
        "chunk 30x256  depth 4",
        "  async (base)  1.20 ms  3 MiB",
        "  sync          1.73 ms  1 MiB",
        "    1.44x [1.38, 1.50]  slower",
    ]


def test_the_narrowest_have_every_figure_by_its_name() -> None:
    """Where no table fits each figure stands behind its heading, and the rest is folded."""
    assert shown(sheet(), 24)[:9] == [
        "chunk 30x256  depth 4",
        "  async (base)",
        "    median 1.20 ms",
        "    held 3 MiB",
        "  sync",
        "    median 1.73 ms",
        "    held 1 MiB",
        "    1.44x [1.38, 1.50]",
        "    slower",
    ]


def test_cases_without_parameters_are_not_named() -> None:
    """A table whose rows belong to no case has no columns for one, and no indent."""
    assert shown(sheet(keys=()), 70)[0].startswith("arm ")
    assert shown(sheet(keys=()), 40)[0] == "arm           median   held"
    assert shown(sheet(keys=()), 40)[2].startswith("async (base)")


def test_without_comparisons_there_are_no_columns_for_them() -> None:
    """Nothing compared, no empty columns."""
    made = Sheet((), ("arm", "median"), (Group((), (Row(texts("async", "1 ms")),)),))
    assert not made.compares
    assert shown(made, 80)[0] == "arm    median"


@pytest.mark.parametrize("columns", [80, 62, 40, 24])
def test_a_verdict_without_a_ratio_leaves_no_hole(columns: int) -> None:
    """Where there is no ratio the verdict alone is shown."""
    row = Row(texts("async", "-", "-"), (Text(), Text("invalid")))
    made = Sheet(texts("chunk"), ("arm", "median", "held"), (Group(texts("1x1"), (row,)),))
    assert any(line.strip().endswith("invalid") for line in shown(made, columns))


@settings(deadline=None)
@given(
    cells=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=4),
    where=CELLS,
    against=st.none() | st.tuples(CELLS, CELLS),
    columns=st.integers(20, 120),
)
def test_every_layout_keeps_everything_and_fits(
    cells: list[list[str]], where: str, against: tuple[str, str] | None, columns: int
) -> None:
    """Whatever is in the cells, no line is too wide and no cell is lost."""
    compared = None if against is None else (Text(against[0]), Text(against[1]))
    rows = tuple(Row(texts(*row), compared) for row in cells)
    lines = shown(Sheet(texts("key"), ("arm", "median", "held"), (Group(texts(where), rows),)), columns)
    assert all(cell_len(line) <= columns for line in lines)
    flat = "".join(lines).replace(" ", "")
    for cell in [where, *(cell for row in cells for cell in row), *(against or ())]:
        assert cell.replace(" ", "") in flat
