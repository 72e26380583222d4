"""One side of a gate: an installation whose workers can be started, and the facts that tell it from the other."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import placement_cli
from placement_cli.errors import UsageError
from placement_cli.gate.commands import RunCommand, run_command
from placement_cli.measure.spawn import ROOT, Spawn, elsewhere, spawn_elsewhere

TELLS = """
import importlib.metadata as m, importlib.util as u, json, platform, re
name = lambda text: re.sub(r"[-_.]+", "-", text).lower()
spec = u.find_spec("placement_cli")
found = {}
for each in m.distributions():
    if each.name:
        found.setdefault(name(each.name), each.version)
print(json.dumps({
    "root": spec and spec.origin,
    "python": f"{platform.python_implementation()} {platform.python_version()}",
    "packages": found,
}))
"""
"""What an interpreter is asked: where it finds this package, and the versions of all others."""

TOLD = (
    "mlx",
    "mlx-cpu",
    "mlx-metal",
    "mlx-cuda-12",
    "mlx-cuda-13",
    "numpy",
    "ezmsg",
    "ezmsg-baseproc",
    "ezmsg-sigproc",
)
"""The packages whose versions are always told of a side; of any other only where the sides differ in it."""


@dataclass(frozen=True, slots=True)
class Side:
    """An installation: its `interpreter`, and folders that come before all else on its path.

    `given` is what was asked for, `kind` and `resolved` what that turned out to be. `facts` are the versions that
    its interpreter reports, and a digest of the code of this package that its workers run.
    """

    given: str
    kind: str
    resolved: str
    interpreter: str
    path: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def spawn(self, device: str | None) -> Spawn:
        """Return what starts one of its workers."""
        return partial(spawn_elsewhere, self.interpreter, self.path, device)


def current_side() -> Side:
    """Return the side that this program itself is."""
    return described(Side("this installation", "current", f"placement {placement_cli.__version__}", *_here()))


def _here() -> tuple[str, tuple[str, ...]]:
    return sys.executable, (str(ROOT),)


def described(side: Side, run: RunCommand = run_command) -> Side:
    """Return `side` with the facts its interpreter reports; raises UsageError where it cannot run workers."""
    told = run([side.interpreter, "-P", "-c", TELLS], None, _variables(side))
    facts = _parsed(told.said) if told.ok else None
    if facts is None:
        raise UsageError(f"--against {side.given}: {side.interpreter} does not run: {told.problem or told.said[:200]}.")
    root = facts["root"]
    if not isinstance(root, str):
        raise UsageError(f"--against {side.given}: no placement_cli is found on its path.")
    package = Path(root).resolve().parent
    if side.path and not any(package.parent == Path(folder).resolve() for folder in side.path) and not _linked(side):
        raise UsageError(
            f"--against {side.given}: its interpreter takes placement_cli from {package}, not from {side.path[0]}: "
            f"the other side would not be measured."
        )
    known = {
        "python": facts["python"],
        "packages": dict(facts["packages"]),
        "placement": {"digest": code_digest(package)},
    }
    return Side(side.given, side.kind, side.resolved, side.interpreter, side.path, known)


def _linked(side: Side) -> bool:
    """Tell whether a side borrows this package by a link."""
    return any((Path(folder) / "placement_cli").is_symlink() for folder in side.path)


def _variables(side: Side) -> dict[str, str]:
    import os

    return dict(os.environ) | elsewhere(side.path, inherit=side.interpreter == sys.executable)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        facts = json.loads(text.splitlines()[-1]) if text else None
    except ValueError:
        return None
    whole = isinstance(facts, dict) and {"root", "python", "packages"} <= facts.keys()
    return facts if whole else None


def code_digest(package: Path) -> str:
    """Return a digest of all Python files of a package: equal for two copies of the same code; raises UsageError."""
    digest = hashlib.sha256()
    try:
        for path in sorted(path for path in package.rglob("*.py") if path.is_file()):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    except OSError as error:
        raise UsageError(f"{package}: its code cannot be read ({error.strerror}).") from None
    return f"sha256:{digest.hexdigest()[:16]}"
