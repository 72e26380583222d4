from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.ezmsg.settings import profiles_of, settings_of
from placement_cli.profile.profile import Profile
from placement_cli.profile.saved import save_profile


def _values(*profiles: Profile) -> dict[str, float]:
    return {setting.name: setting.constant.value for setting in settings_of(profiles)}


def test_one_profile_sets_its_own_call_cost_and_the_shared_constants(on_numpy: Profile, on_mlx: Profile) -> None:
    """Each constant has the name under which upstream keeps it for that backend."""
    for profile in (on_numpy, on_mlx):
        assert _values(profile) == profile.blocks.upstream.assignments()


def test_of_two_profiles_the_first_gives_what_they_share(on_numpy: Profile, on_mlx: Profile) -> None:
    """Call costs have a constant each; the other two are those of the profile listed first."""
    numpy, mlx = on_numpy.blocks.upstream.assignments(), on_mlx.blocks.upstream.assignments()
    assert _values(on_numpy, on_mlx) == mlx | numpy
    assert _values(on_mlx, on_numpy) == numpy | mlx


def test_two_profiles_of_one_kind_are_refused(on_mlx: Profile) -> None:
    """MLX on a CPU and on a GPU cannot be told apart by upstream, so both together are an error."""
    other = replace(on_mlx, name="mlx-gpu")
    with pytest.raises(UsageError, match="'mlx-cpu-1-thread-float32' and 'mlx-gpu' are both for"):
        profiles_of([on_mlx, other])


def test_a_profile_without_upstreams_constants_is_refused(without_upstream: Profile) -> None:
    """The message names the profile and the command that fits them."""
    for profile in (without_upstream, replace(without_upstream, blocks=None)):
        with pytest.raises(UsageError, match=r"'bare' holds no constants.*fit-costs"):
            profiles_of([profile])


def test_profiles_are_read_from_paths(tmp_path: Path, on_numpy: Profile) -> None:
    """A path may be given as such or as text; what is there must be a profile."""
    path = save_profile(on_numpy, tmp_path, "1.0")
    assert profiles_of([path]) == profiles_of([str(path)]) == (on_numpy,)
    with pytest.raises(UnreadableInput, match=r"none\.json"):
        profiles_of([tmp_path / "none.json"])


def test_without_a_profile_it_is_the_shipped_one_for_numpy(on_numpy: Profile) -> None:
    """Its provenance says that it was not measured here."""
    (profile,) = profiles_of([])
    assert profile == on_numpy
    assert "not on this machine" in profile.provenance
