"""What `placement check` refuses before it measures: with which exit code, and what it says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

TINY = ("check", "solo.yaml", "--quick")
"""A gate of one case with one arm."""


def test_what_could_be_a_branch_or_a_path_is_taken_as_it_is_written(gate: Any) -> None:
    """`dead` alone could be either, and what to write is told; `./dead` is the path."""
    gate.copy("dead", "worker_never_starts")
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q", "-b", "dead"], [*author, "commit", "-q", "--allow-empty", "-m", "empty"]):
        subprocess.run(["git", *words], cwd=gate.folder, check=True)
    try:
        either = gate("either", *TINY, "--against", "dead")
        path = gate("path", *TINY, "--against", "./dead")
    finally:
        shutil.rmtree(gate.folder / ".git")
    assert either.code == 2
    assert "Write ./dead for the path" in either.err
    assert (path.code, path.err[:19]) == (5, "placement: ./dead: ")


USAGE = {
    "no side": (["solo.yaml"], "Compare with what? --against REF"),
    "two sides": (["solo.yaml", "--against", "./healthy", "--baseline", "run.json"], "do not go together"),
    "no such side": (["solo.yaml", "--against", "./nowhere"], "'./nowhere': is no revision known here, no path"),
    "unknown scenario": (["chain-dept", "--against", "./healthy"], "Did you mean 'chain-depth'?"),
    "unknown option": ([*TINY[1:], "--agianst", "./healthy"], "--agianst"),
    "unknown arm": (["solo.yaml", "--against", "./healthy", "--arms", "asinc"], "Did you mean 'async'?"),
    "limit without a sign": (["solo.yaml", "--against", "./healthy", "--limit", "5%"], "write the change"),
    "unknown format": (["solo.yaml", "--against", "./healthy", "-o", "run.txt"], "-o run.txt: no format has"),
}


@pytest.mark.parametrize(("arguments", "told"), USAGE.values(), ids=USAGE.keys())
def test_a_wrong_command_line_exits_with_2_and_one_sentence(gate: Any, arguments: list[str], told: str) -> None:
    """The sentence says what to write; nothing is measured and no traceback is shown."""
    ended = gate("usage", "check", *arguments)
    assert ended.code == 2
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert not ended.results.exists()


def settings(gate: Any, name: str, text: str) -> Any:
    """Return the command in a folder whose project has these settings."""
    folder = gate.folder / name
    folder.mkdir()
    (folder / "placement.toml").write_text(text)
    shutil.copy(gate.folder / "solo.yaml", folder)
    return type(gate)(type(gate.placement)(folder))


SETTINGS = {
    "unknown key": ('[check]\nlimt = "+5%"\n', 2, "placement.toml:2:1: ", "Did you mean 'limit'?"),
    "number for a limit": ("[check]\n\nlimit = 5\n", 2, "placement.toml:3:", '"+5%"'),
    "newer": ("schema = 99\n", 7, "placement.toml:1:", "99"),
    "torn": ('[check]\nlimit = "+5%\n', 7, "placement.toml:2:", "TOML"),
    "every limit off": ('[check]\nlimit = "off"\nmemory-limit = "off"\n', 4, "", "every limit is off"),
}


@pytest.mark.parametrize(("text", "code", "where", "told"), SETTINGS.values(), ids=SETTINGS.keys())
def test_settings_that_cannot_hold_are_told_with_their_place(
    gate: Any, tmp_path: Path, text: str, code: int, where: str, told: str
) -> None:
    """A mistake is 2, a file that cannot be read or is newer is 7, limits that leave nothing to fail are 4."""
    ended = settings(gate, f"settings-{tmp_path.name}", text)("results", *TINY, "--against", "../healthy")
    assert ended.code == code
    assert ended.err.startswith(f"placement: {where}")
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert not ended.results.exists()


def test_another_number_of_cases_than_expected_exits_with_4(gate: Any) -> None:
    """A gate whose cases went away must not pass."""
    ended = gate("cases", *TINY, "--against", "./healthy", "--expect-cases", "2")
    assert ended.code == 4
    assert "--expect-cases: 2 cases are expected, but 1 are gated" in ended.err
    assert not ended.results.exists()
