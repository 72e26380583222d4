from __future__ import annotations

from placement_cli.blocks.wording import counted


def test_one_is_singular() -> None:
    """Only one of a thing is in the singular."""
    assert [counted(number, "block") for number in (0, 1, 2)] == ["0 blocks", "1 block", "2 blocks"]
