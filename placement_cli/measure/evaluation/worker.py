"""The worker process of experiments: it says what the device is, and carries out one experiment after another.

How it is spoken to is in `measure.serving`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from placement_cli.device.clock import Clock
from placement_cli.device.fence import test_fence as run_fence_test
from placement_cli.device.interface import Device
from placement_cli.measure.evaluation.experiments import run_experiment
from placement_cli.measure.serving import serve_device


class Session:
    """What one worker does between the first command and the last."""

    def __init__(self, device: Device, clock: Clock, heavy: Callable[[], Callable[[], Any]]) -> None:
        self._device, self._clock, self._heavy = device, clock, heavy

    def answer(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one command, `hello` or `experiment`, and return the reply."""
        verbs = {"hello": self._hello, "experiment": self._experiment}
        return verbs[command["do"]](command)

    def _hello(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Say what the device is, and show that the fence really waits for it."""
        fence = run_fence_test(self._device, self._heavy(), self._clock)
        return {
            "pid": os.getpid(),
            "device": self._device.name,
            "backend": self._device.backend,
            "facts": self._device.facts(),
            "fence": {"ok": fence.ok, "ratio": fence.ratio, "problem": fence.problem},
        }

    def _experiment(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out the experiment `name` in the order drawn from `seed`, within `budget_s` where it is given."""
        found = run_experiment(command["name"], self._device, self._clock, command["seed"], command.get("budget_s"))
        self._device.synchronize()
        self._device.clear_cache()
        return {"observations": [observation.to_json() for observation in found]}


if __name__ == "__main__":
    serve_device(Session, sys.argv[1:])
