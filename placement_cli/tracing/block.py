"""Tracing a part of a program from within: `with tracing() as traced:`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from placement_cli.tracing.raw import RawProcess
from placement_cli.tracing.session import Session

NOT_OURS_TO_CHANGE = ("placement_cli", "importlib", "_frozen_importlib")


class Traced:
    """A part of a program that is being traced, or was: `process` is there afterwards."""

    def __init__(self) -> None:
        self.process: RawProcess | None = None


@contextmanager
def tracing() -> Iterator[Traced]:
    """Record what the code inside does with MLX, in all threads of this process.

    Names that modules imported before (`from mlx.core import eval`) are exchanged, too, and put back at the end. Where
    the whole program is traced already, that goes on, and `process` stays None.
    """
    traced = Traced()
    if is_traced():
        yield traced
        return
    session = Session(None)
    session.start()
    session.exchange(skip=_is_foreign)
    try:
        yield traced
    finally:
        traced.process = session.stop()


def is_traced() -> bool:
    """Tell whether MLX's functions carry hooks already."""
    core = sys.modules.get("mlx.core")
    return core is not None and hasattr(core.eval, "__wrapped__")


def _is_foreign(module: ModuleType) -> bool:
    return module.__name__.startswith(NOT_OURS_TO_CHANGE)
