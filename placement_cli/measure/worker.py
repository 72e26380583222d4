"""The worker process: builds one arm of a case and takes samples when told to.

How it is spoken to is in `serving`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from time import thread_time
from typing import Any

from placement_cli.device.clock import Clock, timer_resolution
from placement_cli.device.fence import test_fence as run_fence_test
from placement_cli.device.interface import Device
from placement_cli.measure.agreement import compare_with_reference
from placement_cli.measure.bare_loops import bare_bursts, bare_chain, paired_times
from placement_cli.measure.hold import Hold, make_hold
from placement_cli.measure.messages import cycle_messages, message_pool
from placement_cli.measure.readings.burst import BURST_MESSAGES, take_bursts
from placement_cli.measure.readings.instruments import Instruments
from placement_cli.measure.readings.paced import take_paced
from placement_cli.measure.readings.pending import take_pending
from placement_cli.measure.readings.queue import take_queue
from placement_cli.measure.readings.stream import take_stream
from placement_cli.measure.rig import Rig, build_rig, to_numpy
from placement_cli.measure.sample import Sample
from placement_cli.measure.serving import serve_device
from placement_cli.measure.slowed import SlowedRig
from placement_cli.measure.specs import Arm, ArmMode, Case, Reading
from placement_cli.measure.units import device_ops
from placement_cli.measure.unread import sink_modes

PROTOCOL = 1
"""Version of what this worker understands and answers: another build's workers are only driven where it is the same."""
LEAD_IN = 4
"""The messages before a sample are one in so many of the sample's own."""
HARNESS_MESSAGES = 480
"""Messages of one batch when the harness is compared with a loop written by hand."""


class Session:
    """What one worker does between the first command and the last."""

    def __init__(
        self,
        device: Device,
        clock: Clock,
        heavy: Callable[[], Callable[[], Any]],
        page_faults: Callable[[], int] | None = None,
        host_cpu: Callable[[], float] = thread_time,
    ) -> None:
        self._device, self._heavy = device, heavy
        self._instruments = Instruments(device, clock, page_faults or count_page_faults, host_cpu)
        self._rig: Rig | None = None
        self._hold: Hold | None = None

    def answer(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one command and return the reply."""
        verbs = {
            "hello": self._hello,
            "probe": self._probe,
            "calibrate": self._calibrate,
            "prepare": self._prepare,
            "sample": self._sample,
            "harness": self._harness,
            "drop": self._drop,
        }
        return verbs[command["do"]](command)

    def _hello(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "pid": os.getpid(),
            "device": self._device.name,
            "backend": self._device.backend,
            "timer_s": timer_resolution(self._instruments.clock),
            "empty_s": self._empty_sample(),
        }

    def _probe(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Say what the device is, and show that the fence really waits for it."""
        clock = self._instruments.clock
        fence = run_fence_test(self._device, self._heavy(), clock)
        return {
            "facts": self._device.facts(),
            "fence": {"ok": fence.ok, "ratio": fence.ratio, "problem": fence.problem},
        }

    def _empty_sample(self) -> float:
        """Time what a sample without messages costs: the floor under every sample."""
        now = self._instruments.clock.now
        times = []
        for _ in range(20):
            began = now()
            self._device.evaluate()
            self._device.synchronize()
            times.append(now() - began)
        return sorted(times)[len(times) // 2]

    def _calibrate(self, command: Mapping[str, Any]) -> dict[str, Any]:
        from placement_cli.operators.host import calibrate

        return {"amount": calibrate(command["kind"], command["length_s"], self._instruments.clock.now)}

    def _prepare(self, command: Mapping[str, Any]) -> dict[str, Any]:
        self._drop(command)
        case = self._case = Case.from_json(command["case"])
        arm = self._arm = Arm.from_json(command["arm"])
        self._pool = message_pool(case.pipeline.source, command["seed"])
        rig = build_rig(case, arm, self._device, command["seed"], command["amounts"], command.get("designs"))
        if arm.inject:
            rig = SlowedRig(rig, arm.inject, self._instruments.clock.now)
        self._rig = rig
        agreement = compare_with_reference(rig, self._pool, command["reference"], case.pipeline.source.dtype)
        rig.reset()
        if case.reading is Reading.QUEUE:
            self._hold = self._hold or make_hold(self._device, self._instruments.clock)
        gc.collect()
        gc.freeze()
        ops = device_ops(case.pipeline)
        queue_messages = self._device.queue_depth_messages(ops)
        self._burst = max(1, min(BURST_MESSAGES, queue_messages // 2))
        return {
            "ops": ops,
            "queue_messages": queue_messages,
            "pool": len(self._pool),
            "error": agreement.error,
            "agrees": agreement.agrees,
            "where": agreement.where,
        }

    def _sample(self, command: Mapping[str, Any]) -> dict[str, Any]:
        messages = cycle_messages(self._pool, command["messages"])
        gc.disable()
        try:
            self._lead_in(messages)
            return self._take(messages).to_json()
        finally:
            gc.enable()

    def _lead_in(self, messages: list[Any]) -> None:
        """Feed some messages untimed: another process ran since this one did, and caches and threads went cold.

        Without it a sample that follows one of the same worker is some 20 % faster where messages fit into a cache.
        """
        some = messages[: len(messages) // LEAD_IN]
        if some and self._rig is not None and self._case.reading in (Reading.STREAM, Reading.BURST):
            self._rig.feed(some)
            self._rig.finish()
            self._rig.let_go()

    def _take(self, messages: list[Any]) -> Sample:
        assert self._rig is not None, "prepare comes before sample"
        rig, instruments, case, arm = self._rig, self._instruments, self._case, self._arm
        match case.reading:
            case Reading.STREAM:
                return take_stream(rig, messages, instruments)
            case Reading.BURST:
                evaluates = arm.mode is not ArmMode.OFF or arm.values
                return take_bursts(rig, messages, self._burst, evaluates, instruments)
            case Reading.QUEUE:
                assert self._hold is not None, "prepare makes the hold"
                return take_queue(rig, messages, self._hold.make, self._hold.seconds, instruments)
            case Reading.PENDING:
                return take_pending(rig, messages, instruments)
            case Reading.PACED:
                read = to_numpy(case.pipeline.source.dtype)
                return take_paced(rig, messages, case.rate, sink_modes(arm, case.pipeline), read, instruments)

    def _harness(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Time the prepared arm with the tool and by hand, in turn; seconds a message of each pair."""
        assert self._rig is not None, "prepare comes before harness"
        messages = cycle_messages(self._pool, HARNESS_MESSAGES)
        steps = [unit.step for unit in self._rig.units.values()]

        def by_tool() -> float:
            sample = self._take(messages)
            return sample.dispatch_s if self._case.reading is Reading.BURST else sample.complete_s

        def by_hand() -> float:
            if self._case.reading is Reading.BURST:
                return bare_bursts(messages, self._burst)
            return bare_chain(steps, messages)

        pairs = paired_times(by_tool, by_hand, tool_first=command["tool_first"])
        return {"pairs": [[tool / len(messages), bare / len(messages)] for tool, bare in pairs]}

    def _drop(self, _: Mapping[str, Any]) -> dict[str, Any]:
        self._rig = None
        gc.unfreeze()
        gc.collect()
        self._device.synchronize()
        self._device.clear_cache()
        return {}


def count_page_faults() -> int:
    """Return the minor page faults of this process so far."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


if __name__ == "__main__":
    serve_device(Session, sys.argv[1:])
