"""Globs over names of cases, arms and metrics."""

from __future__ import annotations

import pytest

from placement_cli.located.globs import glob_matches


@pytest.mark.parametrize(
    ("glob", "text", "does"),
    [
        ("chain[depth=*", "chain[depth=1]", True),
        ("chain[depth=1]", "chain[depth=1]", True),
        ("chain[dx]", "chaind", False),
        ("ch?in*", "chain[depth=1]", True),
        ("Chain*", "chain[depth=1]", False),
        ("chain", "chain[depth=1]", False),
    ],
)
def test_brackets_are_themselves(glob: str, text: str, does: bool) -> None:
    """Ids of cases hold them; a glob fits all of a name, in its own case."""
    assert glob_matches(glob, text) is does
