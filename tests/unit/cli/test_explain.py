"""`placement explain`: by code, by name, or all."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from placement_cli.cli.app import app
from placement_cli.codes import CODES
from placement_cli.errors import UsageError


def output(*arguments: str) -> str:
    """Return what `placement explain ARGUMENTS` prints, which must succeed."""
    done = CliRunner().invoke(app, ["explain", *arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_a_finding_is_explained_however_it_is_called() -> None:
    """By code in capitals or not, or by name."""
    assert output("PL101") == output("pl101") == output("growth")
    assert output("PL101").startswith("PL101 growth: ")


def test_without_a_code_all_are_listed() -> None:
    """With their names."""
    assert [line.split()[0] for line in output().splitlines() if line.startswith("PL")] == list(CODES)


def test_json_is_for_programs() -> None:
    """One explanation, or all of them."""
    assert [each["code"] for each in json.loads(output("hops", "--json"))["findings"]] == ["PL402"]
    assert len(json.loads(output("--json"))["findings"]) == len(CODES)


def test_an_unknown_code_is_a_mistake_of_usage() -> None:
    """The nearest is named."""
    with pytest.raises(UsageError, match="Did you mean 'growth'"):
        CliRunner().invoke(app, ["explain", "grow"], catch_exceptions=False)


def test_its_help_loads_nothing_heavy() -> None:
    """Neither documents nor arrays, nor a room below the command line."""
    heavy = ["mlx", "numpy", "pandas", "scipy", "ruamel", "placement_cli.advice", "placement_cli.render"]
    code = (
        "import sys; from typer.testing import CliRunner; from placement_cli.cli.app import app; "
        "assert CliRunner().invoke(app, ['explain', '--help']).exit_code == 0; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
