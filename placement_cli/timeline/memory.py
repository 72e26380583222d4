"""How many bytes are in flight: what one message keeps until it is done, times the messages that are outstanding."""

from __future__ import annotations

import numpy as np

from placement_cli.timeline.play import Played
from placement_cli.timeline.program import Program, Vector
from placement_cli.timeline.schedule import WINDOW, Batch


def messages_ahead(program: Program, batch: Batch, played: Played, messages: int | None) -> Vector:
    """Return how many messages are outstanding at most, by placement.

    Where the device is slower than the host, the host runs ahead until the queue or a window holds it: after n
    messages by n * (1 - host / device), so a short run does not get that far. Where every message waits for its own
    values, or the host is the slower one, only what is being worked on is outstanding.
    """
    host = np.minimum(played.busy_s, played.period_s)
    lead = np.where(played.device_s > 0, 1.0 - host / np.maximum(played.device_s, 1e-300), 0.0)
    run = np.inf if messages is None else float(messages)
    reached = 1.0 + np.maximum(lead, 0.0) * run if np.isfinite(run) else np.where(lead > 0, np.inf, 1.0)
    bound = np.minimum(played.capacity, run)
    windows = np.where(batch.codes == WINDOW, batch.depths + 1.0, np.inf).min(axis=1, initial=np.inf)
    free = np.where(played.waited_s > 0, played.ahead, np.minimum(reached, np.maximum(bound, 1.0)))
    return np.asarray(np.minimum(windows, np.where(np.isfinite(windows), np.minimum(reached, windows), free)))


def in_flight_bytes(
    program: Program, batch: Batch, played: Played, source_bytes: float, messages: int | None
) -> Vector:
    """Return the most bytes in flight by placement; `source_bytes` are those of one message that comes in."""
    per_message = source_bytes + program.held_bytes.sum()
    return messages_ahead(program, batch, played, messages) * per_message
