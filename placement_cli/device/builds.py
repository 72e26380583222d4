"""Which distributions of MLX are installed, and whether they can work together.

MLX comes as the Python package `mlx` and one backend: `mlx-metal`, `mlx-cpu`, `mlx-cuda-12` or `mlx-cuda-13`.
The backends are separate distributions, yet each ships its library under one name (`mlx/lib/libmlx.so`, on
macOS `libmlx.dylib`; the RECORD files of mlx-cpu, mlx-cuda-13 and mlx-metal 0.32.4 say so). With two of them,
the one installed last is used, and removing either takes the file from both. pip sees no conflict in that.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

CORE_LIBRARY = "mlx/lib/libmlx."
"""How the path of the library begins that every backend ships."""

EXTRAS = {
    "mlx-cpu": "mlx[cpu]",
    "mlx-cuda": "mlx[cuda]",
    "mlx-cuda-12": "mlx[cuda12]",
    "mlx-cuda-13": "mlx[cuda13]",
    "mlx-metal": "mlx",
}
"""Every backend's distribution to what one asks pip for to get it."""

HOW_TO_INSTALL = (
    "Run `python -m pip install mlx` on a Mac with Apple silicon; on Linux"
    " `python -m pip install 'mlx[cpu]'`, or `'mlx[cuda13]'` for an NVIDIA card."
)

FindDistribution = Callable[[str], Distribution]
"""Finds an installed distribution by name, or raises PackageNotFoundError."""


@dataclass(frozen=True, slots=True)
class Build:
    """One installed distribution of MLX.

    `libraries` are the core libraries it ships, as paths from the site-packages folder, and `missing` those
    of them that are not there. `whole` says that its list of files is known and holds MLX's own module or
    library; otherwise (a source checkout, conda) nothing can be concluded from what is absent.
    """

    name: str
    version: str
    libraries: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    whole: bool = False


def installed_builds(find: FindDistribution = importlib.metadata.distribution) -> tuple[Build, ...]:
    """Return `mlx`, when it is there, and then its installed backends by name."""
    builds = []
    for name in ("mlx", *EXTRAS):
        try:
            builds.append(_build(name, find(name)))
        except PackageNotFoundError:
            continue
    return tuple(builds)


def mlx_problem(find: FindDistribution = importlib.metadata.distribution) -> str | None:
    """Return why the installed MLX cannot be relied on and what to do about it; None when it can."""
    builds = installed_builds(find)
    core = next((build for build in builds if build.name == "mlx"), None)
    if core is None:
        return f"MLX is not installed. {HOW_TO_INSTALL}"
    backends = [build for build in builds if build is not core]
    return (
        _two_backends(backends) or _lost_library(backends) or _mismatch(core, backends) or _no_backend(core, backends)
    )


def _build(name: str, distribution: Distribution) -> Build:
    files = distribution.files or []
    libraries = [file for file in files if file.as_posix().startswith(CORE_LIBRARY)]
    # conda keeps libraries outside of site-packages, and sees to it that they fit.
    by_conda = (distribution.read_text("INSTALLER") or "").strip() == "conda"
    return Build(
        name,
        distribution.version,
        tuple(file.as_posix() for file in libraries),
        tuple(file.as_posix() for file in libraries if not Path(str(distribution.locate_file(file))).exists()),
        not by_conda and any(file.as_posix().startswith(("mlx/core.", CORE_LIBRARY)) for file in files),
    )


def _two_backends(backends: Sequence[Build]) -> str | None:
    shipping = [build for build in backends if build.libraries]
    if len(shipping) < 2:
        return None
    named = " and ".join(f"{build.name} {build.version}" for build in shipping)
    choices = " or ".join(f"`python -m pip install '{EXTRAS[build.name]}'`" for build in shipping)
    return (
        f"{named} are installed together, but they ship the same file ({shipping[0].libraries[0]}), so that"
        " only the one installed last is used. Remove them with `python -m pip uninstall"
        f" {' '.join(build.name for build in shipping)}`, then install one of them: {choices}."
    )


def _lost_library(backends: Sequence[Build]) -> str | None:
    for build in backends:
        if build.missing:
            return (
                f"{build.name} {build.version} is installed, but its file {build.missing[0]} is gone:"
                " uninstalling another backend of MLX takes it along. Bring it back with `python -m pip"
                f" install --force-reinstall --no-deps {build.name}=={build.version}`."
            )
    return None


def _mismatch(core: Build, backends: Sequence[Build]) -> str | None:
    for build in backends:
        if build.version != core.version:
            return (
                f"mlx {core.version} and {build.name} {build.version} do not belong together: their"
                " versions must be equal. Run"
                f" `python -m pip install mlx=={core.version} {build.name}=={core.version}`."
            )
    return None


def _no_backend(core: Build, backends: Sequence[Build]) -> str | None:
    if backends or core.libraries or not core.whole:
        return None
    return f"mlx {core.version} is installed without a backend. {HOW_TO_INSTALL}"
