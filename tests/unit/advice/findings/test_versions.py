"""Which version of MLX comes first."""

from __future__ import annotations

import pytest

from placement_cli.advice.findings.versions import before


@pytest.mark.parametrize(
    ("version", "first", "older"),
    [
        ("0.32.3", (0, 32, 4), True),
        ("0.32.4", (0, 32, 4), False),
        ("0.32.10", (0, 32, 4), False),
        ("0.31", (0, 31, 2), True),
        ("1.0", (0, 32, 4), False),
        ("0.32.4.dev2", (0, 32, 4), False),
        (None, (0, 32, 4), True),
        ("main", (0, 32, 4), True),
        ("9" * 30, (0, 32, 4), False),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str | None, first: tuple[int, ...], older: bool) -> None:
    """One that is not stated counts as old, so that nothing is taken for granted."""
    assert before(version, first) == older
