"""A record is written before a process ends without clean-up or becomes another program."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from placement_cli.tracing.patches import Patches
from placement_cli.tracing.process_hooks import hook_process


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What happened in its order, with ends of this process that only say so."""
    happened: list[Any] = []

    def ends(*arguments: Any) -> None:
        happened.append(arguments)
        if arguments[0] == "absent":
            raise FileNotFoundError(arguments[0])

    for name in ("_exit", "execv", "execve"):
        monkeypatch.setattr(os, name, ends)
    patches = Patches()
    hook_process(lambda: happened.append("written"), lambda: happened.append("on"), patches)
    yield happened
    patches.restore()
    assert os.execv is ends


def test_the_record_is_written_first(told: list[Any]) -> None:
    """Then the process ends as it was asked to."""
    os._exit(3)
    assert told == ["written", (3,)]


def test_every_way_to_another_program_leads_there(told: list[Any]) -> None:
    """They are made of two."""
    with pytest.raises(FileNotFoundError):
        os.execl("absent", "absent")
    with pytest.raises(FileNotFoundError):
        os.execve("absent", ["absent"], {})
    assert told == ["written", ("absent", ("absent",)), "on", "written", ("absent", ["absent"], {}), "on"]
