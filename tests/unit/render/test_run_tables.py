"""Which tables a scenario has."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.console import Group

from placement_cli.render.run_tables import scenario_tables
from placement_cli.store.run_document import RunDocument

LoadRun = Callable[[str], RunDocument]


@pytest.fixture
def tables(printed: Callable[..., str]) -> Callable[[RunDocument, int], str]:
    """The tables of a run's only scenario, at a width."""

    def show(document: RunDocument, width: int = 120) -> str:
        return printed(Group(*scenario_tables(document, document.scenarios[0], width)), width)

    return show


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("stream", ["time per message until the values are there", "peak bytes in flight"]),
        (
            "submitting",
            ["time per message until", "peak bytes in flight", "how long submitting a message holds"],
        ),
        ("burst", ["time per message that the host is held"]),
        ("queue", ["the first call that blocks"]),
        ("pending", ["what is left pending"]),
        ("paced", ["latency from message in to values out"]),
    ],
)
def test_every_reading_has_its_tables(
    name: str, titles: list[str], load_run_of: LoadRun, tables: Callable[..., str]
) -> None:
    """Each reading shows what it reads, in this order."""
    text = tables(load_run_of(name))
    places = [text.index(title) for title in titles]
    assert places == sorted(places)
    assert text.count("────\n") == len(titles)


def test_arms_stand_in_columns_where_they_fit(load_run_of: LoadRun, tables: Callable[..., str]) -> None:
    """Rows are cases and columns arms; in a narrower terminal each arm has a row."""
    wide, narrow = (tables(load_run_of("stream"), width).splitlines() for width in (120, 80))
    assert wide[2].split() == ["chunk", "async", "(base)", "sync", "async@every-node", "window:1", "window:4"]
    assert narrow[2].split() == ["chunk", "arm", "median", "against", "base", "verdict"]


def test_only_parameters_that_vary_are_columns(load_run_of: LoadRun, tables: Callable[..., str]) -> None:
    """What all cases share is not repeated; a lone case shows all its parameters."""
    assert "dtype" not in tables(load_run_of("stream"))
    assert "chunk   bin" in tables(load_run_of("pending"))


def test_the_footnote_tells_blocks_and_noise(load_run_of: LoadRun, tables: Callable[..., str]) -> None:
    """How many blocks, the noise floor, and which way ratios go; where nothing is compared, the blocks alone."""
    assert tables(load_run_of("burst")).splitlines()[-1] == (
        "6 blocks of fresh processes; noise floor 1.2 %; above 1x is slower or more."
    )
    assert tables(load_run_of("queue")).splitlines()[-1] == "0 to 6 blocks of fresh processes."


def test_a_noise_floor_that_was_not_measured_is_told(load_run_of: LoadRun, tables: Callable[..., str]) -> None:
    """Without a control the reader knows that noise is unknown."""
    document = load_run_of("burst")
    bare = document.scenarios[0].model_copy(update={"noise_floor": None})
    assert "noise floor not measured" in tables(document.model_copy(update={"scenarios": [bare]}))


def test_a_scenario_without_cases_says_so(load_run_of: LoadRun, tables: Callable[..., str]) -> None:
    """Nothing measured is no empty table."""
    text = tables(load_run_of("burst").model_copy(update={"cases": []}))
    assert text.splitlines()[1:] == ["no case was measured"]


def test_a_lone_arm_is_no_base(load_run_of: LoadRun, tables: Callable[..., str]) -> None:
    """Where nothing is compared there is no base."""
    assert "(base)" not in tables(load_run_of("queue"))
    assert "off (base)" in tables(load_run_of("burst"))
