"""Starting the program: help and version come at once, without the libraries that measuring needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import placement_cli

HEAVY = ("mlx", "numpy", "pandas", "scipy")
DOCUMENTS = ("pydantic", "ruamel")
COMMANDS = (
    "bench",
    "advise",
    "check",
    "diagnose",
    "trace",
    "compare",
    "report",
    "history",
    "export",
    "explain",
    "import",
    "operators",
    "selftest",
    "config",
)
LIGHT_ROOMS = ("placement_cli.cli", "placement_cli.errors", "placement_cli.materialize")
"""All of this package that help may load: the command line, and what `import placement_cli` gives to a pipeline."""


def imported_by(folder: Path, *arguments: str) -> set[str]:
    """Return the names of all modules that `placement ARGUMENTS` loads, as Python itself reports them."""
    command = [sys.executable, "-X", "importtime", "-m", "placement_cli", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def within(modules: set[str], packages: tuple[str, ...]) -> set[str]:
    """Return those modules that are one of the packages or lie in one."""
    return {name for name in modules if any(name == top or name.startswith(f"{top}.") for top in packages)}


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_help_of_the_program_loads_no_library_that_it_does_not_need(tmp_path: Path, option: str) -> None:
    """Neither arrays nor statistics nor documents are needed to print what commands there are."""
    assert within(imported_by(tmp_path, option), HEAVY + DOCUMENTS) == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_loads_no_room_below_the_command_line(tmp_path: Path, command: str) -> None:
    """Options are described without MLX, NumPy, pandas, SciPy and YAML, and without the rooms that use them.

    pydantic may be there: newer versions of Typer check options with it.
    """
    modules = imported_by(tmp_path, command, "--help")
    assert within(modules, (*HEAVY, "ruamel")) == set()
    ours = within(modules, ("placement_cli",)) - {"placement_cli"}
    assert ours == within(ours, LIGHT_ROOMS)
    assert "placement_cli.cli.bench_steps" not in ours


def test_the_help_names_every_command_and_every_exit_code(placement) -> None:
    """A person finds the commands and the meaning of the exit codes where they look first."""
    done = placement("--help")
    assert (done.returncode, done.stderr) == (0, "")
    shown = " ".join(done.stdout.split())
    assert all(command in shown for command in COMMANDS)
    codes = ("0 ok", "1 regression", "2 usage", "3 inconclusive", "4 nothing comparable", "5 invalid measurement")
    codes += ("6 scenario failed", "7 unreadable input", "70 internal error", "124 time limit", "130 interrupted")
    assert all(code in shown for code in codes)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(placement, command: str) -> None:
    """Help goes to stdout and is no error."""
    done = placement(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"placement {command}" in done.stdout


def test_the_version_is_that_of_the_package(placement) -> None:
    """`--version` prints one line."""
    done = placement("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"placement {placement_cli.__version__}\n", "")
