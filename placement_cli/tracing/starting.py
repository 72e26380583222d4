"""Beginning to trace a process at its very start."""

from __future__ import annotations

import atexit
import signal
import threading
from pathlib import Path

from placement_cli.tracing.session import Session


def start(folder: str) -> Session:
    """Trace this process from now on, and write its record into `folder`."""
    session = Session(Path(folder))
    session.start()
    atexit.register(_end, session)
    return session


def _end(session: Session) -> None:
    """Write the record; a Ctrl-C that comes now must not end that."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    session.end()
