"""A gate on the terminal: the verdict first, the worst comparison on top, and nothing taken for markup."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from placement_cli.render.gate_report import print_gate, verdict_lines
from placement_cli.store.run_document import RunDocument

WIDTHS = (120, 80, 40)
MakeGate = Callable[..., RunDocument]
Report = Callable[..., str]
Row = dict[str, Any]


def row(verdict: str, ratio: float | None, **other: Any) -> Row:
    """One comparison of a gate."""
    return {
        "verdict": verdict,
        "ratio": ratio,
        "metric": "complete_s",
        "arm": "async",
        "chunk": 64,
        "again": None,
    } | other


PASSED = (row("same", 1.004), row("faster", 0.9, arm="sync"), row("same", 1.0, metric="in_flight_bytes"))
FAILED = (
    row("same", 1.004),
    row("slower", 1.103, arm="sync", again=1.11),
    row("slower", 1.5, metric="in_flight_bytes", chunk=256, again=1.5),
    row("inconclusive", 1.021, chunk=256),
)
OPEN = (row("inconclusive", 1.06, again=1.001), row("inconclusive", None, arm="sync"), row("same", 0.998, chunk=256))
GATES = {"passed": PASSED, "regression": FAILED, "inconclusive": OPEN}
REASONS = {
    "passed": "None of 3 comparisons with mlx==0.31.1 is slower.",
    "regression": "2 of 4 comparisons with mlx==0.31.1 are slower beyond the limit.",
    "inconclusive": "Stopped early: interrupted. None of 3 comparisons is shown to be slower; 2 cannot be told.",
}


@pytest.fixture
def make_gate(load_run_of: Callable[[str], RunDocument]) -> MakeGate:
    """Makes the document of a gate from its verdict and its rows; `name` stands for everything that has one."""
    plain = json.loads(load_run_of("stream").to_json())

    def make(verdict: str, *rows: Row, name: str = "", differs: list[str] | None = None) -> RunDocument:
        scenario, side = name or "chunk-size", {"fingerprint": "f", "stable": {}}
        gate = {
            "verdict": verdict,
            "reason": name or REASONS.get(verdict, verdict),
            "base": {**side, "given": name or "mlx==0.31.1", "kind": "requirement", "resolved": name or "mlx 0.31.1"},
            "new": {**side, "given": "this installation", "kind": "current", "resolved": "placement 0.1.0"},
            "differs": ["mlx was '0.31.1' and is '0.32.4'"] if differs is None else differs,
        } | {"cases": len(rows), "compared": len(rows), "failed": []}
        says = [{"text": name or f"Time per message of {scenario} is 1.10 times that of mlx==0.31.1.", "cases": []}]
        cases = [_case(plain["cases"][0], each, scenario, name) for each in rows]
        return RunDocument.model_validate(
            plain
            | {"scenarios": [{**plain["scenarios"][0], "name": scenario}], "cases": cases}
            | {"gate": gate, "says": says, "diagnostics": []}
        )

    return make


def _case(example: dict[str, Any], row: Row, scenario: str, name: str) -> dict[str, Any]:
    ratio, again = row["ratio"], row["again"]
    confirmation = {"ratio": again, "ci": None, "n_blocks": 12, "repeated": row["verdict"] == "slower", "reason": ""}
    comparison = example["comparisons"][0] | {
        "base": "base",
        "new": "new",
        "metric": row["metric"],
        "verdict": row["verdict"],
        "ratio": ratio,
        "ci": ratio and [ratio - 0.01, ratio + 0.01],
        "n_blocks": 0 if ratio is None else 12 if again else 6,
        "same_within": 0.1 if row["metric"] == "in_flight_bytes" else 0.03,
        "gated": True,
        "confirmation": again and confirmation,
    }
    ungated = {**comparison, "metric": "dispatch_s", "verdict": "slower", "gated": False}
    summary = {} if ratio is None else dict.fromkeys(("base", "new", "control"), example["summary"]["async"])
    params = {name or "chunk": row["chunk"], "dtype": name or "float32", "arm": name + row["arm"]}
    changes = {"scenario": scenario, "base": "base", "params": params, "blocks": [], "estimates": []}
    return example | changes | {"summary": summary, "comparisons": [comparison, ungated]}


@pytest.fixture
def report(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Report:
    """Prints a gate on a console of this width and returns the text."""

    def show(document: RunDocument, width: int = 120, **options: Any) -> str:
        console = make_console(width, **options)
        assert document.gate is not None
        print_gate(document, document.gate, console)
        return read_console(console)

    return show


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("verdict", GATES)
def test_what_is_printed(
    width: int, verdict: str, make_gate: MakeGate, report: Report, snapshot: SnapshotAssertion
) -> None:
    """A gate is printed as it was looked at and found good."""
    assert report(make_gate(verdict, *GATES[verdict]), width) == snapshot


@pytest.mark.parametrize("width", [*WIDTHS, 60, 30, 20, 200])
@pytest.mark.parametrize("verdict", GATES)
def test_nothing_is_lost_in_any_terminal(width: int, verdict: str, make_gate: MakeGate, report: Report) -> None:
    """Nothing runs over the edge or is cut off; every verdict and the whole reason are there."""
    text = report(make_gate(verdict, *GATES[verdict]), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    flat = re.sub(r"\s", "", text)
    assert re.sub(r"\s", "", REASONS[verdict]) in flat
    assert verdict.upper() in flat


def test_the_worst_comes_first(make_gate: MakeGate, report: Report) -> None:
    """What failed, then what is open; only what could fail is there at all, and each change has its sign."""
    text = report(make_gate("regression", *FAILED))
    changes = re.findall(r"([+-][\d.]+) % +\[", text)
    assert changes == ["+10.3", "+50.0", "+2.1", "+0.4"]
    assert "host time" not in text


@pytest.mark.parametrize(
    ("ratio", "shown"), [(1.103, "+10.3 %"), (0.9, "-10.0 %"), (1.0, "+0.0 %"), (0.99999, "+0.0 %")]
)
def test_a_positive_change_is_slower(ratio: float, shown: str, make_gate: MakeGate, report: Report) -> None:
    """Each change has its sign, and nothing is called minus zero."""
    assert f" {shown}  [" in report(make_gate("passed", row("same", ratio)))


def test_parameters_that_are_the_same_everywhere_are_left_out(make_gate: MakeGate, report: Report) -> None:
    """The arm is always there."""
    (heading,) = [line for line in report(make_gate("passed", row("same", 1.0))).splitlines() if "metric" in line]
    assert heading.split()[:3] == ["arm", "metric", "base"]


def test_what_was_never_measured_has_dashes(make_gate: MakeGate, report: Report) -> None:
    """Nothing looks like a number there."""
    text = report(make_gate("inconclusive", row("inconclusive", None)))
    (line,) = [line for line in text.splitlines() if line.startswith("async ")]
    assert re.split(r"  +", line) == ["async", "time per message", "-", "-", "-", "-", "+3.0 %", "inconclusive", "0"]


def test_fresh_blocks_are_counted_apart(make_gate: MakeGate, report: Report) -> None:
    """As 12 + 12 beside what needed none."""
    text = report(make_gate("regression", *FAILED))
    assert len(re.findall(r" 12 \+ 12$", text, re.MULTILINE)) == 2


def test_sides_that_share_everything_say_so(make_gate: MakeGate, report: Report) -> None:
    """Who compares a build with itself should see it."""
    assert "differ in nothing that is known" in report(make_gate("passed", *PASSED, differs=[]))


def test_colour_says_nothing_that_words_do_not(make_gate: MakeGate, report: Report) -> None:
    """A terminal with colours shows the same text."""
    document = make_gate("regression", *FAILED)
    coloured = report(document, 80, terminal=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == report(document, 80)


@pytest.mark.parametrize("width", WIDTHS)
def test_names_are_data(width: int, hostile: str, make_gate: MakeGate, report: Report) -> None:
    """No name is taken for markup, a link, a control code or a direction, however long; none breaks the width."""
    text = report(
        make_gate("regression", *FAILED, name=hostile, differs=[hostile]), width, terminal=True, color_system=None
    )
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    flat = re.sub(r"\s", "", text)
    assert re.sub(r"[\s\x00-\x1f\u2028\u202e]", "", hostile) in flat.replace("\N{REPLACEMENT CHARACTER}", "")


def test_the_verdict_alone_is_a_few_lines(make_gate: MakeGate, printed: Callable[..., str]) -> None:
    """Its word, the reason, the two sides, and what they differ in."""
    gate = make_gate("passed", *PASSED).gate
    assert gate is not None
    lines = [line for part in verdict_lines(gate) for line in printed(part).splitlines()]
    assert [line.split()[0] for line in lines] == ["PASSED", "base", "new", "mlx"]
