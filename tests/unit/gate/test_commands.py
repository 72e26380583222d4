"""Other programs: run to their end, and what is told of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from placement_cli.gate.commands import TOLD_LINES, run_command


def test_what_a_command_says_is_returned(tmp_path: Path) -> None:
    """Its words without blanks around them; it runs in the folder and with the variables given."""
    code = "import os; print(os.getcwd(), os.environ['COLOUR'], sep='\\n')"
    done = run_command([sys.executable, "-S", "-c", code], tmp_path, {"COLOUR": "red"})
    assert (done.ok, done.code, done.said) == (True, 0, f"{tmp_path.resolve()}\nred")


def test_the_end_of_the_complaints_is_told() -> None:
    """On one line, without the warnings that stand around what matters."""
    lines = [f"line {number}" for number in range(20)]
    code = f"import sys; sys.stderr.write({chr(10).join([*lines, 'WARNING: old pip'])!r}); sys.exit(3)"
    done = run_command([sys.executable, "-S", "-c", code])
    assert (done.ok, done.code) == (False, 3)
    assert done.problem == " / ".join(lines[-TOLD_LINES:])


def test_warnings_are_told_where_there_is_nothing_else() -> None:
    """Better than no word at all; and stdout where stderr is empty."""
    alone = run_command([sys.executable, "-S", "-c", "import sys; sys.stderr.write('WARNING: no'); sys.exit(1)"])
    on_stdout = run_command([sys.executable, "-S", "-c", "print('no such thing'); raise SystemExit(1)"])
    assert [alone.problem, on_stdout.problem] == ["WARNING: no", "no such thing"]


def test_a_command_gets_no_terminal_to_ask_on() -> None:
    """A question of git or pip ends at once instead of waiting for ever."""
    done = run_command([sys.executable, "-S", "-c", "print(repr(input()))"])
    assert "EOFError" in done.problem


def test_a_command_that_takes_too_long_is_ended() -> None:
    """It is told how long it had."""
    done = run_command([sys.executable, "-S", "-c", "import time; time.sleep(1000)"], limit_s=0.2)
    assert (done.code, done.said) == (124, "")
    assert done.problem.endswith("did not end within 0.2 s")


@pytest.mark.parametrize("words", [["no-such-program-anywhere"], ["git", "a\0b"], [sys.executable, "x" * 3_000_000]])
def test_a_command_that_cannot_be_started_is_told(words: list[str]) -> None:
    """A program that is missing, a NUL, and a word longer than the system takes raise nothing."""
    done = run_command(words)
    assert (done.ok, done.code) == (False, 127)
    assert done.problem.startswith(f"{words[0]}: ")


def test_what_is_no_text_is_read_all_the_same() -> None:
    """Bytes that are no UTF-8 are replaced."""
    done = run_command([sys.executable, "-S", "-c", r"import sys; sys.stdout.buffer.write(b'caf\xe9')"])
    assert done.said == "caf\N{REPLACEMENT CHARACTER}"


def test_git_is_told_of_no_other_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook sets variables that would make every git command work on its own repository."""
    monkeypatch.setenv("GIT_DIR", "/somewhere/.git")
    asked = [sys.executable, "-c", "import os; print(sorted(name for name in os.environ if name.startswith('GIT_')))"]
    assert run_command(asked).said == "[]"
    assert run_command(asked, None, {"GIT_INDEX_FILE": "x"}).said == "[]"


def test_what_a_command_started_ends_with_it() -> None:
    """Also when it is not the command itself that hangs."""
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"
    done = run_command([sys.executable, "-c", child], limit_s=0.3)
    assert (done.code, done.ok) == (124, False)
