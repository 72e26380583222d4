"""Scenario files from strangers: whatever is in them, the answer is one clear sentence and nothing is interpreted."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import pytest

CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that steer a terminal or turn its text around; a line feed ends the sentence."""

SOLO = """\
version: 1
name: solo
question: How long does one small step take?
reading: stream
source: {chunk: 8x8}
arms: [async]
nodes:
  rectify: {op: abs}
"""

HOSTILE: dict[str, tuple[bytes, str]] = {
    "ten-megabytes": (b"# " + b"x" * 10_000_000, "larger than 256 KiB"),
    "deep-lists": (b"[" * 5000, "deeper than"),
    "alias-bomb": (b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "anchors"),
    "object-tag": (b'!!python/object/apply:os.system ["touch owned"]', "tags"),
    "duplicate-key": (SOLO.encode() + b"name: other\n", "'name' is given twice"),
    "nul-bytes": (SOLO.encode() + b"\0\0", "does not allow"),
    "escape-bytes": (b"name: \x1b[31mred\n", "does not allow"),
    "latin-1": (SOLO.replace("small", "gro\xdf").encode("latin-1"), "not UTF-8"),
    "name-with-escape": (SOLO.replace("solo", r'"so\e[31mlo"').encode(), "is not a name"),
    "name-with-markup": (SOLO.replace("solo", '"[red]solo"').encode(), "is not a name"),
    "name-that-is-a-path": (SOLO.replace("solo", "../../owned").encode(), "is not a name"),
    "title-of-the-terminal": (SOLO.replace("How", r'"\e]0;owned\a').replace("?", '?"').encode(), "question"),
    "text-turned-around": (SOLO.replace("How", r'"\u202e').replace("?", '?"').encode(), "question"),
    "operator-with-escape": (SOLO.replace("op: abs", r'op: "ab\e[2Js"').encode(), "There is no operator"),
    "too-large-for-memory": (SOLO.replace("8x8", "9000000x60000").encode(), "chunk"),
}


@pytest.mark.parametrize(("content", "told"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_gets_one_sentence_and_2(placement, content: bytes, told: str) -> None:
    """The file is named, the reason said in one line without control codes, and nothing is run or written."""
    done = placement("bench", placement.write("hostile.yaml", content))
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.match(r"placement: hostile\.yaml(:\d+:\d+)?: ", done.stderr)
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 400
    assert not CONTROLS.search(done.stderr)
    assert not (placement.folder / "results").exists()
    assert not (placement.folder / "owned").exists()


def test_a_folder_is_no_scenario(placement) -> None:
    """The system's own reason is passed on."""
    (placement.folder / "folder.yaml").mkdir()
    done = placement("bench", "folder.yaml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "folder.yaml: cannot be read" in done.stderr


def test_a_scenario_can_come_through_a_pipe(placement) -> None:
    """A file need not lie on a disk, as in `placement bench <(make-scenario)`."""
    path = placement.folder / "pipe.yaml"
    os.mkfifo(path)
    threading.Thread(target=path.write_text, args=(SOLO,), daemon=True).start()
    done = placement("bench", "pipe.yaml", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")


def test_control_codes_in_a_file_name_do_not_reach_the_terminal(placement) -> None:
    """Names of files are data as much as what is in them."""
    placement.write("a\x1b[31mb\x07.yaml", "[")
    done = placement("bench", "a\x1b[31mb\x07.yaml")
    assert done.returncode == 2
    assert not CONTROLS.search(done.stderr)


def test_markup_in_a_question_is_shown_as_it_stands(placement) -> None:
    """No style, no link and no emoji: brackets and colons are letters, on the terminal and in every file."""
    question = "[bold red]hot[/] [link=http://example.org]x[/link] :boom: {y} %s <b>?"
    placement.write("markup.yaml", SOLO.replace("How long does one small step take?", f'"{question}"'))
    done = placement(
        "bench", "markup.yaml", "--time-budget", "1ms", "-o", "run.md", FORCE_COLOR="1", TERM="xterm-256color"
    )
    assert done.returncode == 0
    shown = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).split())
    assert question in shown
    assert "\x1b]8" not in done.stdout
    page = Path(placement.folder / "run.md").read_text()
    assert r"\[link=http://example.org\]x\[/link\]" in page
    assert r"\<b\>" in page
