import os
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from placement_cli.device.threads import (
    THREAD_VARIABLES,
    blas_facts,
    numpy_pools,
    numpy_threads,
    pin_blas,
    pinned_environment,
)

OPENBLAS: Mapping[str, Any] = {
    "user_api": "blas",
    "internal_api": "openblas",
    "architecture": "Haswell",
    "num_threads": 1,
    "version": "0.3.30",
    "filepath": "anywhere/libopenblas.so",
}


def test_a_child_gets_every_library_pinned() -> None:
    """All four variables are set, whatever they were before."""
    pinned = pinned_environment({"OMP_NUM_THREADS": "8"}, 2)
    assert {name: pinned[name] for name in THREAD_VARIABLES} == dict.fromkeys(THREAD_VARIABLES, "2")


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5)))
@settings(deadline=None)
def test_a_child_keeps_every_other_variable(env: dict[str, str]) -> None:
    """Nothing else is changed or removed, and the mapping handed in stays as it was."""
    before = dict(env)
    pinned = pinned_environment(env)
    assert {name: value for name, value in pinned.items() if name not in THREAD_VARIABLES} == before
    assert env == before


@pytest.mark.parametrize("threads", [0, -1])
def test_fewer_than_one_thread_is_refused(threads: int) -> None:
    """A library cannot run on no thread."""
    with pytest.raises(ValueError, match="at least one"):
        pinned_environment({}, threads)
    with pytest.raises(ValueError, match="at least one"):
        pin_blas(threads)


def test_pinning_reaches_the_loaded_libraries_and_can_be_undone() -> None:
    """Inside the context every BLAS library has one thread, after it the old number."""
    with pin_blas(1):
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        assert {pool["num_threads"] for pool in pools} <= {1}
        assert {fact["threads"] for fact in blas_facts({})} <= {1, None}
        inside = {pool["filepath"] for pool in pools}
    with pin_blas(2):
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert {pool["filepath"] for pool in pools} == inside


def test_facts_hold_what_decides_speed_and_nothing_of_the_machine() -> None:
    """The library, its kernel, its threads and its version are kept; where it lies is not."""
    facts = blas_facts({}, lambda: [OPENBLAS], lambda: "scipy-openblas")
    assert facts == [{"library": "openblas", "kernel": "Haswell", "threads": 1, "version": "0.3.30"}]


def test_facts_do_not_depend_on_order_or_repetition() -> None:
    """The same libraries loaded in another order, or twice, are the same facts."""
    newer = {**OPENBLAS, "version": "0.3.31"}
    openmp = {"user_api": "openmp", "internal_api": "openmp", "num_threads": 8}
    first = blas_facts({}, lambda: [OPENBLAS, newer], lambda: "scipy-openblas")
    second = blas_facts({}, lambda: [newer, openmp, OPENBLAS, newer], lambda: "scipy-openblas")
    assert first == second
    assert [fact["version"] for fact in first] == ["0.3.30", "0.3.31"]


def test_accelerate_is_named_with_the_threads_its_variable_allows() -> None:
    """Apple's library cannot be asked, so the process's variable speaks for it."""
    limited = blas_facts({"VECLIB_MAXIMUM_THREADS": "1"}, list, lambda: "accelerate")
    assert limited == [{"library": "accelerate", "kernel": None, "threads": 1, "version": None}]


@pytest.mark.parametrize("value", ["", "many", "1.5", "9" * 5000])
def test_a_variable_that_is_no_number_leaves_the_threads_unknown(value: str) -> None:
    """Junk in the variable is not guessed at."""
    [fact] = blas_facts({"VECLIB_MAXIMUM_THREADS": value}, list, lambda: "accelerate")
    assert fact["threads"] is None


def test_a_library_that_tells_little_is_recorded_as_far_as_it_goes() -> None:
    """Keys that a library does not give are None."""
    facts = blas_facts({}, lambda: [{"user_api": "blas", "internal_api": "mkl"}], lambda: "mkl")
    assert facts == [{"library": "mkl", "kernel": None, "threads": None, "version": None}]


def test_this_process_tells_its_libraries() -> None:
    """The real readers find the library that NumPy multiplies with, twice the same."""
    facts = blas_facts(os.environ)
    assert facts
    assert facts == blas_facts(os.environ)


def test_only_the_library_of_numpy_counts_for_its_products() -> None:
    """SciPy brings one of its own, with threads of its own; where none is NumPy's by its path, all count."""
    of_numpy = {**OPENBLAS, "filepath": "site-packages/numpy.libs/libscipy_openblas64_.so", "num_threads": 2}
    of_scipy = {**OPENBLAS, "filepath": "site-packages/scipy.libs/libscipy_openblas.so", "num_threads": 4}
    openmp = {"user_api": "openmp", "filepath": "numpy/libgomp.so", "num_threads": 8}
    assert numpy_pools(lambda: [of_scipy, openmp, of_numpy]) == [of_numpy]
    assert numpy_threads(lambda: [of_scipy, openmp, of_numpy]) == 2
    assert numpy_threads(lambda: [of_scipy, OPENBLAS, openmp]) == 4


def test_a_library_that_cannot_be_asked_counts_as_one_thread() -> None:
    """As Apple's, which no list holds."""
    assert numpy_pools(list) == []
    assert numpy_threads(list) == 1


def test_pinning_is_seen_by_who_asks_for_the_threads_of_numpy() -> None:
    """The real library is asked now, not as it was loaded."""
    with pin_blas(1):
        assert numpy_threads() == 1
