"""Hooks around MLX are not to be told from what they stand for, and are gone afterwards."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optimizers
import numpy as np
import pytest

from placement_cli.tracing.block import tracing
from placement_cli.tracing.mlx_hooks import GENERATORS, MEMORY, READING_METHODS, SAVING, TRANSFORMS

MODULES = (mx, mx.linalg, mx.fft, mx.fast, mx.random, np)


def attributes() -> list[dict[str, Any]]:
    """Return everything in the modules and the class that are hooked."""
    return [dict(vars(each)) for each in (*MODULES, mx.array)]


def same(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> bool:
    """Tell whether two such lists hold the very same objects."""
    return all(
        one.keys() == other.keys() and all(one[name] is other[name] for name in one)
        for one, other in zip(before, after, strict=True)
    )


def test_everything_is_put_back_exactly() -> None:
    """The same objects under the same names, also when the program raises."""
    before = attributes()
    with tracing():
        assert not same(before, attributes())
    assert same(before, attributes())
    with pytest.raises(KeyError), tracing():
        raise KeyError
    assert same(before, attributes())


def test_functions_keep_their_names() -> None:
    """So that they are shown and found as before."""
    originals = {name: value for name, value in vars(mx).items() if type(value) is type(mx.abs)}
    with tracing():
        for name, original in originals.items():
            hooked = getattr(mx, name)
            assert (hooked.__name__, hooked.__doc__, hooked.__module__) == (
                original.__name__,
                original.__doc__,
                original.__module__,
            )
        assert mx.eval.__wrapped__ is originals["eval"]
        assert pickle.loads(pickle.dumps(mx.abs)) is mx.abs


@pytest.mark.parametrize("name", ["abs", "eval", "compile", "array"])
def test_signatures_are_what_they_were(name: str) -> None:
    """MLX tells none for most of its functions."""

    def signature() -> str:
        try:
            return str(inspect.signature(getattr(mx, name)))
        except ValueError as error:
            return type(error).__name__

    before = signature()
    with tracing():
        assert signature() == before


def test_what_is_hooked_is_there() -> None:
    """Names of this build of MLX, none of them a slip."""
    names = {
        *("eval", "async_eval", "synchronize", "compile", "stream", *MEMORY, *TRANSFORMS),
        *("save", "savez", "save_safetensors"),
    }
    assert all(hasattr(mx, name) for name in names)
    assert all(hasattr(mx, name) for name in SAVING if name != "save_gguf")
    assert all(hasattr(mx.random, name) for name in GENERATORS)
    assert sum(name in vars(mx.array) for name in READING_METHODS) > 8


def in_place() -> list[float]:
    """Return what a row is after it was changed in place."""
    array = mx.zeros(3)
    array += 2
    array[1] = 7
    array *= mx.array([1.0, 2.0, 3.0])
    return list(array.tolist())


def trained() -> float:
    """Return a loss after two steps, which evaluate and transform within MLX's own modules."""
    mx.random.seed(1)
    model, optimizer = nn.Linear(3, 1), optimizers.Adam(learning_rate=0.1)
    step = nn.value_and_grad(model, lambda batch: (model(batch) ** 2).mean())
    for _ in range(2):
        loss, gradients = step(mx.ones((4, 3)))
        optimizer.update(model, gradients)
        mx.eval(model.parameters(), optimizer.state)
    return float(loss.item())


def raised(call: Callable[[], Any]) -> tuple[str, str]:
    """Return the exception that a call raises."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - whichever it is
        return type(error).__name__, str(error)
    return "", ""


PROGRAMS: dict[str, Callable[[], Any]] = {
    "class": lambda: (isinstance(mx.zeros(1), mx.array), type(mx.zeros(1)) is mx.array, mx.array.__name__),
    "arithmetic": lambda: str(2 ** (mx.array([1.0, 2.0]) * 3 - 1) / 4),
    "operator methods": lambda: raised(lambda: mx.array(1).__add__(object())),
    "in place": in_place,
    "indexing": lambda: (
        (mx.arange(6).reshape(2, 3)[1, ::2]).tolist(),
        [10, 20][mx.array(1)],
        list(range(mx.array(2))),
    ),
    "iteration": lambda: [each.item() for each in mx.arange(3)],
    "truth": lambda: (bool(mx.array(0)), bool(mx.array([1]) > 0), not mx.array(True)),
    "hash": lambda: len({mx.zeros(1), mx.zeros(1)}),
    "equality": lambda: ((mx.array(1) == "a"), (mx.array([1, 2]) == mx.array([1, 3])).tolist()),
    "format": lambda: (f"{mx.array(1.5):.2f}", f"{mx.array([1, 2])}", str(mx.array(1)), repr(mx.array([True]))),
    "numbers": lambda: (int(mx.array(3)), float(mx.array(2.5)), complex(mx.array(1j)), round(float(mx.array(1.5)))),
    "copies": lambda: (copy.copy(mx.array(3)).item(), copy.deepcopy([mx.array(3)])[0].item()),
    "pickle": lambda: pickle.loads(pickle.dumps(mx.array([1, 2]))).tolist(),
    "buffers": lambda: (bytes(memoryview(mx.array([1, 2], dtype=mx.uint8))), mx.array([1.0]).__dlpack_device__()),
    "dtype": lambda: [str((mx.array(1, dtype=one) + mx.array(1, dtype=two)).dtype) for one, two in TYPES],
    "module": lambda: sorted(nn.Linear(2, 3).parameters()),
    "training": trained,
    "errors": lambda: [raised(each) for each in WRONG],
}
TYPES = [(mx.int8, mx.float16), (mx.uint32, mx.int32), (mx.bfloat16, mx.float32), (mx.bool_, mx.bool_)]
WRONG: list[Callable[[], Any]] = [
    lambda: mx.zeros(2).item(),
    lambda: mx.abs(*[]),
    lambda: mx.abs("text"),
    lambda: mx.zeros(2) + mx.zeros(3),
    lambda: mx.zeros(2) + object(),
    lambda: object() - mx.zeros(2),
    lambda: mx.zeros(2) < "text",
    lambda: bool(mx.zeros(2)),
    lambda: mx.zeros(2)[None, None, 5],
    lambda: mx.eval(mx.linalg.inv(mx.zeros(2))),
    lambda: mx.reshape(mx.zeros(4), (3,)),
    lambda: mx.array(1).absent,
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_compute_what_they_did(name: str) -> None:
    """Before, under and after tracing."""
    before = PROGRAMS[name]()
    with tracing() as block:
        assert PROGRAMS[name]() == before
    assert PROGRAMS[name]() == before
    assert block.process is not None
    assert block.process.unseen == ()


def test_memory_and_saving_are_points(tmp_path: Any) -> None:
    """Which wait, and which only alter how memory is kept."""
    with tracing() as block:
        mx.save(str(tmp_path / "array.npy"), mx.zeros(2) + 1)
        mx.clear_cache()
        limit = mx.set_cache_limit(1 << 20)
        mx.set_cache_limit(limit)
        pickle.dumps(mx.zeros(2))
    assert block.process is not None
    kinds = {point.call: point.kind for point in block.process.points}
    assert kinds["mx.save"] == "save"
    assert kinds["mx.clear_cache"] == kinds["mx.set_cache_limit"] == "memory"
    assert (tmp_path / "array.npy").exists()
