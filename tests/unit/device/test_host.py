import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.device.host import COMMAND_TIMEOUT_S, Host, list_files, read_text, run_command, this_host
from placement_cli.device.readings import whole_number


def python(code: str) -> list[str]:
    """The command that runs some Python."""
    return [sys.executable, "-c", code]


def test_a_command_gives_what_it_prints() -> None:
    """Standard output comes back, standard error does not."""
    assert run_command(python("import sys; print('out'); print('err', file=sys.stderr)")) == "out\n"


def test_a_command_gets_no_input_and_a_plain_locale() -> None:
    """Nothing can wait for a key, and words come in English."""
    assert run_command(python("import os, sys; print(os.environ['LC_ALL'], sys.stdin.read())")) == "C \n"


def test_a_missing_command_gives_nothing(tmp_path: Path) -> None:
    """A command of another system is no error."""
    assert run_command([str(tmp_path / "notifyutil")]) is None


def test_a_file_that_is_no_program_gives_nothing(tmp_path: Path) -> None:
    """A file without the right to run is no error."""
    (tmp_path / "text").write_text("hello")
    assert run_command([str(tmp_path / "text")]) is None


def test_a_failing_command_gives_nothing() -> None:
    """What a command printed before it failed is not trusted."""
    assert run_command(python("print('half'); raise SystemExit(1)")) is None


def test_a_command_that_takes_too_long_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """After two seconds a command is given up."""

    def run(argv: list[str], **options: Any) -> None:
        assert options["timeout"] == COMMAND_TIMEOUT_S == 2.0
        raise subprocess.TimeoutExpired(argv, options["timeout"])

    monkeypatch.setattr(subprocess, "run", run)
    assert run_command(["slow"]) is None


def test_bytes_that_are_no_text_do_not_raise() -> None:
    """Junk is handed on as replacement characters, for the parsers to refuse."""
    printed = run_command(python("import sys; sys.stdout.buffer.write(bytes(range(256)))"))
    assert printed is not None
    assert "�" in printed


def test_files_give_their_text_or_nothing(tmp_path: Path) -> None:
    """A file that is missing, or is a folder, gives None."""
    (tmp_path / "type").write_bytes(b"Mains\xff\n")
    assert read_text(str(tmp_path / "type")) == "Mains�\n"
    assert read_text(str(tmp_path / "absent")) is None
    assert read_text(str(tmp_path)) is None


def test_patterns_give_sorted_paths(tmp_path: Path) -> None:
    """Matches come in the same order every time."""
    for name in ("zone1", "zone0", "device0"):
        (tmp_path / name).mkdir()
    assert list_files(f"{tmp_path}/zone*") == [f"{tmp_path}/zone0", f"{tmp_path}/zone1"]
    assert list_files(f"{tmp_path}/none*") == []


class Refusing:
    """Counters of a system that refuses every question."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def cpu_count(self, logical: bool = True) -> int | None:
        """Refuse."""
        raise self.error

    def virtual_memory(self) -> Any:
        """Refuse."""
        raise self.error

    def getloadavg(self) -> tuple[float, float, float]:
        """Refuse."""
        raise self.error


@pytest.mark.parametrize("error", [OSError("no"), psutil.AccessDenied(1)])
def test_counters_that_are_refused_give_nothing(error: Exception) -> None:
    """A sandbox that hides the counters is no error."""
    host = Host("Linux", counters=Refusing(error))
    assert host.load1() is None
    assert host.ram_bytes() is None
    assert host.free_memory_bytes() is None
    assert host.cpu_count(logical=True) is None


def test_this_host_answers() -> None:
    """psutil fulfils the protocol of the counters."""
    host = this_host()
    total, free = host.ram_bytes(), host.free_memory_bytes()
    assert total is not None
    assert free is not None
    assert 0 < free <= total
    assert (host.cpu_count(logical=True) or 0) >= 1


@pytest.mark.parametrize(("text", "number"), [("12", 12), (" 7\n", 7), ("-274000", -274000), ("0", 0)])
def test_whole_numbers_are_read(text: str, number: int) -> None:
    """Digits with or without white space and sign are a number."""
    assert whole_number(text) == number


@pytest.mark.parametrize("text", [None, "", "1.5", "1_0", "+1", "0x10", "١٢", "12 kB", "9" * 19])
def test_anything_else_is_no_number(text: str | None) -> None:
    """Python would read some of these; a reader of system files must not."""
    assert whole_number(text) is None


@given(st.text())
@settings(deadline=None)
def test_no_text_makes_the_number_reader_raise(text: str) -> None:
    """Any text is a number of moderate size or None."""
    number = whole_number(text)
    assert number is None or abs(number) < 10**18
