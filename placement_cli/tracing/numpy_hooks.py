"""What is put around NumPy: conversions and functions that read the values of MLX's arrays.

NumPy asks an array for its buffer, which no attribute of the array stands for. Seen are the functions that convert,
and through NumPy's own protocols for foreign arrays (NEP 13 and NEP 18) ufuncs and the functions that dispatch. Both
protocols are answered with what NumPy would have done without them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from placement_cli.tracing.patches import Patches
from placement_cli.tracing.point_hooks import point_hook
from placement_cli.tracing.recorder import Recorder

CONVERSIONS = ("asarray", "array", "asanyarray", "ascontiguousarray", "copy", "asfortranarray")
NO_PLACE = object()
"""Stands for an array of MLX where NumPy takes none, as the place of a result: NumPy says so itself."""


def hook_numpy(numpy: Any, recorder: Recorder, patches: Patches) -> None:
    """Put hooks around NumPy's conversions, wherever NumPy itself has a name for them."""
    for name in CONVERSIONS:
        original = getattr(numpy, name)
        patches.replace(numpy, name, point_hook(recorder, "numpy", f"numpy.{name}", first_only=True, foreign=True))
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith("numpy.") and vars(module).get(name) is original:
                patches.exchange(vars(module), [(original, getattr(numpy, name))])


def hook_protocols(array: type, recorder: Recorder, patches: Patches) -> None:
    """Let NumPy tell when a ufunc or function of its own is given one of MLX's arrays."""
    patches.add(array, "__array_ufunc__", _ufunc(recorder, array))
    patches.add(array, "__array_function__", _function(recorder))


def _ufunc(recorder: Recorder, array: type) -> Callable[..., Any]:
    def answer(_self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        import numpy as np

        values = tuple(np.asarray(each) if type(each) is array else each for each in inputs)
        if type(options.get("where")) is array:
            options["where"] = np.asarray(options["where"])
        if "out" in options:
            options["out"] = tuple(NO_PLACE if type(each) is array else each for each in options["out"])
        return getattr(ufunc, method)(*values, **options)

    hooked: Callable[..., Any] = point_hook(recorder, "numpy", "numpy.ufunc", first_only=True)(answer)
    return hooked


def _function(recorder: Recorder) -> Callable[..., Any]:
    def __array_function__(  # noqa: N807 - NEP 18
        self: Any, function: Any, _types: Any, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        call = f"numpy.{getattr(function, '__name__', 'function')}"

        def answer(_: Any) -> Any:
            # Without an implementation of its own it was asked for something `like` an array of MLX.
            own = getattr(function, "_implementation", None)
            return function(*arguments, like=NO_PLACE, **options) if own is None else own(*arguments, **options)

        return point_hook(recorder, "numpy", call, first_only=True)(answer)(self)

    return __array_function__
