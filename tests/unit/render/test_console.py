"""The two consoles."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest
from rich.text import Text

from placement_cli.render.console import PIPE_WIDTH, stderr_console, stdout_console


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def content(stream: object) -> str:
    """What was written to a stream in memory."""
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[io.StringIO]], None]:
    """Puts streams of this kind in place of stdout and stderr, in an environment that asks for nothing."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def use(kind: type[io.StringIO]) -> None:
        monkeypatch.setattr(sys, "stdout", kind())
        monkeypatch.setattr(sys, "stderr", kind())

    return use


def test_results_and_progress_have_streams_of_their_own(streams: Callable[..., None]) -> None:
    """What is printed on one console does not reach the other stream."""
    streams(io.StringIO)
    stdout_console().print("result")
    stderr_console().print("progress")
    assert (content(sys.stdout), content(sys.stderr)) == ("result\n", "progress\n")


def test_a_pipe_is_wide_and_plain(streams: Callable[..., None]) -> None:
    """A file or a pipe gets tables of a fixed width without colours."""
    streams(io.StringIO)
    console = stdout_console()
    console.print(Text("x", style="red"))
    assert (console.width, console.is_terminal) == (PIPE_WIDTH, False)
    assert content(sys.stdout) == "x\n"


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_columns_are_respected(
    kind: type[io.StringIO], streams: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """COLUMNS decides, for a pipe as for a terminal."""
    streams(kind)
    monkeypatch.setenv("COLUMNS", "72")
    assert (stdout_console().width, stderr_console().width) == (72, 72)


@pytest.mark.parametrize("columns", ["", "0", "7", "-5", "wide", "\u0664\u0660"])
def test_columns_that_make_no_sense_are_ignored(
    columns: str, streams: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A width in which nothing can be printed is not taken."""
    streams(io.StringIO)
    monkeypatch.setenv("COLUMNS", columns)
    assert stdout_console().width in (PIPE_WIDTH, 40)


def test_a_terminal_has_colours_unless_they_are_refused(
    streams: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NO_COLOR takes the colours away, FORCE_COLOR gives them to a pipe."""
    streams(Terminal)
    assert stdout_console().color_system is not None
    assert not stdout_console().no_color
    monkeypatch.setenv("NO_COLOR", "1")
    assert stdout_console().no_color
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    streams(io.StringIO)
    assert stdout_console().is_terminal


def test_nothing_printed_is_interpreted(streams: Callable[..., None]) -> None:
    """Markup, emoji codes and numbers are printed as they are."""
    streams(io.StringIO)
    stdout_console().print("[bold]:tada: 12[/bold]")
    assert content(sys.stdout) == "[bold]:tada: 12[/bold]\n"
