"""Whose prices a plan goes by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from placement_cli.blocks.formulation import dense
from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.planning import prices
from placement_cli.planning.prices import named_price, price_of_profile, saved_price
from placement_cli.profile.profile import Profile
from placement_cli.profile.saved import save_profile


def test_a_saved_profile_is_used(here: Any, profile: Profile, tmp_path: Path) -> None:
    """The price predicts seconds, is trusted, and says where it comes from."""
    save_profile(profile, tmp_path, "1")
    found = saved_price("numpy", 1, folder=tmp_path)
    assert found.profile == profile
    assert (found.provenance, found.in_seconds, found.trusted) == ("Costs: fitted here.", True, True)
    assert found.price(dense(64, 64), 30) == profile.price(dense(64, 64), 30)


def test_profiles_are_looked_for_in_the_folder_of_the_user(
    here: Any, profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a folder it is the one that the environment names."""
    monkeypatch.setenv("PLACEMENT_PROFILES", str(tmp_path))
    assert saved_price("numpy", 1).profile is None
    save_profile(profile, tmp_path, "1")
    assert saved_price("numpy", 1).profile == profile


@pytest.mark.parametrize(("backend", "in_seconds"), [("numpy", True), ("mlx-cpu", True), ("mlx-gpu", False)])
def test_without_a_profile_shipped_costs_stand_in(here: Any, tmp_path: Path, backend: str, in_seconds: bool) -> None:
    """They say so, and how to measure this machine."""
    found = saved_price(backend, 1, folder=tmp_path)
    assert found.profile is None
    assert found.in_seconds is in_seconds
    assert found.trusted
    assert "Nothing was measured" in found.provenance
    assert "placement fit-costs" in found.provenance


def test_a_stale_profile_is_passed_over_with_the_reason(here: Any, profile: Profile, tmp_path: Path) -> None:
    """What differs stands in the provenance of the shipped costs."""
    old = replace(profile, key=replace(profile.key, versions={"numpy": "1.26"}))
    save_profile(old, tmp_path, "1")
    found = saved_price("numpy", 1, folder=tmp_path)
    assert found.profile is None
    assert "numpy was 1.26 and is 2.4" in found.provenance


def test_a_damaged_profile_is_passed_over_with_the_reason(here: Any, profile: Profile, tmp_path: Path) -> None:
    """A pipeline goes on by shipped costs, and who reads the notes learns why."""
    (tmp_path / profile.key.file_name).write_text("{", encoding="utf-8")
    found = saved_price("numpy", 1, folder=tmp_path)
    assert found.profile is None
    assert "no JSON" in found.provenance


def test_a_profile_without_costs_of_products_does_not_count(here: Any, profile: Profile, tmp_path: Path) -> None:
    """One that holds only evaluation constants leaves planning to the shipped costs."""
    save_profile(replace(profile, blocks=None), tmp_path, "1")
    assert saved_price("numpy", 1, folder=tmp_path).profile is None


def test_a_backend_that_is_not_here_can_be_planned_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without MLX, or without its GPU, the shipped costs are there all the same."""

    def refuse(*_: Any) -> Any:
        raise UsageError("MLX has no GPU here.")

    monkeypatch.setattr(prices, "profile_key", refuse)
    found = saved_price("mlx-gpu", 1, folder=tmp_path)
    assert found.profile is None
    assert "no mlx-gpu on this machine" in found.provenance


def test_a_profile_of_another_backend_is_refused(profile: Profile) -> None:
    """NumPy's costs say nothing of MLX."""
    with pytest.raises(UsageError, match="mine is one of numpy, not of mlx-cpu"):
        price_of_profile(profile, "mlx-cpu")


def test_a_fit_that_missed_its_gate_is_not_trusted(missed: Profile) -> None:
    """Choices by it are to be measured."""
    assert not price_of_profile(missed, "numpy").trusted


def test_a_named_profile_is_used_whatever_set_up_it_is_of(here: Any, profile: Profile, tmp_path: Path) -> None:
    """What differs is said; what does not leaves the provenance as it is."""
    path = save_profile(profile, tmp_path, "1")
    assert named_price(path, "numpy", 1, "float32").provenance == "Costs: fitted here."
    other = named_price(path, "numpy", 2, "float32")
    assert other.profile == profile
    assert "It is of another set-up: the number of threads was 1 and is 2." in other.provenance


def test_a_named_profile_that_is_not_there_is_told(here: Any, tmp_path: Path) -> None:
    """A path is not guessed around."""
    with pytest.raises(UnreadableInput, match="cannot be read"):
        named_price(tmp_path / "absent.json", "numpy", 1, "float32")
