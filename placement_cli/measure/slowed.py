"""An arm made slower on purpose, by a known share of its own time: what a self-test must notice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from placement_cli.measure.rig import Rig


class SlowedRig(Rig):
    """A rig whose samples take `share` longer than they do by themselves, by a busy wait before the end."""

    def __init__(self, rig: Rig, share: float, now: Callable[[], float]) -> None:
        super().__init__(rig.run, rig.units, rig.device, rig.windows, rig.held)
        self._share, self._now, self._began = share, now, now()

    def feed(self, messages: Sequence[Any]) -> None:
        """Note when the messages began, and run them."""
        self._began = self._now()
        super().feed(messages)

    def finish(self) -> None:
        """Finish, then wait for the injected share of the time it all took."""
        super().finish()
        until = self._now() + self._share * (self._now() - self._began)
        while self._now() < until:
            pass
