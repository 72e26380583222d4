"""The completion boundary: the calls that compute an array and wait until it is there, hidden ones included."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.watched import Call, numbers_of, spoken, unlike, watch_all

REFERENCE = "MLX 0.32.4, CPU: with 350 ms of work before it the call took about 350 ms and left no operation pending"


def _observe(calls: Mapping[str, Call], rig: Rig) -> Observed:
    """Make every call on lazy work: all must wait and detach the graph."""
    watched = watch_all(rig, calls)
    odd = [name for name, call in watched.items() if not call.waits(rig)]
    says = spoken(rig, watched)
    if odd:
        says += f" Not waited for or not detached by: {', '.join(odd)}."
    return Observed(not odd, says, numbers_of(rig, watched), unlike(rig, not odd, REFERENCE))


def _reading(name: str, claim: str, **calls: Call) -> Probe:
    return Probe(f"boundary.{name}", claim, partial(_observe, calls), ("timing",), reference=REFERENCE)


def _whole(mx: Any, array: Any) -> Any:
    """The array as whole numbers, which alone can be an index."""
    return array.astype(mx.int32)


def _entry(mx: Any, array: Any) -> int:
    """Look up the entry of a list that the array names; it is 1."""
    return (0, 1, 2)[_whole(mx, array)]


def _branch(_: Any, array: Any) -> bool:
    """Branch on a comparison, as a loop with a criterion does."""
    return bool(array > 0)


def _check(mx: Any, array: Any) -> bool:
    """Compare with what is expected, as an assertion does."""
    return bool(mx.allclose(array, mx.array(1.0)))


def _as_array(_: Any, array: Any) -> Any:
    import numpy as np

    return np.asarray(array)


def _copy(_: Any, array: Any) -> Any:
    import numpy as np

    return np.array(array)


def _ufunc(_: Any, array: Any) -> Any:
    import numpy as np

    return np.abs(array)


def _saved(mx: Any, array: Any, how: str) -> None:
    """Write the array into a file that is thrown away."""
    with TemporaryDirectory() as folder:
        if how == "safetensors":
            mx.save_safetensors(str(Path(folder, "probe")), {"x": array})
        else:
            getattr(mx, how)(str(Path(folder, "probe")), array)


WAITS: tuple[Probe, ...] = (
    _reading(
        "eval",
        "eval computes its arguments, waits until they are there and detaches their graph.",
        eval=lambda mx, array: mx.eval(array),
    ),
    _reading("item", "item() computes the array and waits for it.", item=lambda _, array: array.item()),
    _reading(
        "bool",
        "bool() of an array computes it and waits for it, and so does every branch on a comparison.",
        bool=lambda _, array: bool(array),
        comparison=_branch,
        allclose=_check,
    ),
    _reading(
        "number",
        "float(), int(), complex(), a format for a number and use as an index compute the array and wait for it.",
        float=lambda _, array: float(array),
        int=lambda _, array: int(array),
        complex=lambda _, array: complex(array),
        format=lambda _, array: f"{array:.2f}",
        index=lambda mx, array: operator.index(_whole(mx, array)),
        lookup=_entry,
    ),
    _reading("tolist", "tolist() computes the array and waits for it.", tolist=lambda _, array: array.tolist()),
    _reading(
        "print",
        "Printing an array computes it and waits for it, also by str(), repr() and in an f-string.",
        str=lambda _, array: str(array),
        repr=lambda _, array: repr(array),
        f_string=lambda _, array: f"{array}",
    ),
    _reading(
        "numpy",
        "Handing an array to NumPy or to a memoryview computes it and waits for it.",
        asarray=_as_array,
        array=_copy,
        ufunc=_ufunc,
        memoryview=lambda _, array: memoryview(array),
    ),
    _reading(
        "dlpack",
        "Exporting an array by DLPack computes it and waits for it.",
        dlpack=lambda _, array: array.__dlpack__(),
    ),
    _reading(
        "save",
        "Saving an array computes it and waits for it.",
        save=partial(_saved, how="save"),
        savez=partial(_saved, how="savez"),
        save_safetensors=partial(_saved, how="safetensors"),
    ),
    _reading("pickle", "Pickling an array computes it and waits for it.", pickle=lambda _, array: pickle.dumps(array)),
)
"""Probes of the calls that wait; together with those that do not they are `boundary.BOUNDARY`."""
