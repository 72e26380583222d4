"""The document of a plan."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from placement_cli.blocks.finding import find_structure
from placement_cli.blocks.lengths import table
from placement_cli.planning.comparison import measured, predicted, with_upstream
from placement_cli.planning.document import Planned, plan_document
from placement_cli.planning.prices import PlanPrice, price_of_profile, shipped_price
from placement_cli.profile.profile import Profile
from placement_cli.store.plan_document import PlanDocument

KEYS = ("shape", "samples", "predicted_s", "measured_s", "notes", "schema", "schema_version", "tool", "exit")
PARTS = {
    "structure": ("kind", "blocks", "zero_rows", "zero_columns", "nonzero"),
    "formulation": ("kind", "blocks", "permuted", "calls"),
    "alternatives": ("kind", "predicted_s", "measured_s"),
    "crossovers": ("samples_from", "samples_to", "kind"),
    "diagnostics": (),
}
"""The keys that others rely on, at the top and in every part."""


def planned(weights: Any, price: PlanPrice, timer: Any = None, lengths: tuple[int, ...] = (30, 3000)) -> Planned:
    """Plan for NumPy with one thread, measured when there is a timer, with a dense choice of upstream."""
    structure = find_structure(weights)
    plans = [
        with_upstream(predicted(structure, samples, price.price, "numpy"), None, price.price) for samples in lengths
    ]
    if timer:
        plans = [measured(plan, weights, timer) for plan in plans]
    ranges = table(structure, lengths, price.price)
    return Planned("w.npy", structure, "numpy", 1, "float32", price, tuple(plans), tuple(ranges), "3.11.1")


@pytest.fixture
def weights(banks: Any) -> Any:
    """Eight blocks, one dense column, and an output that reads nothing."""
    weights = banks([16] * 8)
    weights[:, 5], weights[:, 7] = 1, 0
    return weights


@pytest.fixture
def price(profile: Profile) -> PlanPrice:
    """The price of the profile."""
    return price_of_profile(profile, "numpy")


def written(document: PlanDocument) -> dict[str, Any]:
    """Return the JSON of a document, which holds no NaN or infinity, and is read back as it was."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in the document")

    text = document.to_json()
    assert PlanDocument.model_validate_json(text) == document
    data: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return data


@pytest.mark.parametrize("times", [False, True])
def test_the_keys_that_others_rely_on_are_there(weights: Any, price: PlanPrice, fake_timer: Any, times: bool) -> None:
    """Predicted or measured, a document holds at least these."""
    data = written(plan_document(planned(weights, price, fake_timer() if times else None), "1.2.3"))
    assert data.keys() >= {*KEYS, *PARTS}
    for name, keys in PARTS.items():
        parts = data[name] if isinstance(data[name], list) else [data[name]]
        assert all(part.keys() >= set(keys) for part in parts)
    assert (data["schema"], data["tool"]["version"], data["exit"]["code"]) == ("placement.plan", "1.2.3", 0)
    assert (data["measured_s"] is not None) is times


def test_a_document_says_what_was_found(weights: Any, price: PlanPrice) -> None:
    """The structure with what crosses it, whose costs, and the plans in the order of the lengths."""
    data = written(plan_document(planned(weights, price), "1"))
    assert data["shape"] == [128, 128]
    assert data["structure"]["kind"] == "contiguous"
    assert data["structure"]["dense_columns"] == [5]
    assert data["structure"]["zero_columns"] == 1
    assert data["costs"]["confidence"] == "calibrated"
    assert data["costs"]["profile"] == "mine"
    assert data["diagnostics"] == []
    assert [plan["samples"] for plan in data["plans"]] == [30, 3000]
    assert data["alternatives"] == data["plans"][0]["alternatives"]
    assert data["crossovers"][-1]["samples_to"] is None
    assert data["plans"][0]["upstream"]["name"] == "dense"


