"""`placement check`, the real command: every exit code, what it prints, and what it leaves behind.

The sides are copies of the package: one as it is, others with a fault each. A fault lies beside the package as
`sitecustomize.py`, which Python imports when it starts, so it is in the processes of that copy alone.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import placement_cli
from placement_cli.export.formats import SUFFIXES
from placement_cli.store import schema_files

PACKAGE = Path(placement_cli.__file__).parent
FAULTS = Path(__file__).parent / "faults"
GRAPH = Path(__file__).parents[2] / "examples" / "graphs" / "recording-replay.yaml"
PUBLISHED = ("--profile", "apple-m4-pro-published")

TINY = ("check", "solo.yaml", "--quick")
"""A gate of one case with one arm."""
AT_ONCE = ("--time-budget", "1ms", "--fail-on", "inconclusive")
"""What makes a gate end undecided after its first block."""

TIMED = "    rig.finish()\n"
SLOWED = f"{TIMED}    end = now() + 2 * (now() - began)\n    while now() < end:\n        pass\n"
"""A line of the reading, and what makes it take three times as long: waiting within the clock."""

COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
"""A terminal sequence that chooses a colour."""


@dataclass(frozen=True)
class Ended:
    """A gate that is over: its exit code, what it printed, and the folder of its results."""

    code: int
    out: str
    err: str
    results: Path

    @property
    def document(self) -> dict[str, Any]:
        """The one document that was kept."""
        (path,) = self.results.glob("*.json")
        return json.loads(path.read_bytes(), parse_constant=pytest.fail)

    @property
    def exit(self) -> tuple[int, str]:
        """The exit code and its name, as the document has them."""
        said = self.document["exit"]
        return said["code"], said["name"]


@dataclass(frozen=True)
class Gate:
    """The command in a folder with copies of the package."""

    placement: Any

    @property
    def folder(self) -> Path:
        """Where it runs."""
        return self.placement.folder

    def copy(self, name: str, fault: str = "") -> str:
        """Make a copy of the package, with a fault in its processes; return its path as `--against` takes it."""
        folder = self.folder / name
        if not folder.exists():
            # With what is compiled already: Python finds it valid by time and size, and starts sooner.
            shutil.copytree(PACKAGE, folder / PACKAGE.name)
            broken = (FAULTS / f"{fault}.py").read_bytes() if fault else b""
            # Also where nothing is broken: so that it is found before that of the other side.
            (folder / "sitecustomize.py").write_bytes(broken)
        return f"./{name}"

    def this_is(self, copy: str) -> dict[str, str]:
        """Return the variables under which the command itself runs from `copy`: it is the new side."""
        paths = [str(self.folder / copy), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {"PYTHONPATH": os.pathsep.join(paths)}

    def __call__(self, results: str, *arguments: str, **variables: str) -> Ended:
        """Run `placement ARGUMENTS`, with its results in a folder of their own."""
        done = self.placement(*arguments, "--out", results, **(self.alone() | variables))
        return Ended(done.returncode, done.stdout, done.stderr, self.folder / results)

    def start(self, results: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start `placement ARGUMENTS`, with its results in a folder of their own."""
        process: subprocess.Popen[str] = self.placement.start(*arguments, "--out", results, **(self.alone() | options))
        return process

    def ended(self, results: str, process: subprocess.Popen[str]) -> Ended:
        """Wait for what `start` started."""
        out, err = process.communicate()
        return Ended(process.returncode, out or "", err, self.folder / results)

    def alone(self) -> dict[str, str]:
        """Return variables that keep settings and prepared sides of this machine out."""
        return {
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "PLACEMENT_CACHE": str(self.folder / "cache"),
            "GITHUB_ACTIONS": "",
            "GITHUB_STEP_SUMMARY": "",
        }


@pytest.fixture(scope="module")
def gate(placement_module: Any) -> Gate:
    """The command in a folder with a healthy copy of the package."""
    found = Gate(placement_module)
    found.copy("healthy")
    return found


