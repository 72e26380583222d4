"""What goes where: stdout holds the result alone, stderr what is told meanwhile, and neither more than asked for."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from placement_cli.store import schema_files

ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
"""A terminal sequence that chooses a colour."""


def test_json_is_all_there_is_on_stdout(whole_run) -> None:
    """stdout parses as one document, the one that is kept."""
    assert json.loads(whole_run.out, parse_constant=pytest.fail) == whole_run.document


def test_the_document_validates_against_the_schema_that_ships(whole_run, glimpse) -> None:
    """Complete and cut short, a run is what the published schema promises."""
    schema = json.loads((schema_files.FOLDER / "run-1.schema.json").read_bytes())
    for run in (whole_run, glimpse):
        jsonschema.validate(run.document, schema, cls=jsonschema.Draft202012Validator)


def test_progress_and_notes_go_to_stderr(whole_run) -> None:
    """Without a terminal each scenario is one line; at the end stands where the run is kept."""
    (kept,) = whole_run.placement.documents()
    lines = whole_run.err.splitlines()
    assert re.fullmatch("pair: 1 cases?, 6 blocks", lines[0])
    assert lines[-1] == f"kept in results/{kept.name}"


def test_people_get_tables_and_sentences_on_stdout(glimpse) -> None:
    """The machine is named first; tables and what they say follow, and no progress is among them."""
    machine = glimpse.out.partition("pair ")[0]
    assert "MLX" in machine
    assert "What this says" in glimpse.out
    assert "async (base)" in glimpse.out
    assert "kept in" not in glimpse.out
    assert "stopped early" not in glimpse.out


def test_a_narrow_terminal_is_respected(glimpse) -> None:
    """No line is wider than COLUMNS says."""
    assert max(map(len, glimpse.out.splitlines())) <= 60


@pytest.mark.parametrize("arguments", [["bench", "--list"], ["operators"]], ids=["scenarios", "operators"])
@pytest.mark.parametrize("columns", [40, 100])
def test_lists_are_as_wide_as_the_terminal_at_most(placement, arguments: list[str], columns: int) -> None:
    """Long cells are folded, never cut off by the edge."""
    done = placement(*arguments, COLUMNS=str(columns))
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= columns


def test_nothing_piped_holds_terminal_codes(whole_run, glimpse) -> None:
    """Files and logs stay plain text."""
    for run in (whole_run, glimpse):
        assert ESCAPE not in run.out + run.err


def test_quiet_prints_the_sentences_alone(placement) -> None:
    """One line a sentence on stdout; of stderr only what a reader must know is left."""
    done = placement("bench", "solo.yaml", "-q", "--time-budget", "1ms")
    assert done.returncode == 0
    assert "What this says" not in done.stdout
    assert not re.search("cases?, |kept in", done.stderr)
    document = json.loads(placement.documents()[0].read_bytes())
    assert done.stdout.splitlines() == [each["text"] for each in document["says"]]


def on_a_terminal(placement, *arguments: str, **variables: str) -> str:
    """Run a command whose stdout is a terminal and return all that it printed there."""
    reader, writer = pty.openpty()
    process = placement.start(*arguments, stdout=writer, TERM="xterm-256color", COLUMNS="100", **variables)
    os.close(writer)
    printed = bytearray()
    try:
        while part := os.read(reader, 4096):
            printed += part
    except OSError:
        # The way in which Linux tells that the other side of a terminal is closed.
        pass
    process.communicate()
    os.close(reader)
    return printed.decode()


def test_no_colour_is_shown_where_it_is_not_wanted(placement) -> None:
    """NO_COLOR takes the colours away; the words that carry every verdict and the bold headings stay."""
    shown = on_a_terminal(placement, "bench", "pair.yaml", "--time-budget", "1ms", NO_COLOR="1")
    assert re.search("inconclusive|invalid", shown)
    assert ESCAPE in shown
    assert not COLOUR.search(shown)


def test_a_terminal_that_cannot_show_a_character_still_gets_the_result(placement) -> None:
    """An ASCII stdout shows `?` where it has no character; the run does not fail for it."""
    done = placement("bench", "solo.yaml", "--time-budget", "1ms", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "time per message" in " ".join(done.stdout.split())


def test_the_plan_is_shown_without_measuring(placement) -> None:
    """`--dry-run` prints cases, processes and times, and leaves nothing behind."""
    done = placement("bench", "solo.yaml", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert "solo" in done.stdout
    assert not (placement.folder / "results").exists()


def test_all_scenarios_are_listed_with_their_questions(placement) -> None:
    """`--list` without names shows what ships, in reading order."""
    done = placement("bench", "--list", COLUMNS="200")
    shipped = ["chunk-size", "chain-depth", "fan-out", "host-overlap", "replay-memory", "in-flight", "queue-depth"]
    shipped += ["call-cost", "withheld", "live"]
    assert [name for name in re.findall(r"^ *([a-z-]+) ", done.stdout, re.MULTILINE) if name in shipped] == shipped


def test_the_operators_are_listed_as_json(placement) -> None:
    """Programs read the same list that people do."""
    done = placement("operators", "--json")
    listed = json.loads(done.stdout)
    assert listed["schema"] == "placement.operators"
    assert {"sosfilt", "ewm_scaler", "abs", "host"} <= {each["name"] for each in listed["operators"]}


@pytest.mark.parametrize("arguments", [["bench", "--list"], ["operators", "--json"], ["--version"]])
def test_a_full_disk_behind_stdout_is_told_in_one_sentence(placement, arguments: list[str]) -> None:
    """`placement operators > file` on a full disk is nobody's fault here (the system must have a device for it)."""
    full = Path("/dev/full")
    with full.open("wb") if full.exists() else Path(os.devnull).open("wb") as sink:
        process = placement.start(*arguments, stdout=sink.fileno())
    _, err = process.communicate()
    assert process.returncode == (2 if full.exists() else 0)
    assert "Traceback" not in err


def test_a_closed_stdout_swallows_everything(placement) -> None:
    """`placement bench --list >&-` has nowhere to print to, and does not fail for it."""
    done = placement.shell("placement bench --list >&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_nobody_reading_stderr_changes_no_exit_code(tmp_path: Path) -> None:
    """As in `placement check ... 2>&1 | head`: a gate that failed must not look green."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "placement_cli", "check"]
    done = subprocess.run(command, cwd=tmp_path, stderr=writer, stdout=subprocess.PIPE)
    os.close(writer)
    assert done.returncode == 2
