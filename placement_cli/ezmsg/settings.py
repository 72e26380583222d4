"""Which constants of ezmsg-sigproc's cost model a choice of profiles sets, and from which profile each comes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from placement_cli.errors import UsageError
from placement_cli.profile.upstream import UPSTREAM_UNITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from placement_cli.profile.constant import Constant
    from placement_cli.profile.profile import Profile
    from placement_cli.profile.upstream import UpstreamConstants

    ProfileSource = Profile | Path | str

DEFAULT = "numpy-1-thread-float32"
"""The shipped profile that is used where none is given."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Upstream's `name` is to have the value of `constant` (in `unit`), which `profile` holds."""

    name: str
    constant: Constant
    unit: str
    profile: Profile


def profiles_of(given: Iterable[ProfileSource]) -> tuple[Profile, ...]:
    """Return profiles that can be used together, those at paths read; the shipped one for NumPy when none is given.

    Raises UnreadableInput for a file that is no profile, UsageError for a profile without upstream's constants and
    for two profiles between which ezmsg-sigproc cannot tell.
    """
    profiles = tuple(_read(source) for source in given) or (_shipped(),)
    seen: dict[bool, Profile] = {}
    for profile in profiles:
        other = seen.setdefault(upstream_of(profile).dispatched, profile)
        if other is not profile:
            kind = "backends that dispatch kernels" if upstream_of(profile).dispatched else "NumPy"
            raise UsageError(
                f"The profiles {other.name!r} and {profile.name!r} are both for {kind}, which have one set of "
                f"constants in ezmsg-sigproc; give one of them."
            )
    return profiles


def upstream_of(profile: Profile) -> UpstreamConstants:
    """Return the constants of ezmsg-sigproc's model in `profile`; raises UsageError when it has none."""
    if profile.blocks is None or profile.blocks.upstream is None:
        raise UsageError(
            f"The profile {profile.name!r} holds no constants of ezmsg-sigproc's model. Run `placement fit-costs`."
        )
    return profile.blocks.upstream


def settings_of(profiles: Sequence[Profile]) -> list[Setting]:
    """Return what `profiles` set, each name once: of a constant that two of them have, the first one's is taken."""
    chosen: dict[str, Setting] = {}
    for profile in profiles:
        for setting in _settings(profile):
            chosen.setdefault(setting.name, setting)
    return list(chosen.values())


def _settings(profile: Profile) -> Iterator[Setting]:
    upstream = upstream_of(profile)
    for field, unit in UPSTREAM_UNITS.items():
        name = next(name for name in upstream.assignments() if name.startswith(field.upper()))
        yield Setting(name, getattr(upstream, field), unit, profile)


def _read(source: ProfileSource) -> Profile:
    if isinstance(source, str | Path):
        from placement_cli.profile.saved import load_profile

        return load_profile(Path(source).expanduser())
    return source


def _shipped() -> Profile:
    from placement_cli.profile.defaults import shipped_profile

    return shipped_profile(DEFAULT)
