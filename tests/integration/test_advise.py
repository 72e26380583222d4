"""`placement advise` and `explain`, the real commands: what they print, write, refuse and measure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "placement_cli" / "store" / "schemas" / "advice-1.schema.json"
PUBLISHED = ("--profile", "apple-m4-pro-published")
HOSTILE = "[red]a[/red] <script>alert(1)</script> [/]"

GRAPH = """\
# kept: first line
version: 1
name: three steps
device: gpu
source: {shape: [30, 256], kind: replay, messages: 400}  # kept: behind a value
nodes:
  # kept: within
  filter:  {op: sosfilt, params: {sections: 2}, inputs: source, evaluate: async}
  scale:   {evaluate: async, op: ewm_scaler, inputs: filter}
  rectify: {op: abs, inputs: scale, evaluate: sync}
"""
"""A point at every node, and a wait at the last: one ASYNC at the tail is better."""

TINY = """\
version: 1
name: tiny
device: cpu
source: {shape: [8, 8], messages: 20}
nodes:
  rectify: {op: abs, inputs: source, evaluate: sync}
"""


@pytest.fixture(scope="module")
def command(placement_module: Any) -> Any:
    """The command in a folder with `graph.yaml`."""
    placement_module.write("graph.yaml", GRAPH)
    return placement_module


def test_advice_is_printed_for_people(command: Any) -> None:
    """Verdict first, then what it rests on, the modes of every node, the usual rules, and what is wrong."""
    done = command("advise", "graph.yaml", *PUBLISHED, COLUMNS="100")
    assert (done.returncode, done.stderr) == (0, "")
    verdict, *_ = done.stdout.splitlines()
    assert verdict.startswith("ASYNC at rectify, no point at filter and scale: ")
    shown = " ".join(done.stdout.split())
    for said in ("apple-m4-pro-published", "three steps (graph.yaml)", "async -> off", "sync -> async", "advised"):
        assert said in shown
    assert all(rule in shown for rule in ("current", "async-tail", "sync-tail", "every-node", "window"))
    assert "PL201" in shown
    assert "`placement fit-costs`" in shown


def test_json_is_a_valid_document_and_alone_on_stdout(command: Any) -> None:
    """The document fits the schema that ships, and `-o` writes the same."""
    done = command("advise", "graph.yaml", *PUBLISHED, "--json", "--pareto", "-o", "deep/er/advice.json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout, parse_constant=pytest.fail)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()), cls=jsonschema.Draft202012Validator)
    assert document == json.loads((command.folder / "deep/er/advice.json").read_text())
    assert document["placement"] == {"filter": "off", "scale": "off", "rectify": "async"}
    assert document["current"] == {"filter": "async", "scale": "async", "rectify": "sync"}
    assert document["confidence"] == "published"
    assert document["verified"] is None
    assert {"PL201", "PL204"} <= {finding["code"] for finding in document["findings"]}
    assert document["pareto"]


def test_quiet_leaves_the_verdict_and_what_is_wrong(command: Any) -> None:
    """One line each, for scripts and commit hooks."""
    done = command("advise", "graph.yaml", *PUBLISHED, "-q")
    assert done.returncode == 0
    verdict, *findings = done.stdout.splitlines()
    assert verdict.startswith("ASYNC at rectify")
    assert findings
    assert all(re.match(r"(error|warning): PL\d{3} [a-z-]+ ?(@\w+)?:", line) for line in findings)


def test_the_pareto_set_is_shown_when_it_is_asked_for(command: Any) -> None:
    """What nothing beats in host time, latency and memory at once."""
    assert "pareto-1" in command("advise", "graph.yaml", *PUBLISHED, "--pareto").stdout


def test_a_narrow_terminal_cuts_nothing_off(command: Any) -> None:
    """At 40 columns no line is longer, and every node and rule is still there."""
    done = command("advise", "graph.yaml", *PUBLISHED, COLUMNS="40")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 40
    assert all(name in done.stdout for name in ("filter", "scale", "rectify", "async-tail", "every-node"))
    assert "…" not in done.stdout


@pytest.mark.parametrize("form", ["python", "ezmsg"])
def test_emitted_code_compiles_and_is_alone_on_stdout(command: Any, form: str) -> None:
    """It names the node and the modes, and can be kept with a redirection."""
    done = command("advise", "graph.yaml", *PUBLISHED, "--emit", form)
    assert (done.returncode, done.stderr) == (0, "")
    compile(done.stdout, "emitted.py", "exec")
    assert "'rectify': sync -> async" in done.stdout


@pytest.mark.parametrize(("form", "begins"), [("mermaid", "flowchart"), ("dot", "digraph")])
def test_a_drawing_shows_the_advised_modes(command: Any, form: str, begins: str) -> None:
    """It is in the language that was asked for, and alone on stdout."""
    done = command("advise", "graph.yaml", *PUBLISHED, "--draw", form)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(rf"^{begins}\b", done.stdout, re.MULTILINE)
    assert done.stdout.count("ASYNC") == 1


def test_writing_changes_the_modes_and_nothing_else(placement: Any) -> None:
    """Comments, order and spacing stay; a second time nothing is left to change."""
    placement.write("graph.yaml", GRAPH)
    done = placement("advise", "graph.yaml", *PUBLISHED, "--write", "-q")
    assert done.returncode == 0, done.stderr
    assert "graph.yaml: evaluate: set as advised" in done.stderr
    written = (placement.folder / "graph.yaml").read_text()
    expected = GRAPH.replace("inputs: source, evaluate: async", "inputs: source").replace("{evaluate: async, ", "{")
    assert written == expected.replace("evaluate: sync", "evaluate: async")
    again = placement("advise", "graph.yaml", *PUBLISHED, "--write", "-q")
    assert again.stdout.startswith("Change nothing")
    assert "is as advised already" in again.stderr
    assert (placement.folder / "graph.yaml").read_text() == written


def test_names_are_data(command: Any) -> None:
    """Markup of the terminal and of browsers in a name is shown as it stands, wide or narrow, and in code harmless."""
    command.write("hostile.yaml", GRAPH.replace("three steps", json.dumps(HOSTILE)))
    for columns in ("120", "40"):
        shown = command("advise", "hostile.yaml", *PUBLISHED, COLUMNS=columns).stdout
        assert HOSTILE in " ".join(shown.split())
    code = command("advise", "hostile.yaml", *PUBLISHED, "--emit", "python").stdout
    compile(code, "emitted.py", "exec")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.yaml", None, r"absent\.yaml: cannot be read"),
        ("-", None, "-: cannot be read"),
        ("unknown.yaml", GRAPH.replace("inputs: scale", "inputs: scal"), r"unknown\.yaml:10:\d+: .*'scal'.*'scale'"),
        ("key.yaml", GRAPH.replace("evaluate: sync", "evalute: sync"), r"key\.yaml:10:\d+: .*'evalute'.*'evaluate'"),
        ("mode.yaml", GRAPH.replace("evaluate: sync", "evaluate: asynk"), r"mode\.yaml:10:\d+: .*'asynk'.* async,"),
        ("newer.yaml", "version: 2\n", r"newer\.yaml:1:10: .*version 2 is newer"),
        ("no.yaml", "a: [\n", r"no\.yaml:\d+:\d+: "),
        ("empty.yaml", "", r"empty\.yaml"),
        ("deep.yaml", "version: 1\nsource: " + "[" * 5000 + "]" * 5000, r"deep\.yaml:2:\d+: nested deeper than"),
        ("huge.yaml", "#" + "x" * 10_000_000, r"huge\.yaml: is larger than"),
        ("alias.yaml", "a: &a [1]\nb: [*a, *a]\n", r"alias\.yaml:1:4: anchors"),
    ],
)
def test_a_graph_that_is_none_ends_with_one_sentence(command: Any, name: str, content: str | None, said: str) -> None:
    """Exit code 2, the place on stderr, what was expected or is nearest; nothing on stdout and no traceback."""
    if content is not None:
        command.write(name, content)
    done = command("advise", name, *PUBLISHED)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.match(f"placement: {said}", done.stderr)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--profile", "apple-m4-published"], "is no file, and no shipped profile. Did you mean 'apple-m4-pro-publ"),
        (["--profile", "numpy-1-thread-float32"], "holds no constants of evaluation"),
        (["--emit", "pyton"], "--emit pyton: is not known. Did you mean 'python'?"),
        (["--draw", "mermeid"], "--draw mermeid: is not known. Did you mean 'mermaid'?"),
        (["--json", "--draw", "dot"], "each print one thing alone"),
    ],
)
def test_an_option_that_cannot_be_ends_with_one_sentence(command: Any, arguments: list[str], said: str) -> None:
    """Exit code 2, and the nearest name where there is one."""
    done = command("advise", "graph.yaml", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "content", ["{}", '{"schema', "[1]", '{"schema": "placement.profile", "schema_version": "9.0.0"}']
)
def test_a_damaged_profile_is_unreadable_input(command: Any, content: str) -> None:
    """Exit code 7: the graph is fine, what it should be judged by is not."""
    command.write("profile.json", content)
    done = command("advise", "graph.yaml", "--profile", "profile.json")
    assert (done.returncode, done.stdout) == (7, "")
    assert done.stderr.startswith("placement: profile.json: ")
    assert len(done.stderr.splitlines()) == 1


def test_verifying_measures_the_placements_that_matter(placement: Any) -> None:
    """Predicted stands beside measured, the advice says so, and the run is kept where it was asked to be."""
    placement.write("tiny.yaml", TINY)
    arguments = ("--verify", "--quick", "--time-budget", "2s", "--out", "kept", "-o", "advice.json")
    done = placement("advise", "tiny.yaml", *arguments, COLUMNS="100")
    assert done.returncode == 0, done.stderr
    assert "Predicted against measured, per message" in done.stdout
    assert "Measured here" in done.stdout
    (run,) = placement.documents("kept")
    document = json.loads((placement.folder / "advice.json").read_text())
    jsonschema.validate(document, json.loads(SCHEMA.read_text()), cls=jsonschema.Draft202012Validator)
    assert document["confidence"] == "measured"
    assert document["verified"]["run"] == f"kept/{run.name}"
    assert {"current", "async-tail"} <= {arm["name"] for arm in document["verified"]["measured"]}


def test_a_graph_of_costs_alone_cannot_be_verified(command: Any) -> None:
    """What has no operator cannot be run; the sentence names the node and what would help."""
    command.write("opaque.yaml", TINY.replace("op: abs, ", ""))
    done = command("advise", "opaque.yaml", "--verify", "--quick")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the graph cannot be run as it stands: node 'rectify': has no `op`" in done.stderr


def test_every_finding_is_explained(command: Any) -> None:
    """By code or by name, in any case of letters; all of them in a list and as JSON."""
    listed = command("explain").stdout
    codes = re.findall(r"^(PL\d{3}) ", listed, re.MULTILINE)
    assert len(codes) == 26
    told = json.loads(command("explain", "--json").stdout)
    assert [finding["code"] for finding in told["findings"]] == codes
    by_code, by_name = command("explain", "pl104"), command("explain", "run-ahead")
    assert by_code.returncode == 0
    assert by_code.stdout == by_name.stdout
    assert by_code.stdout.startswith("PL104 run-ahead: ")


def test_an_unknown_finding_is_told_with_the_nearest(command: Any) -> None:
    """Exit code 2."""
    done = command("explain", "PL1O4")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean 'PL104'?" in done.stderr
