"""Graphs of real people and made-up ones, against the advice that is right for them (tests/data/cases)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from placement_cli.advice.advice import Advice, ProfileUse
from placement_cli.advice.advising import advise
from placement_cli.advice.findings.facts import BlockGain
from placement_cli.advice.machine import machine_of
from placement_cli.graph.document.reading import graph_of
from placement_cli.graph.mode import Mode
from placement_cli.planning.graph_blocks import blocks_worth
from placement_cli.planning.graph_profile import Here, profile_for

CASES = Path(__file__).parents[2] / "data" / "cases"
FILES = sorted(CASES.rglob("*.yaml"))
ELSEWHERE = Here(has_gpu=lambda: False, folder=lambda: CASES / "no profile is saved here")
"""A machine without a GPU on which nothing was measured: shipped constants stand in."""


def advice_for(document: Mapping[str, Any]) -> Advice:
    """Return what the command would advise for a graph, on any machine."""
    graph = graph_of(document)
    chosen = profile_for(graph, None, ELSEWHERE)
    use = ProfileUse(chosen.profile.name, chosen.confidence, chosen.why, chosen.profile.provenance)
    worth = blocks_worth(graph, CASES, chosen.kind, here=False)
    blocks = {name: BlockGain(each.gain, each.formulation, each.basis) for name, each in worth.items()}
    return advise(graph, machine_of(chosen.profile, chosen.kind, use), blocks=blocks)


def wrong(advice: Advice, expect: Mapping[str, Any]) -> list[str]:
    """Return what is not as a case expects it, in sentences."""
    codes = {each.code for each in advice.findings} | {f"{each.code}@{each.node}" for each in advice.findings}
    found = [f"{code} is not found" for code in expect.get("findings", ()) if code not in codes]
    found += [f"{code} is a false alarm" for code in expect.get("absent", ()) if code in codes]
    found += [
        f"{mode} at {name} is not right"
        for name, right in expect.get("placement", {}).items()
        if not among(mode := advice.placement[name], right)
    ]
    found += [
        f"{mode} at {name} is forbidden"
        for name, forbidden in expect.get("forbid", {}).items()
        if among(mode := advice.placement[name], forbidden)
    ]
    if "ratio" in expect and not expect["ratio"]["min"] <= ratio(advice) <= expect["ratio"]["max"]:
        found.append(f"{ratio(advice):.3f} times the speed is promised")
    if expect.get("confidence") == "low" and "PL902" not in codes:
        found.append("the advice is too sure")
    return found


def among(mode: Mode, words: str | list[str]) -> bool:
    """Whether a mode is one of some; `window` stands for every `window:K`, `every` for every `every:K`."""
    known = [words] if isinstance(words, str) else words
    return str(mode) in known or str(mode.kind) in known


def ratio(advice: Advice) -> float:
    """Return time per message today over time as advised, as predicted."""
    today = next(each for each in advice.alternatives if each.name == "current")
    return today.predicted.period_s.value / advice.predicted.period_s.value


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_case_gets_the_advice_that_is_right_for_it(path: Path) -> None:
    """Findings, placement, and the gain promised; false alarms count as much as what is missed."""
    case = YAML(typ="safe").load(path)
    assert wrong(advice_for(case["graph"]), case["expect"]) == []


def test_every_case_says_where_it_is_from_and_what_is_right() -> None:
    """Cases are read by people: who had the graph, what happened, and what they should have been told."""
    cases = {path.name: YAML(typ="safe").load(path) for path in FILES}
    assert len(cases) > 40
    assert [
        name for name, case in cases.items() if not {"case", "source", "says", "graph", "expect"} <= set(case)
    ] == []
