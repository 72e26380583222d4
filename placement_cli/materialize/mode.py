"""The three things an evaluation point can do to one message."""

from __future__ import annotations

import reprlib
from enum import Enum


class MaterializeMode(str, Enum):  # noqa: UP042 - str() of a member stays what it is in ezmsg-sigproc
    """What an evaluation point does, with the names and values of `ezmsg.sigproc.materialize`.

    A mode may be written as its value ("sync") wherever a mode is taken; a member of another string enum
    with the same value, such as that of ezmsg-sigproc, is taken too. Anything else raises ValueError.
    """

    SYNC = "sync"
    """Evaluate and wait until the values are there (`mx.eval`).

    The strongest promise and the dearest: the calling thread pays the whole round trip to the device, even
    for a tiny array. For when the host reads the values next, or when their time is to be counted here. It
    holds on every backend: `eval` waits for the event of its outputs (mlx/transforms.cpp, `eval`).
    """

    ASYNC = "async"
    """Hand the work to the device and go on (`mx.async_eval`).

    The graph is cut exactly as with SYNC, because arrays let go of their inputs when they are scheduled and
    not when they are done (mlx/transforms.cpp, `eval_impl`): the graph does not grow. The values are not
    there yet. How far the host may run ahead differs. The CPU backend blocks the call at about 100
    outstanding dispatches (`MAX_ACTIVE_TASKS` in mlx/transforms.cpp, `DISPATCHES_PER_TASK` in
    mlx/backend/cpu/encoder.h). On Metal short messages meet no limit of MLX, only that of the command queue
    of the stream: 64 buffers, which is about as many evaluations. On CUDA they meet none of MLX. Every
    message in between holds its memory. `RunAheadWindow` gives one bound everywhere.
    """

    OFF = "off"
    """Do nothing: right where something downstream reads the values on every cycle anyway.

    It promises nothing. A carried state that no evaluated array depends on keeps its whole graph, on every
    backend.
    """

    @classmethod
    def _missing_(cls, value: object) -> MaterializeMode:
        for mode in cls:
            if isinstance(value, str) and mode.value == value:
                return mode
        known = ", ".join(repr(mode.value) for mode in cls)
        raise ValueError(f"{reprlib.repr(value)} is not a mode of evaluation; the modes are {known}")
