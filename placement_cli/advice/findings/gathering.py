"""Keeps the list of findings readable: many of one kind become a few and a count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from placement_cli.advice.advice import SEVERITIES, Finding
from placement_cli.advice.findings.facts import finding, listed
from placement_cli.advice.thresholds import MOST_OF_A_CODE


def gathered(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by severity, then by code; of more than `MOST_OF_A_CODE` of one kind the rest are one."""
    kinds: dict[tuple[int, str], list[Finding]] = {}
    for each in findings:
        kinds.setdefault((SEVERITIES.index(each.severity), each.code), []).append(each)
    return [each for kind in sorted(kinds) for each in _some(kinds[kind])]


def _some(alike: Sequence[Finding]) -> list[Finding]:
    if len(alike) <= MOST_OF_A_CODE:
        return list(alike)
    kept, rest = alike[: MOST_OF_A_CODE - 1], alike[MOST_OF_A_CODE - 1 :]
    names = [each.node for each in rest if each.node is not None]
    first = rest[0]
    says = f"The same in {len(rest)} more places: {listed(names)}."
    return [*kept, finding(first.code, None, first.severity, says, first.fix, places=float(len(rest)))]
