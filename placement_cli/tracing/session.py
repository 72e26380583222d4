"""Tracing in this process: hooks are put around everything, and taken away again."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakMethod

from placement_cli.tracing.clock_hooks import hook_clocks
from placement_cli.tracing.collecting import PAUSES
from placement_cli.tracing.costs import own_costs
from placement_cli.tracing.guard import guarded
from placement_cli.tracing.importing import when_imported
from placement_cli.tracing.mlx_hooks import hook_mlx
from placement_cli.tracing.numpy_hooks import hook_numpy, hook_protocols
from placement_cli.tracing.patches import Patches
from placement_cli.tracing.process_hooks import hook_process
from placement_cli.tracing.raw import RawProcess
from placement_cli.tracing.recorder import Recorder
from placement_cli.tracing.sampler import Sampler
from placement_cli.tracing.writing import process_of, text_of, write

MLX, NUMPY = "mlx.core", "numpy"


class Session:
    """One process that is traced; with a `folder` its record is written there."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._patches = Patches()
        self._costs: tuple[float, float] | None = None
        self._begin()

    def _begin(self) -> None:
        self.started_s = time.time()
        self._pid = os.getpid()
        self._name = f"{self._pid}-{time.time_ns()}.json"
        self.recorder = Recorder()
        self.sampler = Sampler(self.recorder, self._write_now)
        self._ended = False

    def start(self) -> None:
        """Put the hooks on: at once around what is imported, else as soon as it is."""
        hook_clocks(self.recorder, self._patches)
        hook_process(self.end, self.go_on, self._patches)
        self._forget = when_imported({MLX: self._mlx, NUMPY: self._numpy})
        os.register_at_fork(after_in_child=calling(WeakMethod(self._forked)))

    def _mlx(self, core: Any) -> None:
        put_on(self.recorder, hook_mlx, core, self.recorder, self._patches)
        put_on(self.recorder, hook_protocols, core.array, self.recorder, self._patches)
        self.sampler.start()

    def _numpy(self, numpy: Any) -> None:
        put_on(self.recorder, hook_numpy, numpy, self.recorder, self._patches)

    def exchange(self, skip: Callable[[ModuleType], bool]) -> None:
        """Put hooks in place of what modules imported by name before tracing began."""
        pairs = self._patches.pairs()
        for module in list(sys.modules.values()):
            if isinstance(module, ModuleType) and not skip(module):
                self._patches.exchange(vars(module), pairs)

    def _forked(self) -> None:
        """Begin a record of its own in a child process; hooks are inherited with the memory."""
        if self._ended or self._pid == os.getpid():
            return
        self._pid = os.getpid()
        self._name = f"{self._pid}-{time.time_ns()}.json"
        self.started_s = time.time()
        PAUSES.forked()
        self.recorder.forked()
        self.sampler.forked()

    def stop(self) -> RawProcess:
        """Take the hooks off, and return what was recorded."""
        self.sampler.stop()
        self._ended = True
        self.recorder.last_look()
        self._patches.restore([vars(each) for each in list(sys.modules.values()) if isinstance(each, ModuleType)])
        self._forget()
        self.recorder.rest()
        return self.process(ended=True)

    def process(self, *, ended: bool) -> RawProcess:
        """Return what was recorded until now."""
        if ended and self._costs is None and self.recorder.core is not None and self.recorder.is_used():
            self._costs = costs(self.recorder)
        return process_of(self.recorder, self.sampler, self.started_s, lambda: self._costs or (0.0, 0.0), ended=ended)

    def end(self) -> None:
        """Write the record for the last time: the process ends."""
        if self._ended or self.recorder.core is None or self._folder is None:
            return
        self._ended = True
        self.sampler.stop()
        self.recorder.last_look()
        self._write(ended=True)

    def go_on(self) -> None:
        """Record on: the process was to become another program, and did not."""
        if self._ended and self._folder is not None:
            self._ended = False
            self.sampler.start()

    def _write_now(self) -> None:
        if not self._ended and self._folder is not None:
            self._write(ended=False)

    def _write(self, *, ended: bool) -> None:
        assert self._folder is not None
        try:
            write(self._folder / self._name, text_of(self.process(ended=ended)))
        except Exception as error:  # noqa: BLE001 - a fault in watching must not reach the program
            self.recorder.unseen.add(f"The record could not be written ({type(error).__name__}: {error}).")


@guarded
def costs(recorder: Recorder) -> tuple[float, float]:
    """Return what recording costs."""
    return own_costs(recorder.core)


@guarded
def put_on(_recorder: Recorder, hook: Callable[..., None], *arguments: Any) -> None:
    """Put hooks on; importing a module must not fail where that does."""
    hook(*arguments)


def calling(method: WeakMethod[Callable[[], None]]) -> Callable[[], None]:
    """Return what calls a method as long as its object is there: Python never forgets what to do at a fork."""

    def call() -> None:
        there = method()
        if there is not None:
            there()

    return call
