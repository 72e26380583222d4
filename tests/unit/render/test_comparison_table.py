"""Stored runs on the terminal: the table in any width, its sentences, and names that are only data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.table import comparison_table
from placement_cli.render.comparison_table import print_comparison

VALUES = (1.0, 1.01, 0.99, 1.005, 0.995, 1.002)


def run(name: str, scales: dict[str, float], **more: object) -> Recorded:
    """Make a run with a case for each scale."""
    facts = {"fingerprint": "sha256:1", "stable": {"mlx": "0.32.4"}, "notes": ()} | more
    own = tuple(
        Series(f"chain[depth={case}]", "async", "complete_s", "s", tuple(scale * v for v in VALUES), {"depth": case})
        for case, scale in scales.items()
    )
    return Recorded(name, f"{name}.json", "placement 0.1.0", "2026-01-05T10:00:00Z", series=own, **facts)  # type: ignore[arg-type]  # facts of a test


BASE = run("monday", {"1": 1e-3, "2": 1e-3, "4": 1e-3, "8": 1e-3})
NEW = run("tuesday", {"1": 1.043e-3, "2": 1.2e-3, "4": 1e-3})
OTHER = run("friday", {"1": 2e-3}, stable={"mlx": "0.33.0"}, fingerprint="sha256:2", notes=("It ended early.",))


@pytest.fixture
def shown(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Callable[..., str]:
    """Prints a comparison of these runs on a console of a width."""

    def show(*runs: Recorded, width: int = 120, explain: bool = False) -> str:
        console = make_console(width)
        print_comparison(comparison_table(runs), console, explain=explain)
        return read_console(console)

    return show


def test_a_row_holds_medians_ratio_interval_and_mark(shown: Callable[..., str]) -> None:
    """What is claimed first, `~` last; and what stands in every row is said once."""
    lines = shown(BASE, NEW).splitlines()
    assert "the same in every row: case chain; arm async; metric time per message" in lines
    rows = [line.split() for line in lines if line[:1].isdigit()]
    assert rows[0] == ["2", "1.00", "ms", "1.20", "ms", "1.20x", "[1.18,", "1.22]", "slower"]
    assert [(row[0], row[-1]) for row in rows] == [("2", "slower"), ("4", "same"), ("1", "~")]


def test_sentences_count_and_name(shown: Callable[..., str]) -> None:
    """How often what was found, what differs, what a run's notes say, and what has no partner."""
    text = " ".join(shown(BASE, NEW, OTHER).split())
    assert "tuesday against monday: 1 slower, 0 faster, 1 same, 1 ~." in text
    assert (
        "friday was measured with other facts, so nothing is claimed of it: mlx was '0.32.4' and is '0.33.0'." in text
    )
    assert "friday: It ended early." in text
    assert "1 only in monday: chain[depth=8] async time per message." in text
    assert "above 1 is slower, or more" in text
    assert "There is no mean over the rows" in text


@pytest.mark.parametrize("width", [120, 60, 40])
def test_what_the_first_run_lacks_names_its_own_base(shown: Callable[..., str], width: int) -> None:
    """In the row, and in the counts: it was never compared with the first run."""
    text = shown(run("a", {"1": 1.0}), run("b", {"1": 1.0, "2": 1.0}), run("c", {"2": 2.0}), width=width)
    row = next(part for part in text.split("\n2") if "2.00 s" in part)
    assert "1.00 s" in row.partition("base")[0] + row.partition("base")[2]
    assert "base" in row
    flat = " ".join(text.split())
    assert "c against b: 1 slower, 0 faster, 0 same, 0 ~." in flat
    assert "c against a" not in flat


def test_amounts_are_more_or_less(shown: Callable[..., str]) -> None:
    """Counted in the words that stand in the rows."""

    def with_bytes(name: str, scale: float) -> Recorded:
        held = run(name, {"1": scale})
        sizes = tuple(4096.0 * scale * value for value in VALUES)
        more = Series("chain[depth=1]", "async", "in_flight_bytes", "bytes", sizes)
        return replace(held, series=(*held.series, more))

    text = " ".join(shown(with_bytes("a", 1.0), with_bytes("b", 2.0)).split())
    assert "b against a: 2 slower or more, 0 faster or less, 0 same, 0 ~." in text


def test_moments_are_in_utc(shown: Callable[..., str]) -> None:
    """Whatever zone a file names; the heading says so."""
    text = shown(replace(BASE, started="2026-01-05T01:30:00+02:00"), NEW)
    assert "started (UTC)" in text
    assert "2026-01-04 23:30" in text


def test_explain_names_the_clause_of_each_row(shown: Callable[..., str]) -> None:
    """With its numbers."""
    text = " ".join(shown(BASE, NEW, explain=True).split())
    assert "tuesday against monday: slower (clear-and-beyond): 99.1 % interval +18.2 % to +21.8 %" in text
    assert "~ (below-floor)" in text
    assert "same (inside-floor)" in text


@pytest.mark.parametrize("width", [200, 120, 80, 60, 40, 20])
def test_every_width_holds_everything(shown: Callable[..., str], width: int) -> None:
    """No line is wider than the terminal, and no ratio is lost."""
    text = shown(BASE, NEW, OTHER, width=width, explain=True)
    assert max(map(len, text.splitlines())) <= width
    assert all(part in text for part in ("1.20x", "1.04x", "2.00x", "[1.18,", "slower", "~"))


def test_long_names_are_lettered(shown: Callable[..., str]) -> None:
    """Columns are headed by letters, which a list explains."""
    names = ["20260101T000000-chunk-size-0000", "20260102T000000-chunk-size-0000"]
    text = shown(run(names[0], {"1": 1.0}), run(names[1], {"1": 1.0}), width=80)
    assert f"A  base  {names[0]}" in text
    assert "B against A: 0 slower" in text


def test_what_is_not_claimed_is_dim(
    make_console: Callable[..., Console], read_console: Callable[[Console], str]
) -> None:
    """The whole row, on a terminal with colours."""
    console = make_console(120, terminal=True)
    print_comparison(comparison_table([BASE, NEW]), console)
    dim = [line for line in read_console(console).splitlines() if "1.04x" in line]
    assert dim
    assert all("\x1b[2m1.04x" in line for line in dim)


def test_hostile_names_are_text(shown: Callable[..., str]) -> None:
    """Markup, controls and line breaks of a document stay what they are, or become harmless."""
    name = "[red]\x1b[31m\nevil"
    hostile = run(name, {"[bold]x\x07": 1.0}, stable={"[red]": "\x1b]0;x\x07"})
    text = shown(hostile, run("b", {"[bold]x\x07": 1.0}), explain=True)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[red]" in text
    assert "[bold]x" in text
