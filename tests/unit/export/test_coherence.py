"""Documents whose parts do not agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from placement_cli.export.coherence import contradiction
from placement_cli.store.run_document import RunDocument

SAMPLE = ("cases", 0, "blocks", 0, "samples", 0)


def test_real_forms_agree(document: RunDocument) -> None:
    """No small run is refused."""
    assert contradiction(document) == ""


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("cases", 1, "id"), "call-cost[chunk=16x16,ops=1]", "cases.1.id: another case has it"),
        (("cases", 0, "scenario"), "other", "cases.0.scenario: is not among"),
        (("cases", 0, "reading"), "other", "cases.0.reading: is no kind"),
        (("cases", 0, "base"), "other", "cases.0.base: is not among the arms"),
        (("cases", 0, "arms", "sync"), {}, "cases.0.arms: one has no mode"),
        (("cases", 0, "comparisons", 1, "new"), "other", "cases.0.comparisons.1: compares an arm"),
        (("cases", 0, "blocks", 0, "state", 0, "thermal"), ["hot"], "cases.0.blocks.0.state: holds a thermal"),
        ((*SAMPLE, "arm"), "other", "cases.0.blocks.0.samples.0.arm: "),
        ((*SAMPLE, "messages"), 0, "messages: a sample has one at least"),
        ((*SAMPLE, "complete_s"), -1.0, "complete_s: is no time"),
        ((*SAMPLE, "complete_s"), 1e300, "complete_s: is no time"),
        ((*SAMPLE, "latency_s"), [0.1, -0.1], "latency_s: is no time"),
        ((*SAMPLE, "peak_bytes"), 10**30, "peak_bytes: is no number"),
    ],
)
def test_the_first_contradiction_is_told(
    load_run_of: Callable[[str], RunDocument], place: tuple[str | int, ...], value: Any, told: str
) -> None:
    """With its place."""
    data = json.loads(load_run_of("burst").to_json())
    part = data
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    assert told in contradiction(RunDocument.model_validate(data))
