"""Probes on the terminal: claims, outcomes in words, and what differs; whole at any width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.render.probe_table import print_outcomes, print_probes, probe_list
from placement_cli.store.diagnosis_document import BuildRecord, DiagnosisDocument, ProbeRecord
from placement_cli.store.run_document import Diagnostic, ExitRecord, ToolRecord

WIDTHS = (120, 60, 40)


def record(name: str, outcome: str = "passed", **changes: Any) -> ProbeRecord:
    """One probe that observed something."""
    facts: dict[str, Any] = {
        "id": name,
        "group": name.partition(".")[0],
        "claim": "Evaluating an array again takes microseconds at most.",
        "outcome": outcome,
        "observed": "The first evaluation took 120 ms, each one after it 230 ns.",
        "numbers": {"first_s": 0.12, "again_s": 2.3e-7},
        "reference": "CPU backend, MLX 0.32.4: 230 ns",
        "differs": None,
        "reason": None,
        "took_s": 0.2,
    }
    return ProbeRecord(**(facts | changes))


def nothing(name: str, outcome: str, reason: str, **changes: Any) -> ProbeRecord:
    """One probe that observed nothing."""
    return record(name, outcome, observed="", numbers={}, reference="", reason=reason, **changes)


PROBES = (
    record("threads.lazy-handed-over"),
    nothing(
        "threads.foreign-stream", "failed", "a worker process ended while it carried out 'probe' (exit status -11)"
    ),
    record(
        "timing.evaluated-twice", "failed", differs="An evaluation again was 77 ns to 690 ns before; here: 40.0 ms."
    ),
    nothing("timing.first-compile", "not-run", "there is no C++ compiler (g++)"),
)


def document(*probes: ProbeRecord, variables: dict[str, str] | None = None) -> DiagnosisDocument:
    """A diagnosis of these probes."""
    build = BuildRecord(
        mlx="0.32.4",
        backend="cpu",
        device="cpu",
        variables=variables or {},
        python="CPython 3.11.2",
        platform="Linux 6.1 x86_64",
        distributions={"mlx": "0.32.4", "mlx-cpu": "0.32.4"},
    )
    return DiagnosisDocument(
        tool=ToolRecord(name="placement", version="0"),
        build=build,
        probes=list(probes),
        exit=ExitRecord(code=130, name="interrupted"),
        diagnostics=[Diagnostic(level="warning", code="stopped", text="It was stopped: 1 probe was still to come.")],
    )


Report = Callable[..., str]


@pytest.fixture
def report(make_console: Callable[..., Console], read_console: Callable[[Console], str]) -> Report:
    """Prints a diagnosis on a console and returns the text."""

    def show(found: DiagnosisDocument, width: int = 80, printer: Any = print_probes, **console: Any) -> str:
        target = make_console(width, **console)
        printer(found, target)
        return read_console(target)

    return show


@pytest.mark.parametrize("width", WIDTHS)
def test_the_whole_report(report: Report, width: int, snapshot: SnapshotAssertion) -> None:
    """Build, groups, probes, what a reader should know, counts; no line is wider than the terminal."""
    text = report(document(*PROBES), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert text == snapshot


def test_outcomes_are_words_and_not_colours_alone(report: Report) -> None:
    """Piped text has no colour at all, a terminal has both."""
    piped, shown = report(document(*PROBES)), report(document(*PROBES), terminal=True)
    assert "\x1b" not in piped
    assert "\x1b[1;31mfailed" in shown
    for word in ("passed", "failed", "not run"):
        assert f"  {word}" in piped


def test_variables_that_alter_mlx_are_named(report: Report) -> None:
    """What was found holds with them set."""
    assert "with MLX_METAL_FAST_SYNCH=1" in report(document(variables={"MLX_METAL_FAST_SYNCH": "1"}), 120)


def test_few_words_are_a_line_a_probe(report: Report) -> None:
    """Outcome and id, with the reason where there is one; warnings and the counts at the end."""
    lines = report(document(*PROBES), printer=print_outcomes).splitlines()
    reasons = [f": {probe.reason}" if probe.reason else "" for probe in PROBES]
    assert [line.split("  ")[-1].strip() for line in lines[:4]] == [
        f"{probe.id}{reason}" for probe, reason in zip(PROBES, reasons, strict=True)
    ]
    assert lines[4:] == [
        "warning: It was stopped: 1 probe was still to come.",
        "4 probes: 1 passed, 2 failed, 1 not run",
    ]


def test_words_of_other_processes_are_data(report: Report) -> None:
    """Neither markup nor control codes of an error message get through."""
    text = report(document(nothing("timing.x", "failed", "it raised [red]\x1b[31mValueError[/red]")))
    assert "[red]" in text
    assert "\x1b" not in text


def test_the_list_names_probes_by_group(printed: Callable[..., str]) -> None:
    """Each with its claim and the symptoms that it bears on."""
    probes = [
        Probe(name, "It does.", lambda _: Observed(True, ""), ("timing", "memory"))
        for name in ("timing.x", "zero-size.y")
    ]
    words = " ".join("".join(printed(part, 40) for part in probe_list(probes)).split())
    said = "It does. bears on: timing, memory"
    assert words == f"timing timing.x {said} zero-size zero-size.y {said}"
