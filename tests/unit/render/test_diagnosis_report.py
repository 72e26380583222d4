"""A diagnosis on the terminal: compact, the symptom first, and nothing is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from placement_cli.render.diagnosis_report import print_diagnosis, print_diagnosis_verdict
from placement_cli.render.source_lines import Sources
from placement_cli.store.diagnosis_document import (
    BuildRecord,
    ChainLink,
    DiagnosisDocument,
    EvidenceRecord,
    ObservedSymptom,
    OwnershipRecord,
    ReportRecord,
)
from placement_cli.store.run_document import Diagnostic, ExitRecord, ToolRecord

Report = Callable[..., str]
MIB = 2**20
FOLDER = Path("/home/x")


def row(holder: Any, moment: Any, size: int | None, bound: Any = "exact", **other: Any) -> OwnershipRecord:
    """One holder at a moment."""
    facts: dict[str, Any] = {"at_s": 1.25 if moment == "highest" else 2.5, "arrays": None, "rests_on": "counters"}
    reason = None if size is not None else "nothing was counted"
    return OwnershipRecord(
        holder=holder,
        moment=moment,
        bytes=None if size is None else size * MIB,
        bound=bound,
        reason=reason,
        **(facts | other),
    )


def evidence(source: Any, name: str, outcome: Any, says: str = "60 calls") -> EvidenceRecord:
    """One claim."""
    return EvidenceRecord(source=source, id=name, claim="No variable grows.", outcome=outcome, says=says)


def symptom(**other: Any) -> ObservedSymptom:
    """Side state at line 23."""
    facts: dict[str, Any] = {"class": "side-state", "name": "side state", "bears_on": ["memory"], "code": "PL102"}
    facts |= {"file": "/home/x/train.py", "line": 23, "says": "`mean` had 20 operations pending, then 2,306."}
    return ObservedSymptom(**(facts | {"fix": "Pass `mean` to mx.async_eval at train.py:33."} | other))


def diagnosis(report: dict[str, Any] | None = None, **other: Any) -> DiagnosisDocument:
    """The diagnosis of a small program; any part can be another."""
    told: dict[str, Any] = {
        "chain": [
            ChainLink(link="producer", says="6,272 operations built, most at train.py:23 (3,592: add).", seen=True),
            ChainLink(link="evaluation", says="Scheduled by mx.async_eval at train.py:33 (900 calls).", seen=True),
            ChainLink(link="wait", says="Not seen. No call was seen that waits for anything.", seen=False),
            ChainLink(link="backend", says="MLX 0.32.4 on cpu, default device Device(cpu, 0).", seen=True),
            ChainLink(link="clean-up", says="0 arrays alive at the end.", seen=True),
        ],
        "symptom": symptom(),
        "decided": True,
        "evidence": [
            evidence("trace", "trace.record", "passed"),
            evidence("trace", "trace.growth", "failed", "PL102 train.py:23"),
            evidence("probe", "boundary.build", "passed"),
            evidence("probe", "ownership.counters", "passed"),
            evidence("probe", "back-pressure.evaluations", "not-run", "it is about metal, and this is cpu"),
        ],
        "tied_to": "MLX 0.32.4 on cpu (mlx 0.32.4), Linux; train.py, which ended with exit code 0",
    }
    facts: dict[str, Any] = {
        "tool": ToolRecord(name="placement", version="1"),
        "build": BuildRecord(
            mlx="0.32.4", backend="cpu", device="cpu", variables={}, python="3.12", platform="Linux", distributions={}
        ),
        "probes": [],
        "symptom": "memory",
        "ownership": [
            row("live-references", "highest", None),
            row("in-flight-or-graphs", "highest", 113, "at-most"),
            row("cache", "highest", 1),
            row("process-beyond-mlx", "highest", 52, "about"),
            row("live-references", "end", 3, "about", arrays=4),
            row("in-flight-or-graphs", "end", 0),
            row("cache", "end", 31),
            row("process-beyond-mlx", "end", 132, "about"),
        ],
        "next_check": "for step in steps:\n    mx.async_eval(mean)  # after line 23\n# it must not grow",
        "report": ReportRecord(**(told | (report or {}))),
        "exit": ExitRecord(code=0, name="ok"),
        "diagnostics": [
            Diagnostic(level="warning", code="stopped", text="It was stopped: 1 probe was still to come."),
            Diagnostic(level="info", code="differs-from-reference", text="Not as before: timing.x."),
        ],
    }
    return DiagnosisDocument(**(facts | other))


@pytest.fixture
def report(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Report:
    """Prints a diagnosis on a console of a width and returns the text."""

    def show(document: DiagnosisDocument, width: int = 100, printer: Any = print_diagnosis) -> str:
        console = make_console(width)
        printer(document, console, Sources(FOLDER))
        return read_console(console)

    return show


@pytest.mark.parametrize("width", [100, 60])
def test_a_diagnosis_is_shown_as_before(report: Report, width: int, snapshot: SnapshotAssertion) -> None:
    """The table where it fits, and a line a holder where it does not."""
    assert report(diagnosis(), width) == snapshot


@pytest.mark.parametrize(
    ("told", "asked", "title"),
    [
        ({}, "memory", "Symptom memory: side state (PL102) at train.py:23"),
        ({}, None, "Symptom: side state (PL102) at train.py:23"),
        ({"decided": False}, None, "Symptom: not decided; nearest: side state (PL102) at train.py:23"),
        (
            {"decided": False, "symptom": symptom(**{"class": "not-seen"}, name="not seen", file=None, line=None)},
            "memory",
            "Symptom memory: not seen (PL102)",
        ),
        ({"symptom": symptom(code=None)}, "crash", "Symptom crash: side state at train.py:23"),
    ],
)
def test_the_first_line_is_what_it_comes_to(
    report: Report, told: dict[str, Any], asked: str | None, title: str
) -> None:
    """What was asked, the class, its code and where; and whether that is decided."""
    assert report(diagnosis(told, symptom=asked)).splitlines()[0] == title


def test_a_cure_that_is_the_next_check_is_told_once(report: Report) -> None:
    """As the check."""
    text = report(diagnosis(next_check=f"# {symptom().fix}\nplacement diagnose --symptom memory train.py"))
    assert text.count("Pass `mean` to mx.async_eval") == 1


def test_quiet_is_a_line_each(report: Report) -> None:
    """The symptom with what was seen, the next check, and warnings, however narrow the terminal."""
    text = report(diagnosis(next_check="mx.eval(mean)\nprint(mean)"), 20, print_diagnosis_verdict)
    assert text.splitlines() == [
        "Symptom memory: side state (PL102) at train.py:23: `mean` had 20 operations pending, then 2,306.",
        "next: mx.eval(mean)",
        "      print(mean)",
        "warning: It was stopped: 1 probe was still to come.",
    ]


def test_links_that_were_not_seen_for_one_reason_share_a_line(report: Report) -> None:
    """A program without MLX has nothing to say of any of them."""
    links: tuple[Any, ...] = ("producer", "evaluation", "wait", "clean-up")
    unseen = [ChainLink(link=link, says="Not seen. No MLX.", seen=False) for link in links]
    seen = ChainLink(link="backend", says="This command has MLX 0.32.4.", seen=True)
    lines = report(diagnosis({"chain": [*unseen[:3], seen, unseen[3]]}), 100).splitlines()
    at = lines.index("Chain")
    assert lines[at + 1 : at + 3] == [
        "  producer, evaluation, dependency wait, clean-up: Not seen. No MLX.",
        "  backend          This command has MLX 0.32.4.",
    ]


def test_one_array_is_one(report: Report) -> None:
    """Not several."""
    assert "3.00 MiB in 1 array\n" in report(diagnosis(ownership=[row("live-references", "end", 3, arrays=1)]), 100)


def test_without_a_program_there_is_nothing_to_print(report: Report) -> None:
    """Nor is there an empty table without samples of memory."""
    assert report(diagnosis(report=None).model_copy(update={"report": None})) == ""
    assert "Ownership" not in report(diagnosis(ownership=[]))


@pytest.mark.parametrize("width", [120, 80, 60, 40])
def test_names_are_data_and_lines_fit(report: Report, hostile: str, width: int) -> None:
    """Whatever a program, its functions and its messages are called."""
    told = {
        "chain": [ChainLink(link="producer", says=hostile, seen=True)],
        "symptom": symptom(name=hostile, file=hostile, says=hostile, fix=hostile),
        "evidence": [evidence("trace", "trace.x", "failed", hostile), evidence("probe", hostile, "not-run", hostile)],
        "tied_to": hostile,
    }
    text = report(diagnosis(told, next_check=f"x{hostile}"), width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", text)
    assert max(map(cell_len, text.splitlines())) <= width
