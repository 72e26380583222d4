"""Advice for small graphs that are written out in the test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import dedent
from typing import Protocol

import pytest
from ruamel.yaml import YAML

from placement_cli.advice.advice import Advice, Finding
from placement_cli.advice.advising import advise
from placement_cli.advice.findings.facts import BlockGain
from placement_cli.advice.machine import Machine
from placement_cli.graph.document.reading import graph_of


class Advised(Protocol):
    """Makes advice from the text of a graph, its `version` left out."""

    def __call__(self, text: str, blocks: dict[str, BlockGain] | None = None) -> Advice:
        """Return the advice."""


@pytest.fixture
def advised(metal: Machine) -> Advised:
    """Return advice for a graph by the published figures."""

    def make(text: str, blocks: dict[str, BlockGain] | None = None) -> Advice:
        document = YAML(typ="safe").load(dedent(text))
        return advise(graph_of({"version": 1, "device": "gpu", **document}), metal, blocks=blocks)

    return make


@pytest.fixture
def told(advised: Advised) -> Callable[[str, str], Sequence[Finding]]:
    """Return the findings of one code for a graph."""
    return lambda code, text: [each for each in advised(text).findings if each.code == code]
