"""The section of a history: what is drawn, and what its table holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.comparing.history import History, Unreadable, history_of
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.report import history_section as module
from placement_cli.report.history_section import history_section
from placement_cli.report.picture import Picture

MakeHistory = Callable[..., History]


@pytest.fixture
def make_history() -> MakeHistory:
    """Makes the history of one case whose runs had these medians, a day apart."""

    def make(medians: Sequence[float], *cases: str, unreadable: Sequence[Unreadable] = ()) -> History:
        runs = [
            Recorded(
                name=f"run-{number}",
                origin="",
                tool="placement 1",
                started=f"2026-01-{number:02d}T12:00:00+00:00",
                fingerprint="sha256:1",
                stable={"mlx": "1", "backend": "cpu"},
                series=tuple(Series(case, "async", "complete_s", "s", (value,) * 6) for case in cases or ("chain",)),
            )
            for number, value in enumerate(medians, 1)
        ]
        return history_of("runs", runs, unreadable)

    return make


def only_picture(history: History) -> Picture:
    """Return the picture of a history with one set-up."""
    (found,) = history_section(history, 1).pictures
    return found


STEPPED = (1e-3, 1.001e-3, 0.999e-3, 1e-3, 1.2e-3, 1.201e-3, 1.199e-3, 1.2e-3)


def test_a_series_is_drawn_with_a_dot_for_each_run(make_history: MakeHistory) -> None:
    """And a line across where a new level begins."""
    (panel,) = only_picture(make_history(STEPPED)).panels
    assert panel.title == "chain async: time per message"
    marks, _, dots = panel.spec["layer"]
    drawn = panel.spec["datasets"][dots["data"]["name"]]
    assert marks["encoding"]["x"] == {"datum": 4.5}
    assert [dot["at"] for dot in drawn] == list(range(1, len(STEPPED) + 1))
    assert drawn[0] == {
        "at": 1,
        "value": 1e-3,
        "said": "1.00 ms",
        "run": "run-1",
        "started": "2026-01-01 12:00 UTC",
    }


def test_the_table_has_every_series_with_its_last_step(make_history: MakeHistory) -> None:
    """Oldest, newest, and from when on the new level holds."""
    (row,) = only_picture(make_history(STEPPED)).table.rows
    assert row[:6] == ("chain", "async", "time per message", "8", "1.00 ms", "1.20 ms")
    assert row[6] == "+20.0 % from 2026-01-05 12:00 UTC on (1.00 ms to 1.20 ms)"


def test_of_many_series_those_that_stepped_are_drawn(
    make_history: MakeHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest stands in the table alone, which is said."""
    monkeypatch.setattr(module, "MOST_PANELS", 2)
    picture = only_picture(make_history((1e-3, 1e-3), "one", "two", "three"))
    assert (len(picture.panels), len(picture.table.rows)) == (2, 3)
    assert "1 more series stand in the table alone" in picture.reading


def test_one_run_is_no_course_of_time(make_history: MakeHistory) -> None:
    """It has a row, and nothing to draw."""
    picture = only_picture(make_history((1e-3,)))
    assert (picture.panels, picture.table.rows[0][6]) == ((), "too few runs")


def test_hostile_names_are_text(make_history: MakeHistory) -> None:
    """Of cases and of files that hold no run."""
    bad = "<script>alert(1)</script>"
    section = history_section(make_history((1e-3, 1e-3), bad, unreadable=[Unreadable(bad, bad)]), 1)
    assert all(bad not in part for part in section.parts if isinstance(part, str))


def test_a_set_up_without_a_series_has_an_empty_table() -> None:
    """As one of which no case was asked for."""
    empty = Recorded("x", "", "placement 1", "2026-01-01", "sha256:1", {"mlx": "1", "backend": "cpu"}, ())
    picture = only_picture(history_of("runs", [empty]))
    assert (picture.panels, picture.table.rows) == ((), ())
