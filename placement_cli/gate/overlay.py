"""An overlay: a folder of packages that comes before those of this environment, and so replaces some of them.

Only what was asked for is installed, and what it needs beyond what is here: everything else stays the same on both
sides, or the comparison would not be about what was asked.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from placement_cli.device.builds import EXTRAS, installed_builds
from placement_cli.errors import UsageError
from placement_cli.gate.commands import RunCommand
from placement_cli.gate.reference import without_credentials

ROUNDS = 6
"""How often what is still missing is looked for; chains of new needs longer than this are not followed."""

Versions = Mapping[str, str]
"""Names of distributions in their one form, and their versions."""


def fill(overlay: Path, asked: str, run: RunCommand) -> None:
    """Install `asked` (a requirement or a path) into the folder `overlay`, with what it needs that is not here.

    Raises UsageError with pip's words when that cannot be done.
    """
    wanted = list(with_backend(asked, [build.name for build in installed_builds()]))
    extras, said = _extras(asked), without_credentials(asked)
    for _ in range(ROUNDS):
        _install(overlay, wanted, run)
        wanted = sorted(unmet(_inside(overlay), installed_versions(), default_environment(), extras))
        if not wanted:
            break
    else:
        raise UsageError(f"--against {said}: needs more and more packages ({', '.join(wanted)}).")
    if not _inside(overlay):
        raise UsageError(f"--against {said}: nothing was installed; its condition does not hold here.")


def with_backend(asked: str, builds: Iterable[str]) -> Iterator[str]:
    """Yield `asked`, and for MLX itself each installed backend of the same versions: they only work in pairs."""
    yield asked
    try:
        requirement = Requirement(asked)
    except InvalidRequirement:
        return
    applies = requirement.marker is None or requirement.marker.evaluate()
    if canonicalize_name(requirement.name) == "mlx" and requirement.url is None and applies:
        yield from (f"{build}{requirement.specifier}" for build in builds if build in EXTRAS)


def pinned(asked: str) -> bool:
    """Tell whether `asked` is the same tomorrow: a requirement of one version."""
    specifiers = list(Requirement(asked).specifier)
    return [each.operator for each in specifiers] == ["=="] and not specifiers[0].version.endswith(".*")


def installed_versions() -> Versions:
    """Return the distributions of this environment."""
    return {canonicalize_name(each.name): each.version for each in importlib.metadata.distributions() if each.name}


def unmet(
    inside: Iterable[Distribution],
    here: Versions,
    environment: Mapping[str, object],
    extras: Mapping[str, Iterable[str]] | None = None,
) -> set[str]:
    """Return what the distributions `inside` need that neither they nor those `here` are.

    `extras` are those asked for, by the one form of the distribution's name.
    """
    named = {canonicalize_name(each.name): each for each in inside}
    there = dict(here) | {name: each.version for name, each in named.items()}
    needs = [
        need
        for name, each in named.items()
        for need in map(Requirement, each.requires or ())
        if _applies(need, environment, ("", *(extras or {}).get(name, ())))
    ]
    return {_plain(need) for need in needs if not _met(need, there)}


def _extras(asked: str) -> dict[str, Iterable[str]]:
    try:
        requirement = Requirement(asked)
    except InvalidRequirement:
        return {}
    return {canonicalize_name(requirement.name): requirement.extras}


def _applies(need: Requirement, environment: Mapping[str, object], extras: Iterable[str]) -> bool:
    if need.marker is None:
        return True
    asked = {key: str(value) for key, value in environment.items()}
    return any(need.marker.evaluate(asked | {"extra": extra}) for extra in extras)


def _met(need: Requirement, there: Versions) -> bool:
    version = there.get(canonicalize_name(need.name))
    return version is not None and need.specifier.contains(version, prereleases=True)


def _plain(need: Requirement) -> str:
    extras = f"[{','.join(sorted(need.extras))}]" if need.extras else ""
    return f"{need.name}{extras}{need.specifier}" if need.url is None else f"{need.name}{extras} @ {need.url}"


def _inside(overlay: Path) -> list[Distribution]:
    return list(importlib.metadata.distributions(path=[str(overlay)]))


def _install(overlay: Path, wanted: Iterable[str], run: RunCommand) -> None:
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    done = run([*words, "--no-deps", "--upgrade", "--target", str(overlay), "--", *wanted])
    if not done.ok:
        told = without_credentials(f"{', '.join(wanted)} cannot be installed: {done.problem}")
        raise UsageError(f"--against: {told}.")
