"""How a worker process is spoken to: JSON, one object a line, commands on stdin and one reply each on stdout.

Whatever a library prints goes to stderr. A worker ends when stdin closes, so none outlives a killed parent.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TextIO

from placement_cli.device.clock import Clock, SystemClock
from placement_cli.device.interface import Device
from placement_cli.errors import PlacementError


class Answering(Protocol):
    """What carries out the commands of a worker."""

    def answer(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one command and return the reply; `command["do"]` names it."""


def serve(session: Answering, commands: TextIO, replies: TextIO) -> None:
    """Answer commands until there are no more; a fault becomes a reply, and the next command is still answered."""
    for line in commands:
        try:
            reply = json.dumps({"ok": True, **session.answer(json.loads(line))})
        except PlacementError as error:
            reply = json.dumps({"ok": False, "error": str(error), "code": error.exit_code})
        except Exception as error:  # noqa: BLE001 - whatever a case raises is reported to the parent
            reply = json.dumps({"ok": False, "error": f"{type(error).__name__}: {error}", "code": None})
        replies.write(reply + "\n")
        replies.flush()


def refuse(error: PlacementError, commands: TextIO, replies: TextIO) -> None:
    """Answer every command with the reason why there is no device."""
    for _ in commands:
        replies.write(json.dumps({"ok": False, "error": str(error), "code": error.exit_code}) + "\n")
        replies.flush()


def serve_process(open_session: Callable[[], Answering]) -> None:
    """Be a worker: answer on this process's stdin and stdout with the session that `open_session` returns.

    Ctrl-C is left to the parent. When the session cannot be opened every command is answered with the reason.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        session = open_session()
    except PlacementError as error:
        refuse(error, sys.stdin, replies)
        return
    serve(session, sys.stdin, replies)


Heavy = Callable[[], Callable[[], Any]]
"""Returns what makes work that takes long enough to tell whether a fence waits for it."""


def serve_device(make: Callable[[Device, Clock, Heavy], Answering], arguments: Sequence[str]) -> None:
    """Be a worker on the device named by the first argument (`gpu`, `cpu`, or nothing for MLX's default)."""
    from placement_cli.device.mlx_device import heavy_work, open_device

    def open_session() -> Answering:
        device = open_device(arguments[0] if arguments else None)
        return make(device, SystemClock(), lambda: heavy_work(device))

    serve_process(open_session)
