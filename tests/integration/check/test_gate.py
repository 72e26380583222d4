"""`placement check`, the real command: every exit code, what it prints, and what it leaves behind."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from placement_cli.export.formats import SUFFIXES
from placement_cli.store import schema_files

TINY = ("check", "solo.yaml", "--quick")
"""A gate of one case with one arm."""
AT_ONCE = ("--time-budget", "1ms", "--fail-on", "inconclusive")
"""What makes a gate end undecided after its first block."""

TIMED = "    rig.finish()\n"
SLOWED = f"{TIMED}    end = now() + 2 * (now() - began)\n    while now() < end:\n        pass\n"
"""A line of the reading, and what makes it take three times as long: waiting within the clock."""

COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
"""A terminal sequence that chooses a colour."""


@pytest.fixture(scope="module")
def passed(gate: Any) -> Any:
    """A gate against an identical copy, to its end, in every format there is, as a step of GitHub Actions."""
    files = [part for suffix in SUFFIXES for part in ("-o", f"files/gate{suffix}")]
    # What counts here is that equal code passes, not how little can be told on a busy machine.
    limits = ("--limit", "+50%", "--memory-limit", "+50%")
    given = (*TINY, "--against", "./healthy", "--json", *limits, *files)
    return gate("passed", *given, GITHUB_STEP_SUMMARY=str(gate.folder / "summary.md"))


@pytest.fixture(scope="module")
def regressed(gate: Any) -> Any:
    """A gate of an installation whose timed work takes three times as long, against the healthy copy, for people."""
    gate.copy("slow")
    reading = gate.folder / "slow" / "placement_cli" / "measure" / "readings" / "stream.py"
    text = reading.read_text()
    assert text.count(TIMED) == 1
    reading.write_text(text.replace(TIMED, SLOWED))
    variables = gate.this_is("slow") | {"GITHUB_ACTIONS": "true", "COLUMNS": "120"}
    return gate("regressed", *TINY, "--against", "./healthy", **variables)


@pytest.fixture(scope="module")
def undecided(gate: Any) -> Any:
    """A gate that its time budget ends after one block, on a terminal whose owner wants no colours."""
    reader, writer = pty.openpty()
    given = (*TINY, "--against", "./healthy", *AT_ONCE)
    process = gate.start("undecided", *given, stdout=writer, TERM="xterm-256color", COLUMNS="100", NO_COLOR="1")
    os.close(writer)
    shown = bytearray()
    try:
        while part := os.read(reader, 4096):
            shown += part
    except OSError:
        # The way in which Linux tells that the other side of a terminal is closed.
        pass
    os.close(reader)
    _, err = process.communicate()
    return gate.seen("undecided", process.returncode, shown.decode(), err)


@pytest.fixture(scope="module")
def out_of_time(gate: Any) -> Any:
    """A gate of two cases, ended long before its last block by its time limit; nobody reads its stdout."""
    reader, writer = os.pipe()
    os.close(reader)
    given = ("check", "solo.yaml", "--against", "./healthy", "--timeout", "1s", "--fail-on", "inconclusive", "--json")
    process = gate.start("out-of-time", *given, "-o", "late.json", stdout=writer)
    os.close(writer)
    return gate.ended("out-of-time", process)


@pytest.fixture(scope="module")
def crashed(gate: Any) -> Any:
    """A gate against a copy whose operator raises."""
    gate.copy("raising", "raising_operator")
    return gate("crashed", *TINY, "--against", "./raising", "--fail-on", "inconclusive", "-q", GITHUB_ACTIONS="true")


def test_equal_code_exits_with_0(passed: Any) -> None:
    """Two copies of the same code differ in nothing, and no comparison that could fail the gate is slower."""
    document = passed.document
    assert (passed.code, passed.exit) == (0, (0, "ok")), passed.err
    assert document["gate"]["verdict"] == "passed"
    assert document["gate"]["differs"] == []
    assert (document["gate"]["cases"], document["gate"]["compared"]) == (1, 2)
    assert document["run"]["complete"]
    (case,) = document["cases"]
    assert {each["arm"] for block in case["blocks"] for each in block["samples"]} == {"base", "new", "control"}


def test_json_on_stdout_is_the_document_that_is_kept(passed: Any) -> None:
    """stdout is one JSON document that the published schema allows; stderr says where it is kept."""
    document = json.loads(passed.out, parse_constant=pytest.fail)
    assert document == passed.document
    schema = json.loads((schema_files.FOLDER / "run-1.schema.json").read_bytes())
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    assert passed.err.splitlines()[-1] == f"kept in passed/{document['run']['id']}.json"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_gate_is_written_in_every_format(gate: Any, passed: Any, suffix: str) -> None:
    """Each file asked for is there and whole."""
    content = (gate.folder / "files" / f"gate{suffix}").read_bytes()
    assert content
    if suffix.endswith(".json"):
        assert json.loads(content)
    if suffix == ".json":
        assert json.loads(content) == passed.document


def test_github_gets_a_summary_of_the_step(gate: Any, passed: Any) -> None:
    """The file that GITHUB_STEP_SUMMARY names holds the verdict and both sides."""
    summary = (gate.folder / "summary.md").read_text()
    assert "solo" in summary
    assert "healthy" in summary
    assert "passed" in summary.lower()


def test_a_confirmed_regression_exits_with_1(regressed: Any) -> None:
    """Fresh blocks repeat what was found, the document says which case failed and by how much, and both sides."""
    document = regressed.document
    assert (regressed.code, regressed.exit) == (1, (1, "regression")), regressed.err
    gate, (case,) = document["gate"], document["cases"]
    assert (gate["verdict"], gate["failed"]) == ("regression", [case["id"]])
    assert (gate["base"]["given"], gate["new"]["given"]) == ("./healthy", "this installation")
    assert any(fact.startswith("placement.digest") for fact in gate["differs"])
    (slower,) = [each for each in case["comparisons"] if each["metric"] == "complete_s"]
    assert slower["verdict"] == "slower"
    assert slower["confirmation"]["repeated"]
    assert 2 < slower["ratio"] < 5
    again = [block for block in case["blocks"] if block["confirms"]]
    assert len(again) >= 12
    pids = [{pid for block in blocks for pid in block["pids"].values()} for blocks in (again, case["blocks"])]
    assert len(pids[0]) == 3 * len(again)
    assert pids[0] < pids[1]


def test_a_regression_is_told_verdict_first(regressed: Any) -> None:
    """People see the verdict, the two sides, the row that failed and a sentence; GitHub gets an annotation."""
    first, *rest = regressed.out.splitlines()
    assert first.startswith("REGRESSION  1 of 2 comparisons with ./healthy is slower beyond the limit.")
    shown = " ".join(" ".join(rest).split())
    assert "base ./healthy" in shown
    assert "new this installation" in shown
    assert re.search(r"time per message [^[]* \+\d+\.\d % \[.*\] \+3\.0 % slower \d+ \+ \d+ ", shown)
    assert "confirmed by" in shown
    assert max(map(len, regressed.out.splitlines())) <= 120
    assert any(line.startswith("::error ") for line in regressed.err.splitlines())


def test_what_is_open_exits_with_3_where_that_was_asked_for(undecided: Any) -> None:
    """Running out of the time one gave decides nothing, and claims nothing."""
    document = undecided.document
    assert (undecided.code, undecided.exit) == (3, (3, "inconclusive")), undecided.err
    assert document["gate"]["verdict"] == "inconclusive"
    assert not document["run"]["complete"]
    assert {each["verdict"] for each in document["cases"][0]["comparisons"]} == {"inconclusive"}
    assert "stopped early" in undecided.err


def test_no_colour_is_shown_where_it_is_not_wanted(undecided: Any) -> None:
    """NO_COLOR takes the colours away; the word of the verdict stays."""
    assert "INCONCLUSIVE" in undecided.out
    assert not COLOUR.search(undecided.out)


def test_the_time_limit_exits_with_124(out_of_time: Any) -> None:
    """What was measured until then is kept, and 124 wins over 3, which was asked for too."""
    document = out_of_time.document
    assert (out_of_time.code, out_of_time.exit) == (124, (124, "time-limit")), out_of_time.err
    assert document["gate"]["verdict"] == "inconclusive"
    assert 1 <= sum(len(case["blocks"]) for case in document["cases"]) < 12
    assert "the limit of 1 s is reached" in document["gate"]["reason"]


def test_a_gate_nobody_reads_keeps_its_outcome_and_its_exit_code(gate: Any, out_of_time: Any) -> None:
    """A closed pipe behind stdout is no error, and hides none: a gate that failed never ends with 0."""
    assert out_of_time.code != 0
    assert "Traceback" not in out_of_time.err
    assert json.loads((gate.folder / "late.json").read_bytes()) == out_of_time.document


def test_a_case_that_crashes_exits_with_6(crashed: Any) -> None:
    """The reason names the side; nothing is said about numbers; 6 wins over 3, which was asked for too."""
    document = crashed.document
    assert (crashed.code, crashed.exit) == (6, (6, "scenario-failed")), crashed.err
    assert document["gate"]["verdict"] == "scenario-failed"
    (case,) = document["cases"]
    assert {block["kind"] for block in case["blocks"]} == {"crash"}
    # The base runs in two processes, and either may be the first to fail.
    assert re.search(r"\bbase( \(control\))?: RuntimeError: this build has no abs", document["gate"]["reason"])
    assert all("this build has no abs" in block["reason"] for block in case["blocks"])
    assert {each["verdict"] for each in case["comparisons"]} == {"invalid"}


def test_quiet_prints_the_verdict_and_the_sides_alone(crashed: Any) -> None:
    """On stdout stand verdict and sides, on stderr what went wrong, and no progress."""
    said = crashed.out.replace(" (one core)", "")
    assert said.startswith("SCENARIO-FAILED  solo[chunk=8x8] async cannot be trusted: base")
    assert "./raising" in crashed.out
    assert "95 %" not in crashed.out
    assert "kept in" not in crashed.err
    assert "gate: " not in crashed.err
    assert any(line.startswith("::error ") for line in crashed.err.splitlines())


def test_wrong_values_in_one_side_exit_with_6(gate: Any) -> None:
    """A fast wrong build is no winner: the case is not timed, and the reason names the side."""
    gate.copy("wrong", "wrong_values")
    ended = gate("wrong-values", *TINY, "--against", "./healthy", **gate.this_is("wrong"))
    assert (ended.code, ended.exit) == (6, (6, "scenario-failed")), ended.err
    (case,) = ended.document["cases"]
    (block,) = case["blocks"]
    assert block["kind"] == "disagreement"
    assert block["samples"] == []
    assert block["reason"].startswith("new computes other values than the NumPy reference")


@pytest.mark.parametrize("side", ["./dull", "this installation"])
def test_a_fence_that_does_not_wait_exits_with_5(gate: Any, side: str) -> None:
    """Whichever side it is of: it is named, and nothing is measured."""
    gate.copy("dull", "open_fence")
    against, variables = ("./dull", {}) if side == "./dull" else ("./healthy", gate.this_is("dull"))
    ended = gate("no-fence", *TINY, "--against", against, "--json", **variables)
    assert ended.code == 5
    assert ended.err.startswith(f"placement: {side}: ")
    assert "fence" in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert not ended.results.exists()


def test_sides_on_different_backends_exit_with_5(gate: Any) -> None:
    """They are no two builds of one thing; both are named with what they run on."""
    gate.copy("elsewhere", "other_backend")
    ended = gate("backends", *TINY, "--against", "./elsewhere")
    assert ended.code == 5
    assert "(./elsewhere on another, this installation on " in ended.err
    assert not ended.results.exists()


def test_a_side_that_cannot_run_workers_exits_with_5(gate: Any) -> None:
    """What its worker said last is passed on, with the name of the side."""
    gate.copy("dead", "worker_never_starts")
    ended = gate("dead-results", *TINY, "--against", "./dead")
    assert ended.code == 5
    assert ended.err.startswith("placement: ./dead: ")
    assert "the library is broken" in ended.err


def test_a_fault_of_the_program_exits_with_70(gate: Any, fault: Callable[[str], dict[str, str]]) -> None:
    """Never with 1, which means a regression, nor with 0."""
    ended = gate("broken", *TINY, "--against", "./healthy", "--dry-run", **fault("broken_console"))
    assert ended.code == 70
    assert "ZeroDivisionError: the console has no columns" in ended.err
    assert ended.err.rstrip().splitlines()[-1].startswith("This is a fault of placement, not yours.")


def measuring(gate: Any, results: str, workers_of: Any, wait_until: Any) -> tuple[Any, Any]:
    """Start a gate and come back when it measures: the process, and its workers."""
    process = gate.start(results, *TINY, "--against", "./healthy", "--fail-on", "inconclusive", "--json")
    assert any(line.startswith("gate: ") for line in iter(process.stderr.readline, ""))
    wait_until(lambda: len(workers_of(process)) == 3)
    return process, workers_of(process)


def test_ctrl_c_exits_with_130_and_keeps_what_was_measured(gate: Any, workers_of, wait_until, gone) -> None:
    """The block in hand is finished, the document is whole, and no process or file is left."""
    process, workers = measuring(gate, "interrupted", workers_of, wait_until)
    process.send_signal(signal.SIGINT)
    ended = gate.ended("interrupted", process)
    document = ended.document
    assert (ended.code, ended.exit) == (130, (130, "interrupted")), ended.err
    assert json.loads(ended.out) == document
    assert document["gate"]["verdict"] == "inconclusive"
    assert sum(len(case["blocks"]) for case in document["cases"]) >= 1
    assert "Stopping after this block" in ended.err
    gone(workers)
    assert list((gate.folder / "scratch").iterdir()) == []


def test_the_second_ctrl_c_ends_at_once(gate: Any, workers_of, wait_until, gone) -> None:
    """Nothing is kept of a gate that is ended so, and it says that; no process or file is left."""
    process, workers = measuring(gate, "cut", workers_of, wait_until)
    for worker in workers:
        # A stopped worker cannot finish its block, so that the second signal surely comes before the end.
        worker.suspend()
    process.send_signal(signal.SIGINT)
    assert any("Ctrl-C again ends at once" in line for line in iter(process.stderr.readline, ""))
    process.send_signal(signal.SIGINT)
    for worker in workers:
        worker.resume()
    ended = gate.ended("cut", process)
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == "placement: ended at once; nothing is kept of a gate that is ended so.\n"
    assert not ended.results.exists()
    gone(workers)
    assert list((gate.folder / "scratch").iterdir()) == []