def test_ratios_are_over_the_dense_product(weights: Any, price: PlanPrice, fake_timer: Any) -> None:
    """Of the dense one they are 1; upstream's is over the plan chosen here."""
    data = written(plan_document(planned(weights, price, fake_timer({"dense": 5e-3})), "1"))
    dense = next(each for each in data["alternatives"] if each["kind"] == "dense")
    assert dense["predicted_ratio"] == 1
    assert dense["ratio"] == pytest.approx(1)
    assert data["alternatives"][0]["ratio"] == pytest.approx(0.2)
    assert data["plans"][0]["upstream"]["over_plan"] == pytest.approx(5)
    low, high = data["alternatives"][0]["measured_ci"]
    assert low <= data["measured_s"] <= high


def test_what_cannot_run_has_its_reason(weights: Any, price: PlanPrice, fake_timer: Any) -> None:
    """Null where there is no time, and words beside it."""
    first = planned(weights, price).lengths[0].best.name
    data = written(plan_document(planned(weights, price, fake_timer({first: None})), "1"))
    last = data["alternatives"][-1]
    assert last["name"] == first
    assert last["measured_s"] is None
    assert last["reason"]


def test_costs_that_are_no_seconds_are_null(weights: Any) -> None:
    """Shipped costs of a GPU are ratios alone, and a diagnostic says that nothing was measured here."""
    price = shipped_price("mlx-gpu", 1, "Nothing was measured.")
    data = written(plan_document(planned(weights, price), "1"))
    assert data["predicted_s"] is None
    assert {each["predicted_s"] for each in [*data["alternatives"], *data["crossovers"]]} == {None}
    assert all(each["predicted_ratio"] > 0 for each in data["alternatives"])
    assert [found["code"] for found in data["diagnostics"]] == ["not-calibrated"]
    assert (data["costs"]["profile"], data["costs"]["confidence"]) == (None, "assumed")


def test_a_missed_gate_is_told_until_it_is_measured(weights: Any, missed: Profile, fake_timer: Any) -> None:
    """The diagnostic asks for measuring, and goes with it."""
    price = price_of_profile(missed, "numpy")
    codes = [
        [found["code"] for found in written(plan_document(planned(weights, price, timer), "1"))["diagnostics"]]
        for timer in (None, fake_timer())
    ]
    assert codes == [["fit-missed-gate"], []]


@pytest.mark.parametrize("weights", [np.zeros((3, 4), np.float32), np.eye(40, dtype=np.float32)[::-1].copy()])
def test_odd_matrices_have_documents(weights: Any, price: PlanPrice) -> None:
    """Zeros alone, and a diagonal the other way round."""
    data = written(plan_document(planned(weights, price), "1"))
    assert data["shape"] == list(weights.shape)


def test_orders_of_permuted_plans_are_whole(banks: Any, price: PlanPrice) -> None:
    """A plan that moves channels says which, and its blocks tile what they select."""
    weights = banks([64] * 8)
    order = np.random.default_rng(0).permutation(512)
    data = written(plan_document(planned(weights[order][:, order], price, lengths=(3000,)), "1"))
    formulation = data["formulation"]
    assert formulation["permuted"]
    assert sorted(formulation["in_order"]) == sorted(formulation["out_order"]) == list(range(512))
    assert len(formulation["blocks"]) == 8
    assert formulation["steps"]


def test_notes_of_all_plans_are_there_once(weights: Any, price: PlanPrice) -> None:
    """What several lengths have to say alike is said once."""
    made = planned(weights, price)
    best = made.lengths[0].best
    noted = [replace(best, plan=replace(best.plan, notes=notes)) for notes in (("a", "b"), ("b", "c"))]
    lengths = tuple(
        replace(length, alternatives=(each, *length.alternatives[1:]))
        for length, each in zip(made.lengths, noted, strict=True)
    )
    assert plan_document(replace(made, lengths=lengths), "1").notes == ["a", "b", "c"]
