"""How a worker is spoken to, and what it says when something goes wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from placement_cli.errors import InvalidMeasurement, UsageError
from placement_cli.measure.serving import refuse, serve


class Faulty:
    """A session whose commands are what it is told to raise or return."""

    def __init__(self, *outcomes: Mapping[str, Any] | Exception) -> None:
        self.outcomes = list(outcomes)

    def answer(self, _: Mapping[str, Any]) -> Mapping[str, Any]:
        """Raise or return the next outcome."""
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


class Polite:
    """A session that knows one command."""

    def answer(self, command: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answer `hello` with the name it was given."""
        return {"hello": lambda: {"name": command["name"]}}[command["do"]]()


HELLO = '{"do": "hello", "name": "é"}'


def replies_of(session: Any, *lines: str) -> list[dict[str, Any]]:
    """Serve these lines and return the replies."""
    replies = io.StringIO()
    serve(session, io.StringIO("".join(f"{line}\n" for line in lines)), replies)
    return [json.loads(line) for line in replies.getvalue().splitlines()]


def test_every_command_has_one_reply() -> None:
    """Commands are answered in turn until there are no more."""
    assert replies_of(Polite(), HELLO, HELLO) == [{"ok": True, "name": "é"}] * 2
    assert replies_of(Polite()) == []


def test_a_fault_becomes_a_reply() -> None:
    """Whatever a command raises is told, and the next one is still answered."""
    first, second = replies_of(Faulty(RuntimeError("no memory"), {"pid": 1}), "{}", "{}")
    assert first == {"ok": False, "error": "RuntimeError: no memory", "code": None}
    assert second == {"ok": True, "pid": 1}


@pytest.mark.parametrize("error", [UsageError("no such operator"), InvalidMeasurement("the clock stands still")])
def test_errors_for_people_carry_their_exit_code(error: Any) -> None:
    """The parent learns the words and the documented exit code."""
    assert replies_of(Faulty(error), "{}") == [{"ok": False, "error": str(error), "code": error.exit_code}]


@pytest.mark.parametrize("line", ["not JSON", "[]", "{}", "5", '{"do": "dance"}', '{"do": "hello"}'])
def test_what_is_no_command_is_told(line: str) -> None:
    """Anything else on the pipe gets a reply as well, and the worker goes on."""
    assert [reply["ok"] for reply in replies_of(Polite(), line, HELLO)] == [False, True]


def test_a_reply_that_json_cannot_hold_is_a_fault() -> None:
    """It is told like any other, and takes nothing down."""
    first, second = replies_of(Faulty({"value": object()}, {}), "{}", "{}")
    assert first["error"].startswith("TypeError")
    assert second["ok"]


def test_a_refused_device_answers_every_command_with_the_reason() -> None:
    """There is no device, and whoever asks for anything is told why."""
    replies = io.StringIO()
    refuse(UsageError("MLX has no GPU here."), io.StringIO('{"do": "hello"}\n{"do": "probe"}\n'), replies)
    refused = {"ok": False, "error": "MLX has no GPU here.", "code": 2}
    assert [json.loads(line) for line in replies.getvalue().splitlines()] == [refused, refused]
