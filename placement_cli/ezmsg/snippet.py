"""The constants of ezmsg-sigproc's planner as Python source that sets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placement_cli.ezmsg.installed import MODULE
from placement_cli.ezmsg.settings import profiles_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from placement_cli.ezmsg.settings import ProfileSource, Setting
    from placement_cli.profile.constant import Constant
    from placement_cli.profile.profile import Profile

_HEAD = (
    "# Constants of ezmsg-sigproc's block product planner, as fitted by `placement fit-costs`.",
    "# Run this in every process of the pipeline before its first message arrives.",
)
"""Two lines without data: Python takes an encoding from a comment in these and nowhere else."""


def export_text(*profiles: ProfileSource) -> str:
    """Return Python source that sets upstream's constants to those of `profiles`, as `use_profile` would.

    A comment over each tells the interval (5 to 95 % of refits) and whether the timings determined the constant;
    the head tells the set-up. Raises as `use_profile` does; ezmsg-sigproc itself is not needed.
    """
    used = profiles_of(profiles)
    package, _, module = MODULE.rpartition(".")
    heads = [line for profile in used for line in _set_up(profile)]
    lines = [_assignment(module, setting, len(used) > 1) for setting in settings_of(used)]
    return "\n".join([*_HEAD, "#", *heads, f"from {package} import {module}", "", *lines, ""])


def _set_up(profile: Profile) -> Iterator[str]:
    key = profile.key
    versions = ", ".join(f"{name} {version}" for name, version in key.versions.items()) or "not recorded"
    threads = f"{key.threads} thread{'s' if key.threads != 1 else ''}"
    yield _comment(f"Profile {profile.name} ({profile.confidence}: {profile.provenance})")
    yield _comment(f"  machine:  {key.machine}")
    yield _comment(f"  backend:  {key.backend}, {threads}, {key.dtype}")
    yield _comment(f"  versions: {versions}")
    if profile.validation and not profile.validation.passed:
        yield _comment(f"  not to be relied on: {'; '.join(profile.validation.misses)}")
    yield "#"


def _assignment(module: str, setting: Setting, named: bool) -> str:
    constant = setting.constant
    told = [setting.unit, _interval(constant)]
    told.append("identified" if constant.identified else f"not identified ({constant.source})")
    told += [f"from {setting.profile.name}"] if named else []
    return f"{_comment('; '.join(told))}\n{module}.{setting.name} = {float(constant.value)!r}"


def _interval(constant: Constant) -> str:
    if constant.low is None or constant.high is None:
        return "no interval"
    return f"5 to 95 %: {constant.low:g} to {constant.high:g}"


def _comment(text: str) -> str:
    """Return `text`, which may come from a document, as a comment that ends where the line does."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return f"# {shown}"
