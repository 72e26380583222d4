"""Source that a trace names: read where it can be, shown as it is, and never opened where it is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rich.cells import cell_len

from placement_cli.render import source_lines
from placement_cli.render.source_lines import Sources, cut


def test_names_are_shown_from_the_folder(tmp_path: Path) -> None:
    """What lies elsewhere keeps its whole path, and what is no path its name."""
    sources = Sources(tmp_path)
    assert sources.place(str(tmp_path / "a" / "train.py"), 3) == f"a{os.sep}train.py:3"
    assert sources.place("/opt/lib.py", None) == "/opt/lib.py"
    assert sources.place("<stdin>", 1) == "<stdin>:1"


def test_a_line_is_shown_without_its_indentation(tmp_path: Path) -> None:
    """And without what could steer a terminal."""
    (tmp_path / "train.py").write_text("if x:\n    print('\x1b[31m', x)  \n", encoding="utf-8")
    assert Sources(tmp_path).line("train.py", 2) == "print('\N{REPLACEMENT CHARACTER}[31m', x)"


def test_what_cannot_be_read_has_no_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file, a pipe, no text, no such line, a name that is no path, a file too large to be source."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\n\x80")
    (tmp_path / "train.py").write_text("x = 1\n", encoding="utf-8")
    sources = Sources(tmp_path)
    for name in ("nothing.py", "pipe", "binary", "<string>", "a\0b", "x" * 5000, "."):
        assert sources.line(name, 1) == ""
    assert sources.line("train.py", 99) == sources.line("train.py", -1) == ""
    monkeypatch.setattr(source_lines, "LARGEST_BYTES", 3)
    assert sources.line("train.py", 1) == ""


@pytest.mark.parametrize("text", ["short", "x" * 50, "\N{CJK UNIFIED IDEOGRAPH-4E00}" * 30])
def test_long_lines_are_cut(text: str) -> None:
    """To the width that there is, with a sign that they go on."""
    shown = cut(text, 20)
    assert cell_len(shown) <= 20
    assert shown == text or shown.endswith("...")
