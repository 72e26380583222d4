"""What each part of a message costs: building, host work, counts and bytes, with the device as far as it shows."""

from __future__ import annotations

from collections.abc import Mapping

from placement_cli.diagnose.graph.device_times import DeviceTime
from placement_cli.diagnose.graph.message import Timing
from placement_cli.diagnose.graph.operations import is_view, runs_kernel
from placement_cli.diagnose.graph.parts import Part
from placement_cli.diagnose.graph.wiring import Wiring
from placement_cli.graph.document.node_schema import MAX_COUNT
from placement_cli.graph.document.scalars import LONGEST_DURATION_S
from placement_cli.graph.graph import Costs
from placement_cli.units import MAX_SIZE

LEAST_HOST_S = 1e-6
"""Less host time than this on an MLX node is not worth a number."""


def part_costs(wiring: Wiring, timing: Timing, devices: Mapping[int, DeviceTime], *, paced: bool) -> list[Costs]:
    """Return the costs of every part, in the order of the parts; with `paced` the wait for a message is no work."""
    hosts = _host_times(wiring, timing, paced=paced)
    return [_costs(part, wiring, timing, devices.get(part.number), hosts) for part in wiring.parts.parts]


def _costs(part: Part, wiring: Wiring, timing: Timing, device: DeviceTime | None, hosts: Mapping[int, float]) -> Costs:
    if part.host:
        return Costs(host_s=_seconds(hosts[part.number]) if part.number in hosts else None)
    host_s = hosts.get(part.number, 0.0)
    ops = [wiring.message.window.op(index) for index in part.ops]
    weights = sum(wiring.constants.get(part.number, {}).values())
    made = [op.bytes for op in ops[:-1] if not is_view(op)]
    return Costs(
        build_s=_seconds(sum(timing.took[index] for index in part.ops)),
        device_s=None if device is None else _seconds(device.seconds),
        host_s=_seconds(host_s) if host_s >= LEAST_HOST_S else None,
        ops=min(len(ops), MAX_COUNT),
        kernels=min(sum(runs_kernel(op) for op in ops), MAX_COUNT),
        output_bytes=_size(ops[-1].bytes),
        intermediates_bytes=_size(sum(made)),
        weights_bytes=_size(weights) if weights else None,
    )


def _host_times(wiring: Wiring, timing: Timing, *, paced: bool) -> dict[int, float]:
    """Return the time on the host besides building, by part.

    A pause goes to the part that read values before it, else to the one that builds then; what it takes to bring the
    message in goes to the first part that builds. Between messages a thread that does not pace itself waits.
    """
    message, owner = wiring.message, wiring.parts.owner
    first = next((part.number for part in wiring.parts.parts if not part.host), None)
    read_before: dict[str, int | None] = {}
    building: dict[str, int] = {}
    found: dict[int, float] = {}
    for index in message.indices:
        record = message.record(index)
        begins = record.thread not in read_before
        reader = _closing_read(wiring, record.thread) if begins else read_before[record.thread]
        builds = owner.get(index, first) if record.op is not None else building.get(record.thread, first)
        to = reader if reader is not None else builds
        waits = begins and (paced or (message.main is not None and record.thread != message.main.thread))
        if to is not None and not waits:
            found[to] = found.get(to, 0.0) + timing.before[index]
        if index in wiring.sources and first is not None:
            found[first] = found.get(first, 0.0) + timing.took[index]
        read_before[record.thread] = owner.get(index) if record.op is None else None
        if record.op is not None and builds is not None:
            building[record.thread] = builds
    return found


def _closing_read(wiring: Wiring, thread: str) -> int | None:
    """Return the part that read values at the end of the message before in this thread, if the last call was a read."""
    message = wiring.message
    if message.main is None:
        return None
    own = [index for index in message.indices if message.record(index).thread == thread]
    end = own[-1]
    return wiring.parts.owner.get(end) if message.record(end).op is None else None


def _seconds(seconds: float) -> float:
    """Return a duration as documents take it, to four digits."""
    return float(f"{min(max(seconds, 0.0), LONGEST_DURATION_S):.4g}")


def _size(size: int) -> int:
    return min(max(size, 0), MAX_SIZE)
