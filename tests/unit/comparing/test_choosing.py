"""Globs over cases and metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.comparing.choosing import chosen
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.errors import NothingComparable

MakeRun = Callable[..., Recorded]
MakeSeries = Callable[..., Series]


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


def test_the_nearest_of_all_names_is_told(make_run: MakeRun, make_series: MakeSeries) -> None:
    """Also when there are too many to list them."""
    run = make_run("a", *(make_series(f"other{n}") for n in range(20)), make_series("chain"))
    with pytest.raises(NothingComparable, match=r"-k chian: .* Did you mean 'chain'\?"):
        chosen([run], ["chian"])
    with pytest.raises(NothingComparable, match=r"Known: other0, .*other7, \.\.\.\.$"):
        chosen([run], ["xyz"])
