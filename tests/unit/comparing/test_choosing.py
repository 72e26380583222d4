"""Globs over cases and metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.comparing.choosing import chosen, matches
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.errors import NothingComparable

MakeRun = Callable[..., Recorded]
MakeSeries = Callable[..., Series]


@pytest.mark.parametrize(
    ("glob", "text", "does"),
    [
        ("chain[depth=*", "chain[depth=1]", True),
        ("chain[depth=1]", "chain[depth=1]", True),
        ("chain[dx]", "chaind", False),
        ("ch?in*", "chain[depth=1]", True),
        ("Chain*", "chain[depth=1]", False),
    ],
)
def test_brackets_are_themselves(glob: str, text: str, does: bool) -> None:
    """Ids of cases hold them."""
    assert matches(glob, text) is does


@pytest.mark.parametrize(
    ("cases", "metrics", "left"),
    [
        ((), (), 3),
        (["chain"], (), 2),
        (["chain[depth=2]"], (), 1),
        (["*"], ["*_bytes"], 1),
        (["live*", "*=1]"], (), 2),
        ((), ["complete_s"], 2),
    ],
)
def test_what_matches_is_kept(
    make_run: MakeRun, make_series: MakeSeries, cases: Sequence[str], metrics: Sequence[str], left: int
) -> None:
    """A case by its id or by what stands before the brackets; several globs add up."""
    own = [make_series("chain[depth=1]"), make_series("chain[depth=2]"), make_series("live[rate=5]", metric="x_bytes")]
    (found,) = chosen([make_run("a", *own)], cases, metrics)
    assert len(found.series) == left


@pytest.mark.parametrize(("cases", "metrics", "option"), [(["chian"], (), "-k chian"), ((), ["y"], "--metric y")])
def test_a_glob_that_matches_nothing_is_told(
    make_run: MakeRun, make_series: MakeSeries, cases: Sequence[str], metrics: Sequence[str], option: str
) -> None:
    """A misspelt name must not pass for a comparison of nothing."""
    with pytest.raises(NothingComparable, match=f"{option}: matches nothing"):
        chosen([make_run("a", make_series())], cases, metrics)
