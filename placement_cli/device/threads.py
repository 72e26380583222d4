"""The threads of the BLAS libraries: pinned, and on record.

BLAS threads spin while they wait for each other. On a busy machine with two cores a second thread turned
0.2 ms into 24 ms, so a run without pinned threads measures the neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from threadpoolctl import threadpool_info, threadpool_limits

from placement_cli.device.readings import whole_number

THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "MKL_NUM_THREADS",
)
"""Environment variables that OpenBLAS, OpenMP, Apple's Accelerate and MKL read once, when they load."""


def pin_blas(threads: int = 1) -> AbstractContextManager[Any]:
    """Let NumPy's and SciPy's BLAS libraries, and others loaded before, use `threads` threads from now on.

    What is returned need not be kept: the limit stays. As a context manager it restores the old numbers at
    the end. Apple's Accelerate cannot be limited from inside; give the process `pinned_environment` for that.
    Raises ValueError when `threads` is below 1.
    """
    _check(threads)
    _load_libraries()
    limits: AbstractContextManager[Any] = threadpool_limits(limits=threads, user_api="blas")
    return limits


def pinned_environment(base_env: Mapping[str, str], threads: int = 1) -> dict[str, str]:
    """Return `base_env` with every BLAS library set to `threads` threads, for a process to be started.

    Raises ValueError when `threads` is below 1.
    """
    _check(threads)
    return dict(base_env) | dict.fromkeys(THREAD_VARIABLES, str(threads))


def blas_facts(
    env: Mapping[str, str],
    read_pools: Callable[[], Sequence[Mapping[str, Any]]] | None = None,
    read_build: Callable[[], str] | None = None,
) -> list[dict[str, Any]]:
    """Return what NumPy and SciPy multiply with, a dict each: `library`, `kernel`, `threads`, `version`.

    `kernel` is the processor family the library picked its code for. What cannot be told is None; the threads
    of Apple's Accelerate, which cannot be asked, are what `env` says. Sorted, so that equal set-ups give
    equal answers. `read_pools` and `read_build` (the name of NumPy's BLAS) are replaced in tests.
    """
    pools = (read_pools or _loaded_pools)()
    facts = {_facts_of(pool) for pool in pools if pool.get("user_api") == "blas"}
    build = (read_build or _numpy_blas)()
    if build == "accelerate":
        facts.add(("accelerate", None, whole_number(env.get("VECLIB_MAXIMUM_THREADS")), None))
    keys = ("library", "kernel", "threads", "version")
    return [dict(zip(keys, fact, strict=True)) for fact in sorted(facts, key=repr)]


def numpy_pools(read_pools: Callable[[], Sequence[Mapping[str, Any]]] | None = None) -> list[Mapping[str, Any]]:
    """Return what threadpoolctl says of the libraries NumPy multiplies with; none where they cannot be listed.

    SciPy brings a library of its own, which says nothing about NumPy's products. Apple's Accelerate is not
    listed. `read_pools` is replaced in tests.
    """
    blas = [pool for pool in (read_pools or _numpy_loaded)() if pool.get("user_api") == "blas"]
    return [pool for pool in blas if "numpy" in str(pool.get("filepath", ""))] or blas


def numpy_threads(read_pools: Callable[[], Sequence[Mapping[str, Any]]] | None = None) -> int:
    """Return the threads NumPy multiplies with; 1 where its library cannot be asked."""
    return max((int(pool["num_threads"]) for pool in numpy_pools(read_pools)), default=1)


def _check(threads: int) -> None:
    if threads < 1:
        raise ValueError(f"{threads} threads: at least one is needed")


def _facts_of(pool: Mapping[str, Any]) -> tuple[Any, ...]:
    keys = ("internal_api", "architecture", "num_threads", "version")
    return tuple(pool.get(key) for key in keys)


def _load_libraries() -> None:
    # NumPy and SciPy each bring a library of their own, and only what is loaded can be limited or asked.
    # Without this it would depend on what happened to be imported before.
    import_module("numpy")
    import_module("scipy.linalg")


def _numpy_loaded() -> Sequence[Mapping[str, Any]]:
    import_module("numpy")
    pools: Sequence[Mapping[str, Any]] = threadpool_info()
    return pools


def _loaded_pools() -> Sequence[Mapping[str, Any]]:
    _load_libraries()
    pools: Sequence[Mapping[str, Any]] = threadpool_info()
    return pools


def _numpy_blas() -> str:
    config = import_module("numpy").show_config(mode="dicts")
    name = config.get("Build Dependencies", {}).get("blas", {}).get("name", "")
    return str(name).lower()
