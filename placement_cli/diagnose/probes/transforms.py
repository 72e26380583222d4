"""Transforms: what evaluates inside compile, vmap, grad and checkpoint; and all probes of that group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from placement_cli.diagnose.probes.compiled import COMPILED, UNTRACED, traces
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.watched import NOTHING, Call, error_of, unlike

REFUSED_REFERENCE = "MLX 0.32.4, CPU: every call that evaluates a traced array raised ValueError"
GRAD_REFERENCE = "MLX 0.32.4, CPU: eval, item, NumPy, print and bool work, and the graph is kept"
ASYNC_REFERENCE = "MLX 0.32.4, CPU: async_eval of a traced array raised ValueError"
CHECKPOINT_REFERENCE = "MLX 0.32.4, CPU: eval works, async_eval raised ValueError even for a constant"


RUNS = ("forward", "again")
"""When a function under checkpoint is run: for its value, and once more for the gradient."""


def _numpy(_: Any, array: Any) -> Any:
    import numpy as np

    return np.asarray(array)


WAITING: dict[str, Call] = {
    "eval": lambda mx, array: mx.eval(array),
    "item": lambda _, array: array.item(),
    "bool": lambda _, array: bool(array > 0),
    "tolist": lambda _, array: array.tolist(),
    "repr": lambda _, array: repr(array),
    "numpy": _numpy,
}
"""Calls that evaluate an array and wait for it."""
ALL_CALLS: dict[str, Call] = WAITING | {"async_eval": lambda mx, array: mx.async_eval(array)}
"""The calls that evaluate an array."""
HARMLESS: dict[str, Call] = {
    "synchronize": lambda mx, _: mx.synchronize(),
    "constant": lambda mx, _: mx.eval(mx.ones((3,)) + 1),
}
"""Calls that concern no traced array."""

Transform = Callable[[Callable[[Any], Any]], Callable[[Any], Any]]
Inside = Callable[[Rig, Call], str]
"""Makes a call on a traced array inside a transform, and returns its error."""


def _in_compile(rig: Rig, call: Call) -> str:
    return _squared(rig, call, rig.mx.compile, rig.mx.array(3.0))[0]


def _in_vmap(rig: Rig, call: Call) -> str:
    return _squared(rig, call, rig.mx.vmap, rig.mx.array([2.0, 3.0]))[0]


def _squared(rig: Rig, call: Call, transform: Transform, argument: Any) -> list[str]:
    """Transform a function that squares and makes the call on the square; return the error of each time it ran."""
    errors: list[str] = []

    def square(array: Any) -> Any:
        squared = array * array
        errors.append(error_of(lambda: call(rig.mx, squared)))
        return squared

    rig.mx.eval(transform(square)(argument))
    return errors


def _refusals(rig: Rig, inside: Inside) -> Observed:
    """Make every call that evaluates inside a transform: those on a traced array must raise, the others must not."""
    refused = {name: inside(rig, call) for name, call in ALL_CALLS.items()}
    harmless = {name: inside(rig, call) for name, call in HARMLESS.items()}
    held = set(refused.values()) == {"ValueError"} and set(harmless.values()) == {NOTHING}
    return Observed(held, _errors(refused | harmless), _named(refused | harmless), unlike(rig, held, REFUSED_REFERENCE))


def _errors(errors: Mapping[str, str]) -> str:
    return "Errors raised: " + ", ".join(f"{error} by {name}" for name, error in errors.items()) + "."


def _named(errors: Mapping[str, str]) -> dict[str, float | str | None]:
    return {f"{name}_error": error for name, error in errors.items()}


def _compile_eval(rig: Rig) -> Observed:
    return _refusals(rig, _in_compile) if traces(rig) else Observed(False, "", not_run=UNTRACED)


def _vmap_eval(rig: Rig) -> Observed:
    return _refusals(rig, _in_vmap)


def _grad_eval(rig: Rig) -> Observed:
    seen = {name: _in_grad(rig, call) for name, call in WAITING.items()}
    held = all(
        error == NOTHING and after == before > 0 and slope == 6.0 for error, before, after, slope in seen.values()
    )
    before, after = (sorted({counts[place] for counts in seen.values()}) for place in (1, 2))
    slopes = sorted({slope for *_, slope in seen.values()})
    errors = {name: error for name, (error, *_) in seen.items()}
    says = (
        f"{_errors(errors)} Pending operations behind the traced array: {_listed(before)} before the call,"
        f" {_listed(after)} after; the gradient of x squared at 3 is {_listed(slopes)}."
    )
    numbers = {"before_nodes": before[0], "after_nodes": after[0], "gradient": slopes[0]}
    return Observed(held, says, _named(errors) | numbers, unlike(rig, held, GRAD_REFERENCE))


def _listed(values: list[Any]) -> str:
    return " or ".join(f"{value:g}" for value in values)


def _in_grad(rig: Rig, call: Call) -> tuple[str, int, int, float]:
    """Make a call on x squared inside its gradient at 3: the error, the nodes before and after, and the gradient."""
    seen: list[tuple[str, int, int]] = []

    def loss(array: Any) -> Any:
        square = array * array
        before = rig.pending_ops(square)
        error = error_of(lambda: call(rig.mx, square))
        seen.append((error, before, rig.pending_ops(square)))
        return square

    slope = rig.mx.grad(loss)(rig.mx.array(3.0))
    return *seen[0], float(slope.item())


def _grad_async(rig: Rig) -> Observed:
    traced, *_ = _in_grad(rig, lambda mx, array: mx.async_eval(array))
    constant, *_ = _in_grad(rig, lambda mx, _: mx.async_eval(mx.ones((3,)) + 1))
    errors = {"async_eval": traced, "async_eval_constant": constant}
    held = traced == "ValueError" and constant == NOTHING
    return Observed(held, _errors(errors), _named(errors), unlike(rig, held, ASYNC_REFERENCE))


def _checkpoint(rig: Rig) -> Observed:
    mx = rig.mx

    def twice(call: Call) -> list[str]:
        return _squared(rig, call, lambda function: mx.grad(mx.checkpoint(function)), mx.array(3.0))

    runs = {
        "eval": twice(lambda _, array: mx.eval(array)),
        "async_eval": twice(lambda _, array: mx.async_eval(array)),
        "async_eval_constant": twice(lambda *_: mx.async_eval(mx.ones((3,)) + 1)),
    }
    errors = {f"{name}_{run}": error for name, both in runs.items() for run, error in zip(RUNS, both, strict=False)}
    expected = {"eval": {NOTHING}, "async_eval": {"ValueError"}}
    held = all(set(runs[name]) == error for name, error in expected.items())
    held = held and runs["async_eval_constant"][1:] == ["ValueError"]
    return Observed(held, _errors(errors), _named(errors), unlike(rig, held, CHECKPOINT_REFERENCE))


TRANSFORMS: tuple[Probe, ...] = (
    Probe(
        "transforms.compile-eval",
        "Inside a function that mx.compile traces, evaluating a traced array raises ValueError; a constant may be"
        " evaluated and synchronize called.",
        _compile_eval,
        ("crash",),
        reference=REFUSED_REFERENCE,
    ),
    Probe(
        "transforms.vmap-eval",
        "Inside mx.vmap, evaluating a traced array raises ValueError; a constant may be evaluated and synchronize"
        " called.",
        _vmap_eval,
        ("crash",),
        reference=REFUSED_REFERENCE,
    ),
    Probe(
        "transforms.grad-eval",
        "Inside mx.grad a traced array can be evaluated and read, and its graph is kept, so that bounds no memory.",
        _grad_eval,
        ("memory", "crash"),
        reference=GRAD_REFERENCE,
    ),
    Probe(
        "transforms.grad-async",
        "Inside mx.grad, async_eval of a traced array raises ValueError, of a constant it does not.",
        _grad_async,
        ("crash",),
        reference=ASYNC_REFERENCE,
    ),
    Probe(
        "transforms.checkpoint",
        "Inside mx.checkpoint under mx.grad, eval works and async_eval raises ValueError, when the function is run"
        " again for the gradient even for a constant.",
        _checkpoint,
        ("crash",),
        reference=CHECKPOINT_REFERENCE,
    ),
    *COMPILED,
)
"""All probes of transforms, in the order they are shown."""
