"""Programs do under tracing what they do without it, also in ways that few programs go."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np

from placement_cli.tracing.raw import RawProcess

Traced = Callable[[Callable[[], Any]], RawProcess]


def test_functions_in_a_class_take_no_instance(traced: Traced) -> None:
    """As functions written in C do: a class may hold a clock, an activation or a compiled function."""

    def main() -> None:
        class Layer:
            clock = time.perf_counter
            activation = mx.tanh
            convert = np.asarray
            compiled = mx.compile(lambda x: x * 2)

        layer, x = Layer(), mx.ones(3)
        assert layer.clock() > 0
        assert layer.activation(x).shape == (3,)
        assert layer.convert(x).shape == (3,)
        assert layer.compiled(x).tolist() == [2, 2, 2]

    traced(main)


def test_a_function_that_nobody_in_python_calls_works(interpret: Callable[..., Any]) -> None:
    """Such as an atexit callback: no frame is below it."""
    done = interpret(
        "import atexit, mlx.core as mx\n"
        "mx.eval(mx.zeros(1) + 1)\n"
        "for call in (mx.synchronize, mx.clear_cache, mx.eval): atexit.register(call)\n"
        "atexit.register(mx.random.key, 7)\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_code_that_is_evaluated_keeps_its_variables(traced: Traced) -> None:
    """It runs in what Python keeps of a function's variables, which looks must leave as it is."""
    results: list[float] = []

    def main() -> None:
        x, offset = mx.ones(4), 3
        exec("left = 41")
        for _ in range(60):
            results.append(eval("mx.sum(mx.tanh(x)).item() * 0 + offset", {"mx": mx}, {"x": x, "offset": offset}))
            results.append(eval("mx.sum(mx.tanh(x)).item() * 0 + offset"))
        results.append(eval("left"))

    traced(main)
    assert set(results) == {3.0, 41}


def test_finalizers_may_use_mlx_at_any_moment(traced: Traced) -> None:
    """Also while a hook holds what only one may hold at a time."""

    class Last:
        def __init__(self) -> None:
            self.itself, self.array = self, mx.ones(3) + 1

        def __del__(self) -> None:
            mx.eval(self.array)
            mx.synchronize()

    def main() -> None:
        before = gc.get_threshold()
        gc.set_threshold(5)
        try:
            for _ in range(300):
                Last()
                mx.synchronize()
        finally:
            gc.set_threshold(*before)

    assert sum(point.count for point in traced(main).points) >= 300


def test_code_that_is_made_anew_each_time_is_one_place(traced: Traced) -> None:
    """A record does not grow with every call of `eval`."""

    def main() -> None:
        for _ in range(50):
            exec("mx.eval(mx.zeros(1) + 1)", {"mx": mx})

    (point,) = traced(main).points
    assert point.count == 50