@pytest.fixture(scope="module")
def passed(gate: Gate) -> Ended:
    """A gate against an identical copy, to its end, in every format there is, as a step of GitHub Actions."""
    files = [part for suffix in SUFFIXES for part in ("-o", f"files/gate{suffix}")]
    # What counts here is that equal code passes, not how little can be told on a busy machine.
    limits = ("--limit", "+50%", "--memory-limit", "+50%")
    given = (*TINY, "--against", "./healthy", "--json", *limits, *files)
    return gate("passed", *given, GITHUB_STEP_SUMMARY=str(gate.folder / "summary.md"))


@pytest.fixture(scope="module")
def regressed(gate: Gate) -> Ended:
    """A gate of an installation whose timed work takes three times as long, against the healthy copy, for people."""
    gate.copy("slow")
    reading = gate.folder / "slow" / PACKAGE.name / "measure" / "readings" / "stream.py"
    text = reading.read_text()
    assert text.count(TIMED) == 1
    reading.write_text(text.replace(TIMED, SLOWED))
    variables = gate.this_is("slow") | {"GITHUB_ACTIONS": "true", "COLUMNS": "120"}
    return gate("regressed", *TINY, "--against", "./healthy", **variables)


@pytest.fixture(scope="module")
def undecided(gate: Gate) -> Ended:
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
    return Ended(process.returncode, shown.decode(), err, gate.folder / "undecided")


@pytest.fixture(scope="module")
def out_of_time(gate: Gate) -> Ended:
    """A gate of two cases, ended long before its last block by its time limit; nobody reads its stdout."""
    reader, writer = os.pipe()
    os.close(reader)
    given = ("check", "solo.yaml", "--against", "./healthy", "--timeout", "1s", "--fail-on", "inconclusive", "--json")
    process = gate.start("out-of-time", *given, "-o", "late.json", stdout=writer)
    os.close(writer)
    return gate.ended("out-of-time", process)


@pytest.fixture(scope="module")
def crashed(gate: Gate) -> Ended:
    """A gate against a copy whose operator raises."""
    gate.copy("raising", "raising_operator")
    return gate("crashed", *TINY, "--against", "./raising", "--fail-on", "inconclusive", "-q", GITHUB_ACTIONS="true")


def test_equal_code_exits_with_0(passed: Ended) -> None:
    """Two copies of the same code differ in nothing, and no comparison that could fail the gate is slower."""
    document = passed.document
    assert (passed.code, passed.exit) == (0, (0, "ok")), passed.err
    assert document["gate"]["verdict"] == "passed"
    assert document["gate"]["differs"] == []
    assert (document["gate"]["cases"], document["gate"]["compared"]) == (1, 2)
    assert document["run"]["complete"]
    (case,) = document["cases"]
    assert {each["arm"] for block in case["blocks"] for each in block["samples"]} == {"base", "new", "control"}


def test_json_on_stdout_is_the_document_that_is_kept(passed: Ended) -> None:
    """stdout is one JSON document that the published schema allows; stderr says where it is kept."""
    document = json.loads(passed.out, parse_constant=pytest.fail)
    assert document == passed.document
    schema = json.loads((schema_files.FOLDER / "run-1.schema.json").read_bytes())
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    assert passed.err.splitlines()[-1] == f"kept in passed/{document['run']['id']}.json"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_gate_is_written_in_every_format(gate: Gate, passed: Ended, suffix: str) -> None:
    """Each file asked for is there and whole."""
    content = (gate.folder / "files" / f"gate{suffix}").read_bytes()
    assert content
    if suffix.endswith(".json"):
        assert json.loads(content)
    if suffix == ".json":
        assert json.loads(content) == passed.document


def test_github_gets_a_summary_of_the_step(gate: Gate, passed: Ended) -> None:
    """The file that GITHUB_STEP_SUMMARY names holds the verdict and both sides."""
    summary = (gate.folder / "summary.md").read_text()
    assert "solo" in summary
    assert "healthy" in summary
    assert "passed" in summary.lower()


def test_a_confirmed_regression_exits_with_1(regressed: Ended) -> None:
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


def test_a_regression_is_told_verdict_first(regressed: Ended) -> None:
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


