"""The document of advice."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf, nan
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest

from placement_cli.advice.advice import (
    Advice,
    Alternative,
    Estimate,
    Finding,
    MeasuredPlacement,
    Predicted,
    ProfileUse,
    Verified,
)
from placement_cli.advice.document import advice_document
from placement_cli.graph.graph import Edge, Graph, GraphNode, GraphSource
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode, window
from placement_cli.store.advice_document import AdviceDocument
from placement_cli.store.schema_files import FOLDER

KEYS = (
    *("schema", "schema_version", "tool", "exit", "diagnostics", "graph", "profile", "objective", "verdict"),
    *("placement", "current", "predicted", "alternatives", "findings", "confidence", "search", "assumed", "settle"),
    *("pareto", "verified"),
)
"""The keys that others rely on."""
QUANTITIES = (
    *("period_s", "host_s", "host_busy_s", "device_s", "latency_s", "latency_p90_s", "in_flight_bytes", "device_busy"),
)


def about(value: float) -> Estimate:
    """An estimate with a tenth to either side."""
    return Estimate(value, 0.9 * value, 1.1 * value)


def predicted(period_s: float) -> Predicted:
    """What a placement does that takes `period_s` a message, half of it on the device."""
    time = about(period_s)
    return Predicted(time, time, time, about(period_s / 2), time, time, about(2e6), about(0.5))


GRAPH = Graph(
    GraphSource(30, 256, rate=1000.0, kind="live"),
    (
        GraphNode("filter", (Edge("source"),), op="sosfilt", state="carried"),
        GraphNode("layer", (Edge("filter"), Edge("layer", lag=1)), repeat=3),
        GraphNode("decode", (Edge("layer", leaky=True),), backend="host", process="decoder"),
    ),
    name="band power",
    device="gpu",
)
TODAY = {"filter": SYNC, "layer.0": OFF, "layer.1": OFF, "layer.2": OFF}
TAIL = {"filter": OFF, "layer.0": OFF, "layer.1": OFF, "layer.2": ASYNC}
WINDOW = TAIL | {"layer.2": window(2)}


def alternative(name: str, placement: dict[str, Mode], period_s: float, *violates: str) -> Alternative:
    """A placement whose time is `period_s`, against one of 300 microseconds."""
    return Alternative(name, placement, predicted(period_s), about(period_s / 300e-6), violates)


ADVICE = Advice(
    graph=GRAPH,
    profile=ProfileUse("apple-m4-pro-published", "published", "There is no GPU here.", "Published figures of 2026."),
    objective="keep up with the source, then the least host time",
    verdict="Evaluate once, with async at the last layer: 0.67 times today's time.",
    placement=TAIL,
    current=TODAY,
    predicted=predicted(200e-6),
    alternatives=(
        alternative("current", TODAY, 300e-6),
        alternative("tail", TAIL, 200e-6),
        alternative("window:2", WINDOW, 210e-6, "In flight 9.00 MiB, over the limit of 8.00 MiB."),
    ),
    findings=(
        Finding("PL204", "blocking", "filter", "warning", "sync waits 120 µs.", "Set off.", {"wait_s": 120e-6}),
        Finding("PL101", "growth", None, "error", "It grows.", "Evaluate.", {"messages": inf, "limit": "buffers"}),
    ),
    confidence="published",
    search="All 81 placements were tried.",
    assumed=("The output of layer is taken to be as large as its input.",),
    settle=("placement fit-costs",),
    pareto=(alternative("window:8", WINDOW | {"layer.2": window(8)}, 205e-6),),
)
VERIFIED = Verified(
    run="advise-20260101.json",
    measured=(
        MeasuredPlacement("tail", about(190e-6), about(100e-6), about(180e-6), about(2e6), about(1.0)),
        MeasuredPlacement("window:8", about(195e-6)),
        MeasuredPlacement("made up", about(1e-3)),
    ),
    error_median=0.05,
    says="The measurement agrees.",
)


def written(advice: Advice) -> dict[str, Any]:
    """Return the JSON of an advice: it has no NaN or infinity, is read back as it was, and follows the schema."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in the document")

    document = advice_document(advice, "1.2.3", "graphs/band.yaml")
    text = document.to_json()
    assert AdviceDocument.model_validate_json(text) == document
    data: dict[str, Any] = json.loads(text, parse_constant=refuse)
    jsonschema.validate(data, json.loads((FOLDER / "advice-1.schema.json").read_text(encoding="utf-8")))
    return data


