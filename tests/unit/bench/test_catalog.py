"""Finding scenarios by name and by path."""

from __future__ import annotations

from pathlib import Path

import pytest

from placement_cli.bench.catalog import READING_ORDER, find_scenario, scenario_folder, shipped_scenarios
from placement_cli.errors import InternalError, UsageError


def test_a_checkout_keeps_its_scenarios_beside_the_package(tmp_path: Path) -> None:
    """The folder at the top level is used where there is a project around it."""
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "pyproject.toml").touch()

    assert scenario_folder(tmp_path / "placement_cli") == tmp_path / "scenarios"


def test_an_installed_package_carries_its_scenarios(tmp_path: Path) -> None:
    """The folder inside the package comes first."""
    package = tmp_path / "placement_cli"
    (package / "scenarios").mkdir(parents=True)
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "pyproject.toml").touch()

    assert scenario_folder(package) == package / "scenarios"


def test_someone_elses_folder_is_not_taken(tmp_path: Path) -> None:
    """A folder called scenarios beside an installed package belongs to somebody else."""
    (tmp_path / "scenarios").mkdir()

    with pytest.raises(InternalError, match="The installation is incomplete"):
        scenario_folder(tmp_path / "placement_cli")


def test_shipped_scenarios_come_in_the_order_of_reading(tmp_path: Path) -> None:
    """Known names first, in the order of the documentation, then all others by name."""
    for name in ("zebra", "live", "aardvark", "chunk-size"):
        (tmp_path / f"{name}.yaml").touch()
    (tmp_path / "notes.txt").touch()

    assert list(shipped_scenarios(tmp_path)) == ["chunk-size", "live", "aardvark", "zebra"]


def test_all_ten_are_shipped() -> None:
    """The folder of this program holds the scenarios that its documentation lists."""
    assert tuple(shipped_scenarios()) == READING_ORDER


def test_a_name_finds_a_shipped_scenario(tmp_path: Path) -> None:
    """A bare word is a name."""
    (tmp_path / "live.yaml").touch()

    assert find_scenario("live", tmp_path) == tmp_path / "live.yaml"


@pytest.mark.parametrize("wanted", ["mine.yaml", "mine.yml", "./mine", "/abs/mine.yaml", "live.yaml"])
def test_a_path_is_taken_as_it_is(wanted: str, tmp_path: Path) -> None:
    """Whatever ends in .yaml or has a folder in it is a path."""
    assert find_scenario(wanted, tmp_path) == Path(wanted)


@pytest.mark.parametrize("wanted", ["liev", "", ".", "live.txt", "\x1b[31m"])
def test_an_unknown_name_is_answered_with_the_nearest(wanted: str, tmp_path: Path) -> None:
    """And it is said how a file of one's own is given."""
    (tmp_path / "live.yaml").touch()

    with pytest.raises(UsageError) as raised:
        find_scenario(wanted, tmp_path)

    assert str(raised.value).startswith(f"There is no scenario {wanted!r}. ")
    assert "'live'" in str(raised.value) or "Known: live." in str(raised.value)
    assert str(raised.value).endswith("as a path that ends in .yaml.")
