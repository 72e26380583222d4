"""The raw timings behind a profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.fit.observations import Configuration
from placement_cli.fit.raw_run import is_finished, kept_configurations, newest_run, open_raw, raw_path
from placement_cli.profile.key import ProfileKey

KEY = ProfileKey("Chip X", "mlx-cpu", 1, "float32", {"mlx": "0.32"})
ROWS = [{"name": "submit", "seconds": 1e-6}]


@pytest.fixture
def kept(tmp_path: Path, configurations: tuple[Configuration, ...]) -> Path:
    """A run with a bound, two products, one of them twice, and an experiment."""
    with open_raw(tmp_path, KEY, 5) as raw:
        assert raw.keep_most_macs(1e8) == 1e8
        raw.keep_configuration(0, configurations[0])
        raw.keep_configuration(3, configurations[1])
        raw.keep_configuration(3, configurations[2])
        raw.keep_experiment(1, "submit", ROWS)
    return raw.path


def test_what_was_kept_is_there_again(kept: Path, tmp_path: Path, configurations: tuple[Configuration, ...]) -> None:
    """Products by number, the last of each; the bound and the experiments; and it goes on from there."""
    with open_raw(tmp_path, KEY, 5) as raw:
        assert raw.path == kept == raw_path(tmp_path, KEY)
        assert raw.most_macs == 1e8
        assert raw.configurations == {0: configurations[0], 3: configurations[2]}
        assert raw.experiments == {(1, "submit"): ROWS}
        raw.keep_configuration(7, configurations[3])
    with open_raw(tmp_path, KEY, 5) as raw:
        assert set(raw.configurations) == {0, 3, 7}


def test_products_can_be_read_without_going_on(kept: Path, configurations: tuple[Configuration, ...]) -> None:
    """In the order of their numbers; where the file is gone there are none."""
    assert kept_configurations(kept) == (configurations[0], configurations[2])
    assert kept_configurations(kept.with_name("absent.jsonl")) == ()


@pytest.mark.parametrize("row", [{"number": 9}, {"number": 9, "channels": 4, "formulations": 3}, {"number": None}])
def test_damaged_products_cannot_be_read(kept: Path, row: dict[str, Any]) -> None:
    """The error names the file."""
    with kept.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"kind": "product", **row}) + "\n")
    with pytest.raises(UnreadableInput, match="no timings of fit-costs") as caught:
        kept_configurations(kept)
    assert str(kept) in str(caught.value)


def test_a_new_run_is_empty(tmp_path: Path) -> None:
    """It makes its folder, and the file says what it is of."""
    with open_raw(tmp_path / "new", KEY, 5) as raw:
        assert (raw.most_macs, raw.configurations, raw.experiments) == (None, {}, {})
    header = json.loads(raw.path.read_text(encoding="utf-8"))
    assert header["seed"] == 5
    assert header["key"]["machine"] == "Chip X"


def test_a_torn_end_is_cut_off(kept: Path, tmp_path: Path, configurations: tuple[Configuration, ...]) -> None:
    """What a killed process left half written is measured again."""
    kept.write_bytes(kept.read_bytes()[:-20])
    with open_raw(tmp_path, KEY, 5) as raw:
        assert set(raw.configurations) == {0, 3}
        assert raw.experiments == {}
        raw.keep_experiment(1, "submit", ROWS)
    with open_raw(tmp_path, KEY, 5) as raw:
        assert raw.experiments == {(1, "submit"): ROWS}


@pytest.mark.parametrize(
    ("key", "seed", "said"),
    [
        (replace(KEY, versions={"mlx": "0.33"}), 5, r"mlx was 0\.32 and is 0\.33"),
        (replace(KEY, machine="Chip Y"), 5, "the machine was Chip X"),
        (KEY, 6, "the seed was 5 and is 6"),
    ],
)
def test_timings_of_another_set_up_or_seed_are_not_gone_on_with(
    kept: Path, tmp_path: Path, key: ProfileKey, seed: int, said: str
) -> None:
    """They would be mixed; the error says what differs, and lets go of the file."""
    for _ in range(2):
        with pytest.raises(UsageError, match=said):
            open_raw(tmp_path, key, seed)
    with open_raw(tmp_path, KEY, 5):
        pass


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "product", "number": 9},
        {"kind": "product", "number": 9, "channels": 4, "samples": 1, "split": "", "blocks_rle": [], "formulations": 3},
        {"kind": "product", "number": float("inf"), "channels": 4, "samples": 1},
        {"kind": "bound", "most_macs": "many"},
        {"kind": "experiment", "process": None},
    ],
)
def test_damaged_timings_are_one_clear_error(kept: Path, tmp_path: Path, record: dict[str, Any]) -> None:
    """It names the file and what to do, and lets go of it."""
    with kept.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    for _ in range(2):
        with pytest.raises(UnreadableInput, match="no timings of fit-costs") as caught:
            open_raw(tmp_path, KEY, 5)
        assert str(kept) in str(caught.value)


@pytest.mark.parametrize("key", [None, 3, {}, {"machine": "x"}, {"surprise": 1}])
def test_a_header_of_something_else_is_refused(kept: Path, tmp_path: Path, key: Any) -> None:
    """A journal that is not of fit-costs is no set-up to compare with."""
    _refused_header(kept, tmp_path, lambda header: header | {"key": key})
    _refused_header(kept, tmp_path, lambda header: {**header, "key": header["key"] | {"versions": 3}})


def _refused_header(path: Path, folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([json.dumps(change(json.loads(first))), *rest, ""]), encoding="utf-8")
    with pytest.raises(UnreadableInput, match="no timings of fit-costs"):
        open_raw(folder, KEY, 5)
    path.write_text("\n".join([first, *rest, ""]), encoding="utf-8")


def test_a_run_is_finished_when_its_profile_was_saved(kept: Path, tmp_path: Path) -> None:
    """The last line says so; where there is no file nothing is finished."""
    assert not is_finished(tmp_path / "absent.jsonl")
    assert not is_finished(kept)
    with open_raw(tmp_path, KEY, 5) as raw:
        raw.finish()
    assert is_finished(kept)


def test_the_newest_run_is_gone_on_with(tmp_path: Path) -> None:
    """Runs are folders named by their time; without one there is nothing to resume."""
    for raw in (tmp_path, tmp_path / "absent"):
        with pytest.raises(UsageError, match="nothing to resume"):
            newest_run(raw)
    for name in ("20300101-000000", "20290101-000000"):
        (tmp_path / name).mkdir()
    (tmp_path / "zzz.txt").touch()
    assert newest_run(tmp_path).name == "20300101-000000"
