"""The command beside copies of the package: one as it is, others with a fault each.

A fault lies beside a copy as `sitecustomize.py`, which Python imports when it starts, so it is in the processes of that
copy alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import placement_cli

PACKAGE = Path(placement_cli.__file__).parent
FAULTS = Path(__file__).parents[1] / "faults"


@dataclass(frozen=True)
class Ended:
    """A gate that is over: its exit code, what it printed, and the folder of its results."""

    code: int
    out: str
    err: str
    results: Path

    @property
    def document(self) -> dict[str, Any]:
        """The one document that was kept."""
        (path,) = self.results.glob("*.json")
        return json.loads(path.read_bytes(), parse_constant=pytest.fail)

    @property
    def exit(self) -> tuple[int, str]:
        """The exit code and its name, as the document has them."""
        said = self.document["exit"]
        return said["code"], said["name"]


@dataclass(frozen=True)
class Gate:
    """The command in a folder with copies of the package."""

    placement: Any

    @property
    def folder(self) -> Path:
        """Where it runs."""
        return self.placement.folder

    def copy(self, name: str, fault: str = "") -> str:
        """Make a copy of the package, with a fault in its processes; return its path as `--against` takes it."""
        folder = self.folder / name
        if not folder.exists():
            # With what is compiled already: Python finds it valid by time and size, and starts sooner.
            shutil.copytree(PACKAGE, folder / PACKAGE.name)
            broken = (FAULTS / f"{fault}.py").read_bytes() if fault else b""
            # Also where nothing is broken: so that it is found before that of the other side.
            (folder / "sitecustomize.py").write_bytes(broken)
        return f"./{name}"

    def this_is(self, copy: str) -> dict[str, str]:
        """Return the variables under which the command itself runs from `copy`: it is the new side."""
        paths = [str(self.folder / copy), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {"PYTHONPATH": os.pathsep.join(paths)}

    def __call__(self, results: str, *arguments: str, **variables: str) -> Ended:
        """Run `placement ARGUMENTS`, with its results in a folder of their own."""
        done = self.placement(*arguments, "--out", results, **(self.alone() | variables))
        return Ended(done.returncode, done.stdout, done.stderr, self.folder / results)

    def start(self, results: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start `placement ARGUMENTS`, with its results in a folder of their own."""
        process: subprocess.Popen[str] = self.placement.start(*arguments, "--out", results, **(self.alone() | options))
        return process

    def ended(self, results: str, process: subprocess.Popen[str]) -> Ended:
        """Wait for what `start` started."""
        out, err = process.communicate()
        return Ended(process.returncode, out or "", err, self.folder / results)

    def seen(self, results: str, code: int, out: str, err: str) -> Ended:
        """Return a gate that is over, of which this was seen."""
        return Ended(code, out, err, self.folder / results)

    def alone(self) -> dict[str, str]:
        """Return variables that keep settings and prepared sides of this machine out."""
        return {
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "PLACEMENT_CACHE": str(self.folder / "cache"),
            "GITHUB_ACTIONS": "",
            "GITHUB_STEP_SUMMARY": "",
        }


@pytest.fixture(scope="module")
def gate(placement_module: Any) -> Gate:
    """The command in a folder with a healthy copy of the package."""
    found = Gate(placement_module)
    found.copy("healthy")
    return found
