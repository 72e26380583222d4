"""How many bytes are in flight: what one message keeps until it is done, times the messages that are outstanding."""

from __future__ import annotations

import numpy as np

from placement_cli.timeline.play import Played
from placement_cli.timeline.program import Program, Vector
from placement_cli.timeline.schedule import OFF, WINDOW, Batch


def messages_ahead(program: Program, batch: Batch, played: Played, messages: int | None) -> Vector:
    """Return how many messages are outstanding at most, by placement; at least one.

    Where the device is slower than the host, the host runs ahead until the queue or a window holds it: after n
    messages by n * (1 - host / device), so a short run does not get that far. Where every message waits for its own
    values, or the host is the slower one, only what is being worked on is outstanding. A source that paces itself
    holds the host just so. A program without nodes has one.
    """
    if not program.nodes:
        return np.ones(len(batch))
    host = np.maximum(np.minimum(played.busy_s, played.period_s), program.source_period_s or 0.0)
    works = played.device_s > 0
    lead = np.where(works, 1.0 - host / np.where(works, played.device_s, 1.0), 0.0)
    run = np.inf if messages is None else float(messages)
    reached = 1.0 + np.maximum(lead, 0.0) * run if np.isfinite(run) else np.where(lead > 0, np.inf, 1.0)
    windows = np.where(batch.codes == WINDOW, batch.depths + 1.0, np.inf).min(axis=1, initial=np.inf)
    free = np.where(played.waited_s > 0, played.ahead, np.minimum(reached, np.minimum(played.capacity, run)))
    held = np.where(np.isfinite(windows), np.minimum(reached, windows), free)
    if any(step.kind == "read" and step.period == 1 for step in program.steps):
        held = np.minimum(held, played.ahead)
    return np.asarray(np.maximum(1.0, held))


def in_flight_bytes(
    program: Program,
    batch: Batch,
    played: Played,
    *,
    source_bytes: float,
    kept_bytes: float = 0.0,
    fresh_bytes: float | None = None,
    messages: int | None = None,
) -> Vector:
    """Return the most bytes in flight by placement.

    `source_bytes` are those of one message that comes in, `kept_bytes` what whoever takes the output still has of the
    message before. Evaluation inside the code finds all values between still referred to, so each outstanding message
    keeps the `held_bytes` of every node. Where nothing is evaluated before it is read, the code has let go of them and
    MLX writes values into the buffers of others: `fresh_bytes` says what then remains (None: no less).
    """
    per_message = source_bytes + float(program.held_bytes.sum())
    found = messages_ahead(program, batch, played, messages) * per_message + kept_bytes
    if fresh_bytes is None:
        return np.asarray(found)
    nothing = (batch.codes == OFF).all(axis=1)
    return np.where(nothing, max(fresh_bytes, source_bytes + kept_bytes), found)
