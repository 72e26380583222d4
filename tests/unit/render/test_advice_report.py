"""Advice on the terminal: the verdict first, and nothing in a document is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from placement_cli.render.advice_report import by_severity, print_advice, print_verdict
from placement_cli.store.advice_document import (
    AdviceDocument,
    EdgeRecord,
    EstimateRecord,
    FindingRecord,
    GraphRecord,
    MeasuredRecord,
    NodeRecord,
    PlacementRecord,
    PredictedRecord,
    ProfileRecord,
    SourceRecord,
    VerifiedRecord,
)
from placement_cli.store.run_document import ToolRecord

WIDTHS = (120, 80, 40)
ENDLESS = EstimateRecord(value=None, low=1e6, high=None, reason="without bound")
Report = Callable[..., str]


def about(value: float) -> EstimateRecord:
    """An estimate with a tenth to either side."""
    return EstimateRecord(value=value, low=0.9 * value, high=1.1 * value)


def predicted(period_s: float, **other: EstimateRecord) -> PredictedRecord:
    """What a placement does that takes `period_s` a message, half of it on the device."""
    time = about(period_s)
    facts = {"period_s": time, "host_s": time, "host_busy_s": time, "device_s": about(period_s / 2)}
    rest = {"latency_s": time, "latency_p90_s": time, "in_flight_bytes": about(2e6), "device_busy": about(0.5)}
    return PredictedRecord(**facts | rest | other)


def placed(name: str, modes: dict[str, str], period_s: float, *violates: str, **other: EstimateRecord) -> Any:
    """A placement against one that takes 300 microseconds."""
    ratio = about(period_s / 300e-6)
    return PlacementRecord(
        name=name, placement=modes, predicted=predicted(period_s, **other), ratio=ratio, violates=list(violates)
    )


def finding(code: str, name: str, node: str | None, severity: Any, says: str, fix: str = "Do it.") -> FindingRecord:
    """A finding without evidence."""
    return FindingRecord(code=code, name=name, node=node, severity=severity, says=says, fix=fix, evidence={})


def node(name: str, *reads: str, **more: Any) -> NodeRecord:
    """A node on MLX that reads these."""
    facts = {"op": None, "repeat": 1, "backend": "mlx", "pinned": False, "process": "", "thread": ""} | more
    return NodeRecord(name=name, inputs=[EdgeRecord(node=read) for read in reads], **facts)


TODAY = {"filter": "off", "scale": "sync", "rectify": "async"}
ADVISED = {"filter": "off", "scale": "off", "rectify": "async"}
WINDOW = {"filter": "off", "scale": "off", "rectify": "window:2"}
FINDINGS = (
    finding("PL405", "cold-start", None, "note", "The first message takes 12.0 ms.", ""),
    finding("PL204", "blocking", "scale", "warning", "sync waits 120 µs for values that nobody reads.", "Set off."),
    finding("PL101", "growth", "filter", "error", "Nothing evaluates the state: 499000 buffers after 11600 messages."),
)
VERIFIED = VerifiedRecord(
    run="runs/advise-20260101.json",
    error_median=0.05,
    says="The measurement agrees: tail is the fastest.",
    measured=[
        MeasuredRecord(
            name="tail",
            period_s=about(190e-6),
            predicted_period_s=about(200e-6),
            host_s=about(100e-6),
            latency_s=about(180e-6),
            in_flight_bytes=about(2e6),
            ratio=about(1.0),
        ),
        MeasuredRecord(
            name="other",
            period_s=about(1e-3),
            predicted_period_s=None,
            host_s=None,
            latency_s=None,
            in_flight_bytes=None,
            ratio=about(5.0),
        ),
    ],
)


def advice(**other: Any) -> AdviceDocument:
    """The advice on a small graph; any part can be another."""
    facts: dict[str, Any] = {
        "tool": ToolRecord(name="placement", version="1"),
        "graph": GraphRecord(
            name="band power",
            file="band.yaml",
            device="gpu",
            source=SourceRecord(shape=(30, 256), dtype="float32", rate_hz=1000.0, messages=400, kind="live"),
            node_count=4,
            nodes=[
                node("filter", "source"),
                node("scale", "filter"),
                node("rectify", "scale", pinned=True),
                node("decode", "rectify", backend="host"),
            ],
        ),
        "profile": ProfileRecord(
            name="apple-m4-pro-published",
            confidence="published",
            why="There is no GPU here",
            provenance="Figures published in 2026.",
        ),
        "objective": "keep up with the source, then the least host time",
        "verdict": "Evaluate once, with async after rectify: 0.67 times today's time.",
        "placement": ADVISED,
        "current": TODAY,
        "predicted": predicted(200e-6),
        "alternatives": [
            placed("current", TODAY, 300e-6),
            placed("tail", ADVISED, 200e-6),
            placed("every-node", dict.fromkeys(ADVISED, "async"), 250e-6, "Memory.", in_flight_bytes=ENDLESS),
            placed("window:2", WINDOW, 210e-6),
        ],
        "findings": list(FINDINGS),
        "confidence": "published",
        "search": "All 81 placements were tried.",
        "assumed": ["The output of scale is taken to be as large as its input."],
        "settle": ["`placement fit-costs` on the machine that runs it."],
        "pareto": [placed("tail", ADVISED, 200e-6), placed("window:2", WINDOW, 210e-6)],
        "verified": None,
    }
    return AdviceDocument(**facts | other)


@pytest.fixture
def report(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Report:
    """Prints advice on a console of this width and returns the text."""

    def show(document: AdviceDocument, width: int = 120, *, pareto: bool = False) -> str:
        console = make_console(width)
        print_advice(document, console, pareto=pareto)
        return read_console(console)

    return show


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_printed(width: int, report: Report, snapshot: SnapshotAssertion) -> None:
    """Advice is printed as it was looked at and found good."""
    assert report(advice(verified=VERIFIED), width, pareto=True) == snapshot


@pytest.mark.parametrize("width", [*WIDTHS, 20])
def test_no_line_is_wider_than_the_terminal(width: int, report: Report) -> None:
    """Whatever was predicted or measured."""
    assert max(map(cell_len, report(advice(verified=VERIFIED), width, pareto=True).splitlines())) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_names_are_data(width: int, hostile: str, report: Report) -> None:
    """No name is taken for markup or a control code, however long; none breaks the width."""
    modes = {hostile: "async"}
    here = {"process": hostile, "thread": hostile}
    graph = advice().graph.model_copy(
        update={"name": hostile, "file": hostile, "nodes": [node(hostile, hostile, **here), node("b", "a")]}
    )
    profile = advice().profile.model_copy(update={"name": hostile, "why": hostile, "provenance": hostile})
    document = advice(
        graph=graph,
        profile=profile,
        verdict=hostile,
        objective=hostile,
        placement=modes,
        current=modes,
        alternatives=[placed(hostile, modes, 1e-3, hostile)],
        findings=[finding(hostile, hostile, hostile, "error", hostile, hostile)],
        search=hostile,
        assumed=[hostile],
        settle=[hostile],
        pareto=[placed(hostile, modes, 1e-3)],
        verified=VerifiedRecord(
            run=hostile,
            error_median=None,
            says=hostile,
            measured=[VERIFIED.measured[0].model_copy(update={"name": hostile})],
        ),
    )
    text = report(document, width, pareto=True)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", text)
    assert max(map(cell_len, text.splitlines())) <= width
    flat = re.sub(r"\s", "", text).replace("\N{REPLACEMENT CHARACTER}", "")
    assert flat.count(re.sub(r"[\s\x1b\u2028\u202e]", "", hostile)) >= 20


def test_the_verdict_comes_first(report: Report) -> None:
    """Then how sure it is, what it aims at, and on whose costs it rests."""
    lines = report(advice()).splitlines()
    assert lines[0] == "Evaluate once, with async after rectify: 0.67 times today's time."
    assert lines[1].startswith("Confidence: published. Objective: keep up with the source, ")
    assert lines[2].endswith("(published): There is no GPU here. Figures published in 2026.")


def test_findings_are_sorted_by_severity(report: Report) -> None:
    """The worst first, each with its fix; a severity is a word and not a colour alone."""
    lines = report(advice()).splitlines()
    at = lines.index("Findings")
    assert [line.split()[0] for line in lines[at + 1 : at + 6]] == ["error", "fix:", "warning", "fix:", "note"]
    assert lines[at + 1] == (
        "error    PL101 growth @filter: Nothing evaluates the state: 499000 buffers after 11600 messages."
    )
    assert lines[at + 5] == "note     PL405 cold-start: The first message takes 12.0 ms."
    assert [each.code for each in by_severity(FINDINGS)] == ["PL101", "PL204", "PL405"]


def test_the_pareto_set_is_shown_when_asked_for(report: Report) -> None:
    """It is left out otherwise, and said to be empty where it is."""
    assert "Pareto" not in report(advice())
    assert "Pareto set" in report(advice(), pareto=True)
    assert "No such placements were looked for." in report(advice(pareto=[]), pareto=True)


def test_sections_without_content_are_left_out(report: Report) -> None:
    """No headings over nothing, and no empty lines in a row."""
    text = report(advice(alternatives=[], findings=[], assumed=[], settle=[], search=""))
    assert all(word not in text for word in ("Findings", "Assumed", "settle", "Predicted"))
    assert "\n\n\n" not in text
    assert not text.endswith("\n\n")


@pytest.mark.parametrize(
    ("findings", "told"),
    [
        ((), []),
        (
            FINDINGS,
            [
                "error: PL101 growth @filter: Nothing evaluates the state: 499000 buffers after 11600 messages.",
                "warning: PL204 blocking @scale: sync waits 120 µs for values that nobody reads.",
            ],
        ),
    ],
)
def test_quiet_is_the_verdict_and_what_is_wrong(
    findings: Sequence[FindingRecord],
    told: list[str],
    make_console: Callable[..., Console],
    read_console: Callable[[Console], str],
) -> None:
    """A line each, however narrow the terminal; notes are left out."""
    console = make_console(20)
    print_verdict(advice(findings=list(findings)), console)
    lines = read_console(console).splitlines()
    assert lines == ["Evaluate once, with async after rectify: 0.67 times today's time.", *told]
