"""A worker of products between the first command and the last."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from placement_cli.blocks.candidates import finest_plan
from placement_cli.blocks.finding import find_structure
from placement_cli.errors import ScenarioFailed
from placement_cli.measure.products import session as session_module
from placement_cli.measure.products.backends import ProductBackend
from placement_cli.measure.products.case import ProductCase
from placement_cli.measure.products.session import ProductSession

Loads = Callable[..., dict[str, Any]]


@pytest.fixture
def session(backend: ProductBackend, fake_clock: Any) -> ProductSession:
    """A session in fake time that goes on by a millisecond a look."""
    return ProductSession(backend, 1, "float32", fake_clock(tick_s=1e-3))


@pytest.fixture
def load(session: ProductSession, monkeypatch: pytest.MonkeyPatch) -> Loads:
    """Loads a product without a file: what stands in for a plan need not travel."""

    def loaded(weights: Any, *plans: Any) -> dict[str, Any]:
        case = ProductCase(weights, plans, 5)
        monkeypatch.setattr(session_module.pickle, "loads", lambda _: case)
        return session.answer({"do": "load", "path": __file__})

    return loaded


def test_hello_is_the_key_of_the_set_up(session: ProductSession) -> None:
    """A worker says which machine, threads and versions its timings are of."""
    said = session.answer({"do": "hello"})
    assert said["machine"]
    assert said["threads"] == 1
    assert said["versions"]


def test_plans_are_loaded_from_a_file_and_timed_in_rounds(
    session: ProductSession, on_disk: Any, weights: Any, plans: Any
) -> None:
    """A sample is the ticks between two looks over its calls; what an order leaves out has 0."""
    loaded = session.answer({"do": "load", "path": on_disk(ProductCase(weights, plans, 5))})
    assert loaded == {"first_s": pytest.approx([1e-3, 1e-3]), "problems": []}
    rounds = session.answer({"do": "rounds", "orders": [[0, 1], [1]]})["seconds"]
    assert rounds == [pytest.approx([5e-4, 5e-4]), pytest.approx([0.0, 5e-4])]
    assert gc.isenabled()


def test_a_plan_that_computes_something_else_is_refused(load: Loads, stand_in: Any, weights: Any, plans: Any) -> None:
    """Nothing is timed that is not the product."""
    twice = stand_in(lambda typed, library: lambda x: 2 * (x @ typed))
    with pytest.raises(ScenarioFailed, match=r"^dense 2 on"):
        load(weights, plans[0], twice)


@pytest.mark.parametrize("error", [ValueError("no such kernel"), RuntimeError("no such kernel")])
def test_a_plan_that_cannot_run_here_has_no_time(
    load: Loads, session: ProductSession, stand_in: Any, weights: Any, plans: Any, error: Exception
) -> None:
    """Its reason is told, and the others are timed."""

    def refuse(x: Any) -> Any:
        raise error

    loaded = load(weights, plans[0], stand_in(lambda typed, library: refuse), plans[1])
    assert loaded == {"first_s": [pytest.approx(1e-3), None, pytest.approx(1e-3)], "problems": ["no such kernel"]}
    (seconds,) = session.answer({"do": "rounds", "orders": [[2, 0]]})["seconds"]
    assert seconds == [pytest.approx(5e-4), 0.0, pytest.approx(5e-4)]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_weights_are_bound_in_the_type_that_is_timed(
    load: Loads, session: ProductSession, stand_in: Any, weights: Any, plans: Any, form: Any
) -> None:
    """Whatever type they come in, no product converts them again with every call."""
    seen: list[str] = []

    def bind(typed: Any, library: str) -> Any:
        seen.append(str(typed.dtype))
        return plans[1].bind(typed, library)

    load(form(weights.astype(np.float64)), stand_in(bind))
    assert [dtype.rpartition(".")[2] for dtype in seen] == ["float32"]


def test_weights_with_holes_are_compared_where_known(load: Loads, weights: Any, plans: Any) -> None:
    """NaN among them is no difference between plans."""
    holed = weights.copy()
    holed[1, 2] = np.nan
    assert load(holed, *plans)["problems"] == []


def test_weights_under_the_tolerance_of_a_plan_are_no_difference(load: Loads, weights: Any) -> None:
    """A plan that takes them for zero is timed all the same."""
    noisy = weights + np.float32(1e-3)
    plan = finest_plan(find_structure(noisy, tolerance=1e-2))
    assert load(noisy, plan)["problems"] == []


def test_the_collector_rests_during_rounds_and_after_a_fault_works(
    load: Loads, session: ProductSession, weights: Any, plans: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Garbage collection is off while the clock runs, and on again whatever happens."""
    load(weights, *plans)
    seen: list[bool] = []

    def take(*_: Any) -> list[float]:
        seen.append(gc.isenabled())
        raise ZeroDivisionError

    monkeypatch.setattr(session_module.Stream, "take", take)
    with pytest.raises(ZeroDivisionError):
        session.answer({"do": "rounds", "orders": [[0]]})
    assert seen == [False]
    assert gc.isenabled()
