"""Runs over time: by set-up and series, the oldest first, with their steps; and how far days lie apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import numpy as np
import pytest

from placement_cli.comparing.dates import day_and_time, moment, moment_text
from placement_cli.comparing.documents import history_json
from placement_cli.comparing.folder import load_folder
from placement_cli.comparing.history import history_of
from placement_cli.comparing.recorded import Recorded, Series
from placement_cli.comparing.spread import spread_between_days, widening
from placement_cli.errors import UsageError
from placement_cli.statistics.two_sample import SPREAD_FACTOR
from placement_cli.store.schema_files import FOLDER

MakeRun = Callable[..., Recorded]
MakeSeries = Callable[..., Series]
DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def make_days(make_run: MakeRun, make_series: MakeSeries) -> Callable[..., list[Recorded]]:
    """Makes a run a day, whose values are scaled by these."""

    def make(*scales: float) -> list[Recorded]:
        return [
            make_run(f"day{n}", make_series(scale=scale), started=f"2026-01-{n + 1:02}T10:00:00Z")
            for n, scale in enumerate(scales)
        ]

    return make


def test_steps_are_told_with_their_run(make_days: Callable[..., list[Recorded]]) -> None:
    """Whatever order the files are read in."""
    runs = make_days(*[1.0] * 5, *[1.2] * 4)
    (set_up,) = history_of("runs", reversed(runs)).set_ups
    (track,) = set_up.tracks
    assert [point.run for point in track.points] == [run.name for run in runs]
    assert track.last_step is not None
    assert track.points[track.last_step.index].started.startswith("2026-01-06")
    assert track.last_step.ratio == pytest.approx(1.2)


def test_set_ups_are_never_mixed(make_run: MakeRun, make_series: MakeSeries) -> None:
    """A new version of MLX begins a history of its own; the newest comes first."""
    old = make_run("old", make_series(), started="2026-01-01T00:00:00")
    new = make_run("new", make_series(scale=2), started="2026-02-01T00:00:00", facts={"mlx": "0.33.0"})
    history = history_of("runs", [old, new])
    assert [each.stable["mlx"] for each in history.set_ups] == ["0.33.0", "0.32.4"]
    assert history.runs == 2
    assert all(len(each.tracks[0].points) == 1 for each in history.set_ups)


def test_runs_without_a_date_come_first_by_name(make_run: MakeRun, make_series: MakeSeries) -> None:
    """As those of a tool that does not write it down."""
    runs = [
        make_run(name, make_series(), started=began) for name, began in (("b", ""), ("c", "2026-01-01"), ("a", "?"))
    ]
    (set_up,) = history_of("runs", runs).set_ups
    assert [point.run for point in set_up.tracks[0].points] == ["a", "b", "c"]


def test_the_document_is_plain(make_days: Callable[..., list[Recorded]]) -> None:
    """Points and steps, oldest first."""
    data = json.loads(history_json(history_of("runs", make_days(*[1.0] * 4, *[0.5] * 4))))
    assert (data["schema"], data["exit"]) == ("placement.history", {"code": 0, "name": "ok"})
    (series,) = data["set_ups"][0]["series"]
    assert len(series["points"]) == 8
    assert (series["steps"][0]["run"], series["steps"][0]["ratio"]) == ("day4", pytest.approx(0.5))
    jsonschema.validate(data, json.loads((FOLDER / "history-1.schema.json").read_text("utf-8")))


def test_the_spread_is_that_between_days(make_days: Callable[..., list[Recorded]], make_series: MakeSeries) -> None:
    """Several runs of one day count once, and three days are the fewest."""
    key = make_series().key
    runs = make_days(1.0, 1.1, 0.9, 1.05)
    spread = spread_between_days(runs, runs[0])[key]
    assert 0.05 < spread / widening(4) < 0.12
    assert spread_between_days([*runs, *runs], runs[0])[key] == pytest.approx(spread)
    assert spread_between_days(runs[:2], runs[0]) == {}


@pytest.mark.parametrize("days", [3, 5, 10])
def test_days_alone_seldom_exceed_three_times_their_spread(days: int) -> None:
    """Two further days of nothing but noise do so in 1 of 100 cases, however few days the spread is taken from."""
    noise = np.random.default_rng(0).normal(size=(20_000, days + 2))
    spread = widening(days) * noise[:, :days].std(axis=1, ddof=1)
    exceeded = np.abs(noise[:, -1] - noise[:, -2]) > SPREAD_FACTOR * spread
    assert 0.007 < exceeded.mean() < 0.013


def test_the_floor_never_falls_below_three_deviations() -> None:
    """However many the days are."""
    assert [round(SPREAD_FACTOR * widening(days), 1) for days in (3, 10, 10_000)] == [14.0, 4.6, 3.6]


def test_numbers_in_names_are_ordered_as_numbers(make_run: MakeRun, make_series: MakeSeries) -> None:
    """The ninth run of a tool that writes no date stands before the tenth."""
    runs = [make_run(name, make_series(), started="") for name in ("run-10", "run-9", "run-1", "run", "10")]
    (set_up,) = history_of("runs", runs).set_ups
    assert [point.run for point in set_up.tracks[0].points] == ["10", "run", "run-1", "run-9", "run-10"]


def test_a_folder_is_read_whatever_lies_in_it(tmp_path: Path) -> None:
    """Runs are loaded, other files told, journals and hidden files passed over."""
    (tmp_path / "b.json").write_bytes((DATA / "runs" / "burst.json").read_bytes())
    (tmp_path / "a.json").write_bytes((DATA / "foreign" / "pyperf.json").read_bytes())
    (tmp_path / "torn.json").write_text("{")
    (tmp_path / "c.json").mkdir()
    for name in (".b.json.x1", ".hidden.json", "b.jsonl", "notes.txt"):
        (tmp_path / name).write_text("{}")
    runs, unreadable = load_folder(tmp_path)
    assert [run.name for run in runs] == ["a", "b"]
    assert [(each.path, each.reason[:14]) for each in unreadable] == [
        ("c.json", "cannot be read"),
        ("torn.json", "this is no JSO"),
    ]


def test_no_folder_is_a_mistake_of_usage(tmp_path: Path) -> None:
    """A folder that is not there, and a file."""
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(UsageError, match="is no folder that can be read"):
            load_folder(path)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01", "0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00"]
)
def test_what_is_no_moment_stays_as_it_is(text: str) -> None:
    """Nor do moments that no clock can show fail."""
    assert moment(text) is None
    assert day_and_time(text) == moment_text(text) == text


def test_moments_are_shown_in_utc() -> None:
    """So that runs of two places stand in order."""
    assert day_and_time("2026-01-05T01:30:00+02:00") == "2026-01-04 23:30"
    assert day_and_time("2026-01-05 01:30:00.5") == "2026-01-05 01:30"
    assert moment_text("2026-01-05T01:30:00+02:00") == "2026-01-04 23:30 UTC"
