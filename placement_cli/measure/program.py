"""The loop of one arm, written out for its pipeline.

A general loop that walks a list of nodes costs more than the work of a small graph. So the loop is generated, as
`timeit` does it: one local name for each step, one statement for each node and evaluation point. Only numbers
enter the source; names of nodes never do.

A value's slot is used again, or emptied, once its last reader has run, so that no local name keeps an intermediate
alive: MLX can then donate its buffer, as in a pipeline that hands messages on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from placement_cli.graph.pipeline import SOURCE, Pipeline

Run = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Feeds messages through the pipeline; returns the values of its sinks for the last message."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the generated loop calls: `ingest` makes an array of a message, `steps` one function a node.

    `points` maps a site to the function called with its output there and the arrays that each of `states` returns.
    `keeps` maps a sink to the function that receives its output when a message is through, `convert` turns the
    sinks into NumPy after that.
    """

    ingest: Callable[[Any], Any]
    steps: Mapping[str, Callable[..., Any]]
    points: Mapping[str, Callable[..., Any]]
    states: Sequence[Callable[[], Sequence[Any]]] = ()
    keeps: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    convert: Callable[[Any], Any] | None = None


def sinks(pipeline: Pipeline) -> tuple[str, ...]:
    """Return the names of the nodes whose output no other node reads."""
    read = {name for node in pipeline.nodes for name in node.inputs}
    return tuple(node.name for node in pipeline.nodes if node.name not in read)


def write_run(pipeline: Pipeline, parts: Parts) -> Run:
    """Compile the loop for `pipeline`.

    The returned function takes the messages of one sample and returns the sinks' values for the last of them.
    """
    source, bindings = _write(pipeline, parts)
    namespace: dict[str, Any] = dict(bindings)
    exec(compile(source, "<message loop>", "exec"), namespace)  # noqa: S102 - only numbers enter the source
    run: Run = namespace["run"]
    return run


def source_of(pipeline: Pipeline, parts: Parts) -> str:
    """Return the source that `write_run` compiles, for people who want to read what is timed."""
    return _write(pipeline, parts)[0]


def _write(pipeline: Pipeline, parts: Parts) -> tuple[str, dict[str, Any]]:
    slots = _Slots(pipeline)
    bindings: dict[str, Any] = {"ingest": parts.ingest}
    body = [f"{slots.take(SOURCE)} = ingest(message)", *_node_statements(pipeline, parts, slots, bindings)]
    ends = {name: slots.of(name) for name in sinks(pipeline)}
    body += _end_statements(parts, ends, bindings)
    return _assemble(body, sorted(bindings), list(ends.values())), bindings


def _node_statements(pipeline: Pipeline, parts: Parts, slots: _Slots, bindings: dict[str, Any]) -> Iterator[str]:
    """Yield the statements of every node; the functions they call are added to `bindings`."""
    bindings |= {f"state{number}": state for number, state in enumerate(parts.states)}
    states = "".join(f", *state{number}()" for number in range(len(parts.states)))
    for index, node in enumerate(pipeline.nodes):
        arguments = ", ".join(slots.of(name) for name in node.inputs)
        ended = slots.release_after(index)
        target = slots.take(node.name)
        bindings[f"step{index}"] = parts.steps[node.name]
        yield f"{target} = step{index}({arguments})"
        for slot in ended:
            if slot != target:
                yield f"{slot} = None"
        if node.name in parts.points:
            bindings[f"point{index}"] = parts.points[node.name]
            yield f"point{index}({target}{states})"


def _end_statements(parts: Parts, ends: Mapping[str, str], bindings: dict[str, Any]) -> Iterator[str]:
    """Yield the statements at the end of a message, with the sinks in the slots `ends`."""
    for index, (name, keep) in enumerate(parts.keeps.items()):
        bindings[f"keep{index}"] = keep
        yield f"keep{index}({ends[name]})"
    if parts.convert is not None:
        bindings["convert"] = parts.convert
        yield from (f"convert({end})" for end in ends.values())


def _assemble(body: Sequence[str], names: Sequence[str], ends: Sequence[str]) -> str:
    """Put the statements into a loop whose names are all local."""
    locals_ = ", ".join(f"{name}={name}" for name in names)
    lines = "\n        ".join(body)
    empty = " = ".join(ends)
    return (
        f"def run(messages, *, {locals_}):\n"
        f"    {empty} = None\n"
        f"    for message in messages:\n"
        f"        {lines}\n"
        f"    return ({', '.join(ends)},)\n"
    )


class _Slots:
    """Local names for values, each used again after the last reader of its value."""

    def __init__(self, pipeline: Pipeline) -> None:
        last: dict[str, int] = {}
        for index, node in enumerate(pipeline.nodes):
            for name in node.inputs:
                last[name] = index
        self._ending: dict[int, list[str]] = {}
        for name, index in last.items():
            self._ending.setdefault(index, []).append(name)
        self._free: list[int] = []
        self._slot: dict[str, int] = {}
        self._count = 0

    def of(self, name: str) -> str:
        return f"v{self._slot[name]}"

    def take(self, name: str) -> str:
        if not self._free:
            self._free.append(self._count)
            self._count += 1
        self._slot[name] = self._free.pop()
        return self.of(name)

    def release_after(self, index: int) -> list[str]:
        ending = self._ending.get(index, [])
        self._free += [self._slot[name] for name in ending]
        return [self.of(name) for name in ending]
