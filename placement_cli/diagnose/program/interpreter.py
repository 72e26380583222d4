"""Which interpreter runs a person's program, and whether there is such a program: asked before anything starts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from placement_cli.errors import UsageError, did_you_mean

LEAST_VERSION = (3, 11)
"""The oldest Python that can be traced."""
ANSWER_S = 60.0
"""An interpreter that has not answered a question by then is none."""
ENTRY = "__main__.py"
"""What makes a folder a program."""
_PYTHON = re.compile(r"(python|pypy)[0-9.]*")
_ASK = """\
import importlib.util, json, pkgutil, sys
name = sys.argv[1].partition(".")[0]
found = not name or importlib.util.find_spec(name) is not None
known = [] if found else sorted({each.name for each in pkgutil.iter_modules()} | set(sys.stdlib_module_names))
print(json.dumps({"version": list(sys.version_info[:2]), "found": found, "known": known}))
"""
"""A program that says which Python runs it, and whether that finds a module; it imports none."""


def find_interpreter(python: str | None) -> str:
    """Return the interpreter to run programs with: that called `python`, or the one that runs this program.

    Raises UsageError when there is none of that name, when it is no Python, and when it is too old to be traced.
    """
    if python is None:
        return sys.executable
    path = shutil.which(python)
    if path is None:
        raise UsageError(f"--python {python}: there is no such program, or it may not be run.")
    version = tuple(_asked(path, "")["version"])
    if version < LEAST_VERSION:
        found, least = (".".join(map(str, each)) for each in (version, LEAST_VERSION))
        raise UsageError(f"--python {python}: is Python {found}; from {least} on programs can be traced.")
    return os.path.abspath(path)  # noqa: PTH100 - a virtual environment's interpreter is a link that must stay one


def check_script(name: str) -> None:
    """Refuse what Python would not run as a script; raises UsageError with the nearest name."""
    if not name:
        raise UsageError("The name of the script is empty.")
    path = Path(name)
    if path.is_dir():
        if (path / ENTRY).is_file():
            return
        raise UsageError(f"{name}: is a folder, without {ENTRY}. Which program in it? {_near('', path)}")
    if not path.exists():
        raise UsageError(f"{name}: there is no such script. {_instead(path)}")
    if not path.is_file():
        raise UsageError(f"{name}: is no file that holds a program.")
    if not os.access(path, os.R_OK):
        raise UsageError(f"{name}: cannot be read.")


def check_module(interpreter: str, name: str) -> None:
    """Refuse a module that `interpreter` does not find from this folder; raises UsageError with the nearest name.

    Only the top-level package is looked for, since finding what is in it would run its code.
    """
    answer = _asked(interpreter, name)
    if not answer["found"]:
        top = name.partition(".")[0]
        raise UsageError(f"-m {name}: there is no module {top!r} here. {_instead_of_module(name, answer['known'])}")


def _instead_of_module(name: str, known: list[str]) -> str:
    """Return what may have been meant by a module that is not there."""
    if Path(name).is_file():
        return "It is a script: leave -m out."
    near = get_close_matches(name.partition(".")[0], known, n=1)
    return f"Did you mean {near[0]!r}?" if near else "Modules of this folder and installed ones are found."


def _instead(path: Path) -> str:
    """Return what may have been meant by a script that is not there."""
    if path.name == "-":
        return "What is typed in cannot be traced: write it to a file."
    if _PYTHON.fullmatch(path.name):
        return "Give your script alone: its interpreter is this one, or that of --python."
    return _near(path.name, path.parent)


def _near(name: str, folder: Path) -> str:
    try:
        scripts = sorted(each.name for each in folder.glob("*.py"))
    except OSError:
        scripts = []
    near = did_you_mean(name, scripts, 5)
    return near if scripts else f"No script is in {folder.absolute()}."


def _asked(interpreter: str, module: str) -> dict[str, Any]:
    """Return what `interpreter` says of itself and of `module`; raises UsageError when it says nothing of the kind."""
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that was asked for
            [interpreter, "-c", _ASK, module],
            capture_output=True,
            check=True,
            timeout=ANSWER_S,
            stdin=subprocess.DEVNULL,
        )
        answer = json.loads(done.stdout.splitlines()[-1])
        return {"version": answer["version"], "found": answer["found"], "known": answer["known"]}
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError):
        raise UsageError(f"{interpreter}: does not answer as a Python that can be traced does.") from None