@pytest.mark.parametrize("verified", [None, VERIFIED])
def test_the_keys_that_others_rely_on_are_there(verified: Verified | None) -> None:
    """Predicted or measured, a document holds at least these, each quantity with an interval."""
    data = written(replace(ADVICE, verified=verified))
    assert data.keys() >= {*KEYS}
    assert (data["schema"], data["tool"]["version"], data["exit"]["code"]) == ("placement.advice", "1.2.3", 0)
    for predictions in (data["predicted"], *(each["predicted"] for each in data["alternatives"])):
        assert predictions.keys() == {*QUANTITIES}
        assert all(each["low"] < each["value"] < each["high"] for each in predictions.values())


def test_the_graph_is_told_by_what_identifies_it() -> None:
    """Its name, the file as it was given, the source, and every node with what it reads."""
    graph = written(ADVICE)["graph"]
    assert (graph["name"], graph["file"], graph["device"], graph["node_count"]) == (
        *("band power", "graphs/band.yaml", "gpu", 5),
    )
    assert graph["source"]["shape"] == [30, 256]
    assert graph["source"]["rate_hz"] == 1000.0
    assert [node["name"] for node in graph["nodes"]] == ["filter", "layer", "decode"]
    assert graph["nodes"][1]["inputs"][1] == {"node": "layer", "lag": 1, "leaky": False}
    assert graph["nodes"][2]["process"] == "decoder"


def test_the_whole_graph_is_in_the_document() -> None:
    """As graph.yaml has it, so that the advice can be had again from the document alone."""
    whole = written(ADVICE)["graph"]["document"]
    assert (whole["version"], whole["name"], list(whole["nodes"])) == (1, "band power", ["filter", "layer", "decode"])
    assert whole["nodes"]["filter"]["op"] == "sosfilt"


def test_modes_are_written_as_graphs_have_them() -> None:
    """By node where copies agree, by copy where they do not."""
    data = written(ADVICE)
    assert data["current"] == {"filter": "sync", "layer": "off"}
    assert data["placement"] == {"filter": "off", "layer.0": "off", "layer.1": "off", "layer.2": "async"}
    assert data["alternatives"][2]["placement"]["layer.2"] == "window:2"
    assert data["pareto"][0]["placement"]["layer.2"] == "window:8"


def test_what_has_no_end_is_null_with_a_reason() -> None:
    """Numbers that are not finite, in predictions and in evidence."""
    endless = replace(
        predicted(1e-3), in_flight_bytes=Estimate(inf, 1e6, inf), latency_s=Estimate(1.0, 0.5, inf), host_s=about(nan)
    )
    data = written(replace(ADVICE, predicted=endless))
    told = data["predicted"]
    assert told["in_flight_bytes"] == {"value": None, "low": 1e6, "high": None, "reason": "without bound"}
    assert told["latency_s"] == {"value": 1.0, "low": 0.5, "high": None, "reason": "without bound"}
    assert told["host_s"]["reason"] == "not known"
    assert told["period_s"]["reason"] is None
    assert data["findings"][0]["evidence"] == {"wait_s": 120e-6}
    assert data["findings"][1]["evidence"] == {
        "messages": None,
        "messages_reason": "without bound",
        "limit": "buffers",
    }


def test_a_measurement_stands_beside_what_was_predicted() -> None:
    """For the placements that were predicted, among the alternatives or in the Pareto set."""
    tail, eighth, other = written(replace(ADVICE, verified=VERIFIED))["verified"]["measured"]
    assert tail["period_s"]["value"] == 190e-6
    assert tail["predicted_period_s"]["value"] == 200e-6
    assert eighth["predicted_period_s"]["value"] == 205e-6
    assert eighth["host_s"] is None
    assert other["predicted_period_s"] is None


@pytest.mark.parametrize(
    ("confidence", "verified", "levels"),
    [
        ("assumed", None, ["warning"]),
        ("published", None, ["info"]),
        ("calibrated", None, []),
        ("assumed", VERIFIED, []),
    ],
)
def test_costs_of_another_machine_are_a_diagnostic(confidence: Any, verified: Any, levels: list[str]) -> None:
    """Until something was measured here; it says why they were taken."""
    profile = replace(ADVICE.profile, confidence=confidence)
    found = written(replace(ADVICE, profile=profile, verified=verified))["diagnostics"]
    assert [each["level"] for each in found] == levels
    assert all(each["text"] == "There is no GPU here." for each in found)


@pytest.mark.parametrize("key", KEYS)
def test_what_every_document_has_is_required(key: str) -> None:
    """A reader may rely on it."""
    schema = json.loads((FOLDER / "advice-1.schema.json").read_text(encoding="utf-8"))
    data = written(ADVICE)
    del data[key]
    with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
        jsonschema.validate(data, schema)