def test_what_is_open_exits_with_3_where_that_was_asked_for(undecided: Ended) -> None:
    """Running out of the time one gave decides nothing, and claims nothing."""
    document = undecided.document
    assert (undecided.code, undecided.exit) == (3, (3, "inconclusive")), undecided.err
    assert document["gate"]["verdict"] == "inconclusive"
    assert not document["run"]["complete"]
    assert {each["verdict"] for each in document["cases"][0]["comparisons"]} == {"inconclusive"}
    assert "stopped early" in undecided.err


def test_no_colour_is_shown_where_it_is_not_wanted(undecided: Ended) -> None:
    """NO_COLOR takes the colours away; the word of the verdict stays."""
    assert "INCONCLUSIVE" in undecided.out
    assert not COLOUR.search(undecided.out)


def test_the_time_limit_exits_with_124(out_of_time: Ended) -> None:
    """What was measured until then is kept, and 124 wins over 3, which was asked for too."""
    document = out_of_time.document
    assert (out_of_time.code, out_of_time.exit) == (124, (124, "time-limit")), out_of_time.err
    assert document["gate"]["verdict"] == "inconclusive"
    assert 1 <= sum(len(case["blocks"]) for case in document["cases"]) < 12
    assert "the limit of 1 s is reached" in document["gate"]["reason"]


def test_a_gate_nobody_reads_keeps_its_outcome_and_its_exit_code(gate: Gate, out_of_time: Ended) -> None:
    """A closed pipe behind stdout is no error, and hides none: a gate that failed never ends with 0."""
    assert out_of_time.code != 0
    assert "Traceback" not in out_of_time.err
    assert json.loads((gate.folder / "late.json").read_bytes()) == out_of_time.document


def test_a_case_that_crashes_exits_with_6(crashed: Ended) -> None:
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


def test_quiet_prints_the_verdict_and_the_sides_alone(crashed: Ended) -> None:
    """On stdout stand verdict and sides, on stderr what went wrong, and no progress."""
    said = crashed.out.replace(" (one core)", "")
    assert said.startswith("SCENARIO-FAILED  solo[chunk=8x8] async cannot be trusted: base")
    assert "./raising" in crashed.out
    assert "95 %" not in crashed.out
    assert "kept in" not in crashed.err
    assert "gate: " not in crashed.err
    assert any(line.startswith("::error ") for line in crashed.err.splitlines())


def test_wrong_values_in_one_side_exit_with_6(gate: Gate) -> None:
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
def test_a_fence_that_does_not_wait_exits_with_5(gate: Gate, side: str) -> None:
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


def test_sides_on_different_backends_exit_with_5(gate: Gate) -> None:
    """They are no two builds of one thing; both are named with what they run on."""
    gate.copy("elsewhere", "other_backend")
    ended = gate("backends", *TINY, "--against", "./elsewhere")
    assert ended.code == 5
    assert "(./elsewhere on another, this installation on " in ended.err
    assert not ended.results.exists()


def test_a_side_that_cannot_run_workers_exits_with_5(gate: Gate) -> None:
    """What its worker said last is passed on, with the name of the side."""
    gate.copy("dead", "worker_never_starts")
    ended = gate("dead-results", *TINY, "--against", "./dead")
    assert ended.code == 5
    assert ended.err.startswith("placement: ./dead: ")
    assert "the library is broken" in ended.err


def test_what_could_be_a_branch_or_a_path_is_taken_as_it_is_written(gate: Gate) -> None:
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
def test_a_wrong_command_line_exits_with_2_and_one_sentence(gate: Gate, arguments: list[str], told: str) -> None:
    """The sentence says what to write; nothing is measured and no traceback is shown."""
    ended = gate("usage", "check", *arguments)
    assert ended.code == 2
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert not ended.results.exists()


def settings(gate: Gate, name: str, text: str) -> Gate:
    """Return the command in a folder whose project has these settings."""
    folder = gate.folder / name
    folder.mkdir()
    (folder / "placement.toml").write_text(text)
    shutil.copy(gate.folder / "solo.yaml", folder)
    return Gate(type(gate.placement)(folder))


