"""What a gate tells on the pages of GitHub Actions: one line a case that failed, is invalid or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from placement_cli.bench.figures import verdict_word
from placement_cli.bench.metrics import TITLES
from placement_cli.errors import InconclusiveResult
from placement_cli.export.outcomes import Compared, Outcome, outcomes
from placement_cli.export.plain_names import plain_line
from placement_cli.store.run_document import GateRecord, RunDocument
from placement_cli.units import format_ratio

Level = Literal["error", "warning"]
LEVELS: dict[Outcome, Level] = {Outcome.FAILED: "error", Outcome.INVALID: "error", Outcome.INCONCLUSIVE: "warning"}
"""What came of a comparison that can fail to the level it is told at."""
MOST = 10
"""GitHub shows this many annotations of a level for one step; the last says how many more there were."""
LONGEST_TEXT = 2_000
NO_ERROR = (0, InconclusiveResult.exit_code)
"""Exit codes of a gate that are told as warnings at most."""


def github_annotations(document: RunDocument) -> list[str]:
    """Return the lines that make GitHub show what a gate found; none without a gate, or when it passed cleanly.

    A gate that did not pass, and of which no case says why, has a line of its own; where the job fails for it, that is
    an error.
    """
    gate = document.gate
    if gate is None:
        return []
    told = [each for each in outcomes(document) if each.gated and each.outcome in LEVELS]
    errors, warnings = _of_level("error", told), _of_level("warning", told)
    if not errors and document.exit.code not in NO_ERROR:
        errors = [annotation("error", f"placement check: {document.exit.name}", gate.reason)]
    return [*errors, *warnings] or _unexplained(gate)


def annotation(level: str, title: str, text: str) -> str:
    """Return the line that makes GitHub show `text` under `title`; both may hold anything."""
    return f"::{level} title={_property(title)}::{_message(text)}"


def _of_level(level: str, told: Sequence[Compared]) -> list[str]:
    found = [each for each in told if LEVELS[each.outcome] == level]
    shown = found if len(found) <= MOST else found[: MOST - 1]
    lines = [annotation(level, _title(each), _said(each)) for each in shown]
    if len(found) > len(shown):
        lines.append(annotation(level, "placement check", f"{len(found) - len(shown)} more, in the summary."))
    return lines


def _unexplained(gate: GateRecord) -> list[str]:
    """Return the line of a gate that no case explains and that fails no job as an error, none when it passed."""
    return [] if gate.verdict == "passed" else [annotation("warning", f"placement check: {gate.verdict}", gate.reason)]


def _title(each: Compared) -> str:
    verdict = verdict_word(each.comparison) if each.comparison else "invalid"
    return f"placement check: {verdict}: {each.case.id}"


def _said(each: Compared) -> str:
    if each.comparison is None:
        return each.reason
    ratio = "" if each.comparison.ratio is None else f" {format_ratio(each.comparison.ratio)} times the base"
    return f"{TITLES.get(each.comparison.metric, each.comparison.metric)}{ratio}: {each.reason}"


def _message(text: str) -> str:
    return plain_line(text, LONGEST_TEXT).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
