"""The record of this process as a document, written whole again and again.

While the process runs single events and operations are left out: they are most of the record, and writing takes time
from the program.
"""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import perf_counter_ns
from typing import Any

from placement_cli.tracing.places import HIDDEN, PROGRAM, Places
from placement_cli.tracing.raw import (
    Place,
    RawBuild,
    RawCompiled,
    RawCost,
    RawError,
    RawEvent,
    RawProcess,
    RawStep,
    RawUncaught,
)
from placement_cli.tracing.recorder import Recorder
from placement_cli.tracing.sampler import Sampler

NAMES_AT_MOST = 8
MESSAGE_AT_MOST = 500
VARIABLE_MARKS = ("MLX_", "MTL_", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""How environment variables begin that alter what MLX does."""


def process_of(
    recorder: Recorder, sampler: Sampler, started_s: float, costs: Callable[[], tuple[float, float]], *, ended: bool
) -> RawProcess:
    """Return what is known of this process until now; `costs` are seconds a recorded call and a counted operation."""
    known = recorder.places.known
    lazy, kept = recorder.looks.raw(known) if recorder.looks is not None else ([], [])
    states = list(recorder.states)
    defaults = {state.name: state.default for state in states}
    return RawProcess(
        os.getpid(),
        os.getppid(),
        tuple(sys.orig_argv),
        started_s,
        (perf_counter_ns() - recorder.origin) / 1e9,
        ended,
        platform.python_version(),
        getattr(recorder.core, "__version__", ""),
        *_device(recorder.core),
        {name: value for name, value in sorted(os.environ.items()) if name.startswith(VARIABLE_MARKS)},
        _cost(recorder, sampler, costs),
        tuple(
            point.raw(known[point.place], recorder.origin, defaults.get(point.thread, ""))
            for point in list(recorder.points)
        ),
        _steps(recorder),
        _builds(recorder),
        tuple(each for state in states for each in state.clocks.raw(known, state.name)),
        tuple(lazy),
        tuple(kept),
        tuple(each for state in states for each in state.streams.raw(known, state.name, state.default, ended=ended)),
        _errors(recorder),
        tuple(
            RawCompiled(name, known[place], calls, traces)
            for name, place, calls, traces in list(recorder.compiled.values())
        ),
        tuple(sampler.samples),
        tuple(
            RawEvent((at - recorder.origin) / 1e9, took / 1e9, point, window, arrays)
            for at, took, point, (window, arrays) in (list(recorder.events) if ended else ())
        ),
        sum(point.count for point in list(recorder.points)) - (len(recorder.events) if ended else 0),
        recorder.windows.raw(known) if ended else (),
        recorder.looks.live if recorder.looks is not None else None,
        uncaught_of(recorder.places) if ended else None,
        tuple(sorted(recorder.unseen)),
    )


def uncaught_of(places: Places) -> RawUncaught | None:
    """Return the exception that Python has just reported as uncaught, if there is one."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    at = getattr(error, "__traceback__", None)
    if not isinstance(error, BaseException) or at is None:
        return None
    own, by_mlx = at, False
    while at is not None:
        code = at.tb_frame.f_code
        owner = places.owner(code)
        own = at if owner == PROGRAM else own
        by_mlx = owner == HIDDEN
        at = at.tb_next
    code = own.tb_frame.f_code
    place = Place(code.co_filename, own.tb_lineno or code.co_firstlineno, code.co_qualname)
    message = ""
    with suppress(Exception):  # An exception of the program says of itself what it likes.
        message = str(error)[:MESSAGE_AT_MOST]
    return RawUncaught(type(error).__name__, message, place, by_mlx)


def _steps(recorder: Recorder) -> tuple[RawStep, ...]:
    return tuple(
        RawStep(point.index, after, count, ops, host / 1e9, same)
        for point in list(recorder.points)
        for after, (count, ops, host, same) in list(point.after.items())
    )


def _device(core: Any) -> tuple[str, str]:
    """Return the default device and the backend that runs it."""
    if core is None:
        return "", ""
    device = core.default_device()
    if device.type == core.cpu:
        return str(device), "cpu"
    return str(device), "metal" if core.metal.is_available() else "cuda"


def _builds(recorder: Recorder) -> tuple[RawBuild, ...]:
    known = recorder.places.known
    return tuple(
        RawBuild(
            known[place],
            state.name,
            build.ops,
            build.sampled,
            tuple(sorted(build.names, key=build.names.__getitem__, reverse=True)[:NAMES_AT_MOST]),
        )
        for state in list(recorder.states)
        for place, build in list(state.builds.items())
    )


def _errors(recorder: Recorder) -> tuple[RawError, ...]:
    found = []
    for (index, kind, message), (count, at) in list(recorder.errors.items()):
        point = recorder.points[index]
        place = recorder.places.known[point.place]
        found.append(RawError(point.kind, place, point.thread, kind, message, count, at / 1e9))
    return tuple(found)


def _cost(recorder: Recorder, sampler: Sampler, costs: Callable[[], tuple[float, float]]) -> RawCost:
    call_s, op_s = costs()
    # A read of a clock costs about what a call costs.
    calls = sum(point.count for point in list(recorder.points)) + recorder.clock_reads
    ops = sum(state.ops for state in list(recorder.states))
    return RawCost(call_s, op_s, calls, ops, recorder.looks_ns / 1e9, sampler.spent_ns / 1e9)


def text_of(process: RawProcess) -> str:
    """Return the record as JSON text."""
    return json.dumps(plain(process), allow_nan=False)


def plain(value: Any) -> Any:
    """Return a record as what JSON knows: dataclasses.asdict does the same, in several times the time."""
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in names_of(type(value))}
    return value


@cache
def names_of(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of a record's fields."""
    return tuple(field.name for field in dataclasses.fields(kind))


def write(path: Path, text: str) -> None:
    """Write a record so that a reader sees the old one or the new one."""
    beside = path.with_suffix(".part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
