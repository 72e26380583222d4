"""What `--against` names: a revision, a path, an environment or a requirement. Pure but for two questions it is given.

origin/main, v0.3, 1a2b3c      a revision of the repository one stands in
mlx==0.31.1, ezmsg-sigproc<3   a requirement: this environment with that installed over it
../other, ./build/x.whl        a project, a copy of the package, or a wheel
~/venvs/nightly                a virtual environment, or its interpreter
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from placement_cli.errors import UsageError
from placement_cli.located.places import quoted

PACKAGE = "placement_cli"
INTERPRETER = re.compile(r"python[0-9.]*(\.exe)?")
CREDENTIALS = re.compile(r"(://)[^/@\s]+@")


class Kind(StrEnum):
    """What a reference turned out to be."""

    REVISION = "revision"
    REQUIREMENT = "requirement"
    COPY = "copy"
    """A folder that holds this package."""
    PROJECT = "project"
    """A project or a wheel that pip can install."""
    ENVIRONMENT = "environment"
    """An interpreter with what is installed beside it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What `--against` names: its `kind`, the text given, and the commit, path or requirement it stands for."""

    kind: Kind
    given: str
    target: str


def read_reference(given: str, folder: Path, commit_of: Callable[[str], str | None]) -> Reference:
    """Return what `given` names, seen from `folder`; `commit_of` returns the commit of a revision, None for none.

    Raises UsageError for what is nothing of the kind, and for what is two things at once.
    """
    text = given.strip()
    if not text or text.startswith("-"):
        raise UsageError(f"--against {quoted(given)}: expected a revision, a path or a requirement.")
    path = _path(text, folder)
    commit = commit_of(text)
    if commit is not None and path is not None and not _written_as_path(text):
        raise UsageError(
            f"--against {quoted(text)}: there is a revision and a path of this name. "
            f"Write ./{text} for the path, or the commit {commit[:12]} for the revision."
        )
    if path is not None:
        kind = _kind_of(path, text)
        return Reference(kind, text, _target(path, kind))
    if commit is not None:
        return Reference(Kind.REVISION, text, commit)
    return _required(text)


def _path(text: str, folder: Path) -> Path | None:
    """Return what lies at the path `text`, seen from `folder`; None for nothing, and for what cannot be a path."""
    try:
        path = (folder / Path(text).expanduser()).absolute()
        return path if path.exists() else None
    except (OSError, RuntimeError, ValueError):
        # Too long, not allowed to look, the home of nobody, a NUL.
        return None


def _written_as_path(text: str) -> bool:
    return text.startswith((".", "/", "~"))


def _kind_of(path: Path, text: str) -> Kind:
    if os.pathsep in str(path):
        raise UsageError(f"--against {quoted(text)}: a path with {os.pathsep!r} in it cannot be searched for modules.")
    if (path / PACKAGE / "__init__.py").is_file():
        return Kind.COPY
    if _interpreter(path):
        return Kind.ENVIRONMENT
    if path.suffix == ".whl" or (path / "pyproject.toml").is_file() or (path / "setup.py").is_file():
        return Kind.PROJECT
    raise UsageError(
        f"--against {quoted(text)}: is there, but is no project (pyproject.toml), no wheel, no copy of {PACKAGE}, "
        f"and no environment (bin/python)."
    )


def _target(path: Path, kind: Kind) -> str:
    """Return what is used of a path: of an environment its interpreter."""
    return str(_interpreter(path) or path) if kind is Kind.ENVIRONMENT else str(path)


def _interpreter(path: Path) -> Path | None:
    """Return the interpreter that `path` is, or that the environment at `path` has."""
    if path.is_file() and INTERPRETER.fullmatch(path.name):
        return path
    candidates = (path / "bin" / "python", path / "Scripts" / "python.exe")
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _required(text: str) -> Reference:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        requirement = None
    if requirement is None or not (requirement.specifier or requirement.url):
        said = quoted(without_credentials(text))
        raise UsageError(
            f"--against {said}: is no revision known here, no path, and no requirement such as mlx==0.31.1."
        )
    return Reference(Kind.REQUIREMENT, without_credentials(text), text)


def without_credentials(text: str) -> str:
    """Return `text` with the user and password of every address in it struck out: documents are passed around."""
    return CREDENTIALS.sub(r"\1***@", text)
