"""The modes and how they may be written."""

from __future__ import annotations

import enum
import pickle

import pytest

from placement_cli.materialize import MaterializeMode


class ForeignMode(str, enum.Enum):  # noqa: UP042 - stands for the enum of ezmsg-sigproc, which is this kind
    """The modes as another package has them."""

    SYNC = "sync"
    LATER = "later"


def test_modes_have_the_values_of_ezmsg_sigproc() -> None:
    """Settings written for ezmsg-sigproc keep their meaning."""
    assert {mode.name: mode.value for mode in MaterializeMode} == {
        "SYNC": "sync",
        "ASYNC": "async",
        "OFF": "off",
    }


@pytest.mark.parametrize("written", ["sync", MaterializeMode.SYNC, ForeignMode.SYNC])
def test_a_mode_may_be_written_as_value_or_member(written: str) -> None:
    """A value, a member and the member of another package's enum all mean the same mode."""
    assert MaterializeMode(written) is MaterializeMode.SYNC


@pytest.mark.parametrize("wrong", ["SYNC", "", "sync ", "window:2", None, 1, True, [], ForeignMode.LATER])
def test_anything_else_is_refused_with_the_modes_there_are(wrong: object) -> None:
    """A wrong mode raises ValueError that lists the right ones."""
    with pytest.raises(ValueError, match="the modes are 'sync', 'async', 'off'"):
        MaterializeMode(wrong)


def test_an_endless_wrong_mode_gives_a_short_message() -> None:
    """The message does not repeat a long text."""
    with pytest.raises(ValueError, match="not a mode") as caught:
        MaterializeMode("x" * 100_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("mode", MaterializeMode)
def test_modes_survive_pickling(mode: MaterializeMode) -> None:
    """A mode sent to another process comes back as the same member."""
    assert pickle.loads(pickle.dumps(mode)) is mode
