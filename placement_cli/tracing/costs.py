"""What recording costs: the hooks around something that does nothing, against the same without hooks."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from placement_cli.tracing.build_hooks import operation_hook
from placement_cli.tracing.patches import Unbound
from placement_cli.tracing.point_hooks import point_hook
from placement_cli.tracing.recorder import Recorder

CALLS, ROUNDS = 300, 5


def own_costs(core: Any) -> tuple[float, float]:
    """Return seconds that a recorded call takes, waiting or not, and a counted operation: medians of a few rounds."""
    recorder = Recorder()
    recorder.array = core.array
    recorder.local.state.window_left = 0
    recorder.places.adopt(_round.__code__)
    array = core.array(0.0)
    calls = [Unbound(point_hook(recorder, kind, f"mx.{kind}")(nothing)) for kind in ("eval", "async_eval")]
    operation = Unbound(operation_hook(recorder, "add")(nothing))
    return sum(_each(call, array) for call in calls) / len(calls), _each(operation, array)


def nothing(*arguments: Any, **options: Any) -> None:
    """Do nothing, as an evaluation of nothing would."""


def _each(hooked: Callable[..., Any], array: Any) -> float:
    rounds = []
    for _ in range(ROUNDS):
        bare, with_hook = _round(nothing, array), _round(hooked, array)
        rounds.append(max(0, with_hook - bare) / CALLS / 1e9)
    return sorted(rounds)[ROUNDS // 2]


def _round(call: Callable[..., Any], array: Any) -> int:
    start = perf_counter_ns()
    for _ in range(CALLS):
        call(array)
    return perf_counter_ns() - start
