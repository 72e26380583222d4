"""Profiles on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.errors import NothingComparable, UnreadableInput, UsageError
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile
from placement_cli.profile.saved import find_profile, load_profile, parse_profile, save_profile

ODD: dict[str, Any] = {"value": 3, "low": 2, "high": 5, "unit": "s", "identified": True, "source": ""}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def edited(profile: Profile, tmp_path: Path, **changes: Any) -> Path:
    """A saved document with some top-level keys changed."""
    path = save_profile(profile, tmp_path, "1")
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")
    return path


def test_a_saved_profile_is_found_by_its_key(profile: Profile, tmp_path: Path) -> None:
    """Saved into a folder that did not exist, it is found again, equal to what was saved."""
    folder = tmp_path / "new" / "folder"

    path = save_profile(profile, folder, "1")

    assert path == folder / "numpy-2-threads-float32.json"
    assert find_profile(folder, profile.key) == profile
    assert [entry.name for entry in folder.iterdir()] == [path.name]


def test_saving_replaces(profile: Profile, tmp_path: Path) -> None:
    """The newest profile of a set-up is the one that is kept."""
    save_profile(profile, tmp_path, "1")
    save_profile(replace(profile, name="newer"), tmp_path, "1")

    found = find_profile(tmp_path, profile.key)

    assert found is not None
    assert found.name == "newer"


def test_nothing_saved_is_nothing_found(key: ProfileKey, tmp_path: Path) -> None:
    """Without a profile there is none, which is no error."""
    assert find_profile(tmp_path, key) is None


def test_a_stale_profile_is_refused_with_the_reason(profile: Profile, tmp_path: Path) -> None:
    """Another version of NumPy makes it stale, and the error says so and what to do."""
    save_profile(profile, tmp_path, "1")
    now = replace(profile.key, versions={**profile.key.versions, "numpy": "9.9"})

    with pytest.raises(NothingComparable, match=r"numpy was 2\.4 and is 9\.9.*fit-costs"):
        find_profile(tmp_path, now)


def test_without_a_key_any_profile_is_read(profile: Profile, tmp_path: Path) -> None:
    """A profile named by its path is read whatever machine it is from."""
    assert load_profile(save_profile(profile, tmp_path, "1")) == profile


def test_a_newer_minor_version_with_unknown_keys_is_read(profile: Profile, tmp_path: Path) -> None:
    """Readers take the same major version and ignore what they do not know."""
    path = edited(profile, tmp_path, schema_version="1.7.0", surprise={"x": 1})

    assert load_profile(path) == profile


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema_version": "2.0.0"}, "newer"),
        ({"schema_version": "soon"}, "no version"),
        ({"schema_version": None}, "no version"),
        ({"schema": "placement.run"}, "no document of a placement profile"),
        ({"backend": None}, "backend"),
        ({"blocks": {}}, "lacks once"),
        ({"env": {"machine": "x"}}, "env.threads"),
        ({"evaluation": {"x": {**ODD, "low": 4}}}, "outside"),
    ],
)
def test_damage_is_one_clear_error(profile: Profile, tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    """What cannot be used is refused with the file and the place."""
    path = edited(profile, tmp_path, **changes)

    with pytest.raises(UnreadableInput, match=said) as caught:
        load_profile(path)

    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\x00"])
def test_what_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    """Broken, empty or absurdly nested text is an unreadable input."""
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UnreadableInput, match="no JSON"):
        load_profile(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A path without a file is an unreadable input, not a traceback."""
    with pytest.raises(UnreadableInput, match="cannot be read"):
        load_profile(tmp_path / "absent.json")


def test_a_folder_that_cannot_be_made_is_a_usage_error(profile: Profile, tmp_path: Path) -> None:
    """Saving below a file says that it cannot be written."""
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(UsageError, match="cannot be written"):
        save_profile(profile, tmp_path / "file" / "folder", "1")


@given(JSON)
@settings(deadline=None)
def test_any_other_json_is_refused(data: object) -> None:
    """No JSON value that is not a profile gets through or crashes the reader."""
    with pytest.raises(UnreadableInput):
        parse_profile(data, "x.json")


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_a_mutated_profile_is_read_or_refused(data: st.DataObject) -> None:
    """Replacing any key of a shipped profile by anything gives a profile or one clear error."""
    from importlib.resources import files

    text = files("placement_cli.profile.defaults").joinpath("mlx-cpu-1-thread-float32.json").read_text("utf-8")
    document = json.loads(text)
    place, depth = document, data.draw(st.integers(0, 2))
    for _ in range(depth):
        inner = [key for key, value in place.items() if isinstance(value, dict) and value]
        place = place[data.draw(st.sampled_from(inner))] if inner else place
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JSON)

    try:
        found: object = parse_profile(document, "x.json")
    except UnreadableInput as error:
        found = error

    assert isinstance(found, Profile) or str(found).startswith("x.json")
