"""Where profiles are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from placement_cli.profile.places import FOLDER_VARIABLE, profile_folder, raw_folder


def test_a_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable of the environment comes first; raw timings lie beside the profiles."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert profile_folder() == tmp_path
    assert raw_folder(profile_folder()) == tmp_path / "raw"


@pytest.mark.parametrize("value", [None, ""])
def test_without_one_it_is_the_users_own(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of this program in what the system has for data; an empty variable names none."""
    if value is None:
        monkeypatch.delenv(FOLDER_VARIABLE)
    else:
        monkeypatch.setenv(FOLDER_VARIABLE, value)
    folder = profile_folder()
    assert folder.is_absolute()
    assert folder.parts[-2:] == ("placement", "profiles")
