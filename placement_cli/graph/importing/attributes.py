"""Attributes of a node that carry the names of keys of graph.yaml, or the neutral names that exporters use.

What does not fit is left out and told: files from elsewhere use the same words for other things.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from placement_cli.errors import UsageError
from placement_cli.graph.document.defaults import default_backend, default_state
from placement_cli.graph.document.node_schema import CostsEntry, EmitsEntry, NodeEntry
from placement_cli.graph.graph import BlockShape, Costs, Emission, GraphNode
from placement_cli.graph.importing.draft import NOTHING_KNOWN
from placement_cli.graph.mode import OFF
from placement_cli.operators.catalog import check_params, find_operator

Entry = TypeVar("Entry", bound=BaseModel)

OWN_KEYS = frozenset({"op", "params", "inputs", "costs"})
"""Keys of a node that are not taken over one by one."""
NEUTRAL: Mapping[tuple[str, str], str] = {
    ("state", "const"): "none",
    ("state", "covered"): "carried",
    ("forces", "on_emit"): "on-emit",
}
"""Words of the neutral form that graph.yaml has others for."""
MICROSECONDS: Mapping[str, str] = {"host_us": "host", "device_us": "device"}
MAX_WORDS = 200
"""Longest text that is looked into."""


def body_of(attributes: Mapping[str, Any], known: GraphNode = NOTHING_KNOWN) -> tuple[GraphNode, tuple[str, ...]]:
    """Return what is `known` about a node and what its attributes say, and what of them is left out and why."""
    left_out: list[str] = []
    body = _with_operator(attributes, known, left_out)
    keys = [key for key in NodeEntry.model_fields if key not in OWN_KEYS]
    given = {key: _neutral(key, attributes[key]) for key in keys if attributes.get(key) is not None}
    entry = _fitting(NodeEntry, given, left_out, {"inputs": "source"})
    body = replace(body, **_values(entry))
    if costs := _costs(attributes, left_out):
        body = replace(body, costs=costs)
    return _agreeing(body, left_out), tuple(left_out)


def _values(entry: BaseModel) -> dict[str, Any]:
    found = {key: getattr(entry, key) for key in entry.model_fields_set if key not in OWN_KEYS}
    known = {key: value for key, value in found.items() if value is not None}
    if isinstance(emits := known.get("emits"), EmitsEntry):
        known["emits"] = Emission(emits.every, emits.probability)
    if (blocks := known.get("blocks")) is not None:
        known["blocks"] = BlockShape(blocks.count, *blocks.shape)
    return known


def _with_operator(attributes: Mapping[str, Any], known: GraphNode, left_out: list[str]) -> GraphNode:
    name, params = attributes.get("op"), attributes.get("params", {})
    if not isinstance(name, str):
        return known
    try:
        operator = find_operator(name)
        check_params(operator, params if isinstance(params, dict) else {})
    except UsageError as error:
        left_out.append(f"op is left out. {str(error).rstrip('.')}")
        return known
    return replace(
        known,
        op=name,
        params=params if isinstance(params, dict) else {},
        backend=default_backend(operator),
        state=default_state(operator),
    )


def _neutral(key: str, value: Any) -> Any:
    """Return a value of the neutral form as graph.yaml writes it."""
    if isinstance(value, str) and not value.isprintable():
        return None
    if isinstance(value, str):
        return _emission(value) if key == "emits" else NEUTRAL.get((key, value), value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"probability": value} if key == "emits" else str(value)[:MAX_WORDS] if key in _NAMES else value
    return value


_NAMES = ("process", "thread", "stream", "device")


def _emission(text: str) -> Any:
    word, _, count = text[:MAX_WORDS].partition(" ")
    return {"every": int(count)} if word == "every" and count.isdecimal() else text


def _costs(attributes: Mapping[str, Any], left_out: list[str]) -> Costs | None:
    stated = attributes.get("costs")
    given = {key: f"{attributes[name]} us" for name, key in MICROSECONDS.items() if attributes.get(name) is not None}
    if attributes.get("ops") is not None:
        given["ops"] = attributes["ops"]
    given |= stated if isinstance(stated, dict) else {}
    unknown = [key for key in given if key not in CostsEntry.model_fields]
    left_out += [f"costs.{str(key)[:MAX_WORDS]} is left out: it is no cost" for key in unknown]
    costs = _fitting(CostsEntry, {key: given[key] for key in given if key not in unknown}, left_out, {}, "costs.")
    if not costs.model_fields_set:
        return None
    return Costs(
        build_s=costs.build,
        submit_s=costs.submit,
        device_s=costs.device,
        device_after_idle_s=costs.device_after_idle,
        host_s=costs.host,
        kernels=costs.kernels,
        ops=costs.ops,
        output_bytes=costs.output,
        weights_bytes=costs.weights,
        intermediates_bytes=costs.intermediates,
        buffers=costs.buffers,
    )


def _fitting(
    model: type[Entry], given: Mapping[str, Any], left_out: list[str], needed: Mapping[str, Any], where: str = ""
) -> Entry:
    """Return the entry of all values that its model takes; the others are left out."""
    try:
        return model.model_validate({**needed, **given})
    except ValidationError as failure:
        wrong = {str(error["loc"][0]): error["msg"] for error in failure.errors(include_url=False)}
    left_out += [f"{where}{key} is left out: {message}" for key, message in wrong.items()]
    return model.model_validate({**needed, **{key: value for key, value in given.items() if key not in wrong}})


def _agreeing(body: GraphNode, left_out: list[str]) -> GraphNode:
    """Return the body without an evaluation point where there can be none, and without a pin of none."""
    if body.evaluate != OFF and body.backend == "host":
        left_out.append("evaluate is left out: it works on the host, where values are there already")
        body = replace(body, evaluate=OFF)
    if body.pinned and body.evaluate == OFF:
        left_out.append("pinned is left out: there is no evaluation point")
        body = replace(body, pinned=False)
    return body