SETTINGS = {
    "unknown key": ('[check]\nlimt = "+5%"\n', 2, "placement.toml:2:1: ", "Did you mean 'limit'?"),
    "number for a limit": ("[check]\n\nlimit = 5\n", 2, "placement.toml:3:", '"+5%"'),
    "newer": ("schema = 99\n", 7, "placement.toml:1:", "99"),
    "torn": ('[check]\nlimit = "+5%\n', 7, "placement.toml:2:", "TOML"),
    "every limit off": ('[check]\nlimit = "off"\nmemory-limit = "off"\n', 4, "", "every limit is off"),
}


@pytest.mark.parametrize(("text", "code", "where", "told"), SETTINGS.values(), ids=SETTINGS.keys())
def test_settings_that_cannot_hold_are_told_with_their_place(
    gate: Gate, tmp_path: Path, text: str, code: int, where: str, told: str
) -> None:
    """A mistake is 2, a file that cannot be read or is newer is 7, limits that leave nothing to fail are 4."""
    ended = settings(gate, f"settings-{tmp_path.name}", text)("results", *TINY, "--against", "../healthy")
    assert ended.code == code
    assert ended.err.startswith(f"placement: {where}")
    assert told in ended.err
    assert "Traceback" not in ended.err
    assert not ended.results.exists()


def test_another_number_of_cases_than_expected_exits_with_4(gate: Gate) -> None:
    """A gate whose cases went away must not pass."""
    ended = gate("cases", *TINY, "--against", "./healthy", "--expect-cases", "2")
    assert ended.code == 4
    assert "--expect-cases: 2 cases are expected, but 1 are gated" in ended.err
    assert not ended.results.exists()


def test_a_fault_of_the_program_exits_with_70(gate: Gate, fault: Callable[[str], dict[str, str]]) -> None:
    """Never with 1, which means a regression, nor with 0."""
    ended = gate("broken", *TINY, "--against", "./healthy", "--dry-run", **fault("broken_console"))
    assert ended.code == 70
    assert "ZeroDivisionError: the console has no columns" in ended.err
    assert ended.err.rstrip().splitlines()[-1].startswith("This is a fault of placement, not yours.")


def measuring(gate: Gate, results: str, workers_of: Any, wait_until: Any) -> tuple[Any, Any]:
    """Start a gate and come back when it measures: the process, and its workers."""
    process = gate.start(results, *TINY, "--against", "./healthy", "--fail-on", "inconclusive", "--json")
    assert any(line.startswith("gate: ") for line in iter(process.stderr.readline, ""))
    wait_until(lambda: len(workers_of(process)) == 3)
    return process, workers_of(process)


def test_ctrl_c_exits_with_130_and_keeps_what_was_measured(gate: Gate, workers_of, wait_until, gone) -> None:
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


def test_the_second_ctrl_c_ends_at_once(gate: Gate, workers_of, wait_until, gone) -> None:
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


def test_another_best_placement_exits_with_1(gate: Gate) -> None:
    """`check --advice` fails when what a graph does is not what would be advised, and passes once it does."""
    shutil.copy(GRAPH, gate.folder / "mine.yaml")
    asked = ("check", "--advice", "mine.yaml", *PUBLISHED)
    ended = gate("advice", *asked, "--json")
    assert ended.code == 1
    document = json.loads(ended.out)
    assert document["exit"] == {"code": 1, "name": "regression"}
    assert gate.placement("advise", "mine.yaml", "--write", *PUBLISHED).returncode == 0
    again = gate("advice", *asked)
    assert again.code == 0, again.out + again.err


def test_a_changed_recommendation_nobody_reads_exits_with_1(gate: Gate) -> None:
    """A closed pipe behind stdout hides nothing here either."""
    shutil.copy(GRAPH, gate.folder / "unread.yaml")
    reader, writer = os.pipe()
    os.close(reader)
    process = gate.start("unread", "check", "--advice", "unread.yaml", *PUBLISHED, stdout=writer)
    os.close(writer)
    ended = gate.ended("unread", process)
    assert (ended.code, ended.err) == (1, "")
