"""The case of a graph: how its messages are fed, and how many of them make a sample."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from placement_cli.bench.cases import MAX_MESSAGES, MAX_RATE, MIN_RATE
from placement_cli.bench.duration import message_s
from placement_cli.errors import UsageError
from placement_cli.graph.graph import Graph
from placement_cli.graph.pipeline import ParameterValue, Pipeline
from placement_cli.located.places import quoted
from placement_cli.measure.specs import Arm, Case, Reading

MAX_SLUG = 40
"""Most characters of a graph's name in names of runs and cases."""
PACED_S, QUICK_PACED_S = 1.0, 0.25
"""How long a sample of a live source lasts, in a full and in a quick run,"""
LEAST_PACED = 16
"""but at least so many messages."""
SAMPLE_S, QUICK_SAMPLE_S = 4.0, 1.0
"""A sample of a counted source that would take longer than this on a slow machine holds fewer messages,"""
LEAST_MESSAGES = 16
"""but not fewer than these."""
MANY_MESSAGES = 128
"""A source of more messages is measured in samples that fill the device's queue twice: more only repeats that."""


@dataclass(frozen=True, slots=True)
class Feeding:
    """How messages come. `params` tells it in names of cases, `notes` are sentences on what differs from the graph."""

    reading: Reading
    params: dict[str, ParameterValue]
    messages: int = 0
    rate: float = 0.0
    duration_s: float = 0.0
    notes: tuple[str, ...] = ()


def graph_name(graph: Graph) -> str:
    """Return what runs of `graph` are called: its name in letters that a file system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", graph.name)[:MAX_SLUG].strip("-._") or "graph"


def graph_question(graph: Graph) -> str:
    """Return the question that measuring `graph` answers."""
    return f"What does each placement cost in the graph {quoted(graph.name)}?"


def graph_case(graph: Graph, pipeline: Pipeline, feeding: Feeding, arms: tuple[Arm, ...], base: str) -> Case:
    """Return the case in which `arms` compete in `pipeline`, which is `graph` made ready to run."""
    name = graph_name(graph)
    inside = ",".join(f"{key}={value}" for key, value in feeding.params.items())
    return Case(
        id=f"{name}[{inside}]" if inside else name,
        scenario=name,
        reading=feeding.reading,
        pipeline=pipeline,
        arms=arms,
        base=base,
        params=feeding.params,
        messages=feeding.messages,
        rate=feeding.rate,
        duration_s=feeding.duration_s,
    )


def feed(graph: Graph, pipeline: Pipeline, *, quick: bool) -> Feeding:
    """Return how the messages of `graph` are fed: live ones at their rate, all others back to back.

    Raises UsageError for a rate that no source can keep.
    """
    source = graph.source
    if source.kind == "live" and source.rate is not None:
        return _paced(source.rate, source.messages, quick=quick)
    notes = {
        "live": "The source has no rate: messages come as fast as they are taken.",
        "loop": "Messages come from the source, not from the outputs of the one before.",
        "once": "A sample is one pass." if source.messages is None else "",
    }
    told = tuple(filter(None, [notes.get(source.kind, "")]))
    wanted = source.messages or (1 if source.kind == "once" else 0)
    messages = _affordable(graph, pipeline, wanted, quick=quick) if wanted <= MANY_MESSAGES else 0
    if not messages and wanted:
        told += (f"A sample holds enough messages to fill the device's queue twice, not all {wanted}.",)
    elif messages < wanted:
        told += (f"A sample holds {messages} of the {wanted} messages.",)
    params: dict[str, ParameterValue] = {"messages": messages} if messages else {}
    return replace(Feeding(Reading.STREAM, params), messages=messages, notes=told)


def _affordable(graph: Graph, pipeline: Pipeline, wanted: int, *, quick: bool) -> int:
    """Return how many of the `wanted` messages a sample holds; 0 where it is left to the clock."""
    case = graph_case(graph, pipeline, Feeding(Reading.STREAM, {}), (), "")
    limit_s = QUICK_SAMPLE_S if quick else SAMPLE_S
    return min(wanted, MAX_MESSAGES, max(LEAST_MESSAGES, int(limit_s / message_s(case))))


def _paced(rate: float, messages: int | None, *, quick: bool) -> Feeding:
    if not MIN_RATE <= rate <= MAX_RATE:
        raise UsageError(f"source.rate is {rate:g}; expected {MIN_RATE:g} to {MAX_RATE:g} messages per second")
    usual = max(LEAST_PACED, (QUICK_PACED_S if quick else PACED_S) * rate)
    count = round(min(usual, messages or usual, MAX_MESSAGES))
    told = f"A sample holds {count} of the {messages} messages." if messages and count < messages else ""
    params: dict[str, ParameterValue] = {"rate": int(rate) if rate == int(rate) else rate}
    return Feeding(Reading.PACED, params, rate=rate, duration_s=count / rate, notes=(told,) if told else ())
