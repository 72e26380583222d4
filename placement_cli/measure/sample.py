"""What one sample holds: the readings of one timed batch of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed batch of one arm. Times are of the whole batch, in seconds; bytes are MLX's counters.

    `dispatch_s` ends when the last call returned, `complete_s` when every output was there. `in_flight_bytes` is
    the peak above what was active before. `page_faults` are minor faults of the process during the batch.
    `host_cpu_s` is the CPU time of the submitting thread up to *dispatch*: what is missing there, it waited.
    Readings of single messages, in order, where the reading takes them: `latency_s` from message in to values
    out, `call_s` of each submission, `pending_ops` and `pending_bytes` after each message; `finish_s` is the time of
    evaluating what was left at the end, `free_share` the share of the paced time in which the host was idle,
    `missed` how many messages were later than one period, `stall_call` the number of the first call that blocked
    (0: none did).
    """

    messages: int
    dispatch_s: float
    complete_s: float
    in_flight_bytes: int = 0
    peak_bytes: int = 0
    active_bytes: int = 0
    cache_bytes: int = 0
    page_faults: int = 0
    host_cpu_s: float | None = None
    latency_s: Sequence[float] = ()
    call_s: Sequence[float] = ()
    pending_ops: Sequence[int] = ()
    pending_bytes: Sequence[int] = ()
    finish_s: float | None = None
    free_share: float | None = None
    missed: int | None = None
    stall_call: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the readings that were taken, as plain JSON values."""
        return {key: value for key, value in asdict(self).items() if value is not None and value != ()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sample:
        """Read what `to_json` wrote; keys of a newer minor version are ignored."""
        known = {key: value for key, value in data.items() if key in cls.__dataclass_fields__}
        return cls(**known)
