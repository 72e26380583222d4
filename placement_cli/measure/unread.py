"""Which outputs are computed in their own message, by what, and when the others are.

An output that nothing in its own message computes costs nothing until somebody asks for it. A stream is timed until
all values are there, so such outputs are held, and evaluated before the clock stops. An arm that lets go of them
unevaluated would be fast because it never does the work.
"""

from __future__ import annotations

from placement_cli.graph.mode import Mode
from placement_cli.graph.pipeline import SOURCE, Pipeline
from placement_cli.measure.program import sinks
from placement_cli.measure.specs import Arm, ArmMode
from placement_cli.operators.catalog import find_operator
from placement_cli.operators.values import VALUES


def unread_sinks(arm: Arm, pipeline: Pipeline) -> tuple[str, ...]:
    """Return the sinks that `arm` does not compute in the message they belong to, in the pipeline's order.

    Computed is what a point submits or waits for, what is turned into NumPy, and whatever these depend on.
    `every:K` waits for the newest message alone: an output of one in between is computed only where a later one
    depends on it, which most outputs do not.
    """
    if arm.values:
        return ()
    computed = _computed(arm, pipeline)
    return tuple(name for name in sinks(pipeline) if name not in computed)


def _computed(arm: Arm, pipeline: Pipeline) -> set[str]:
    computed = {SOURCE, *(site for site, mode in arm.points.items() if mode.period == 1)}
    computed.update(node.name for node in pipeline.nodes if node.op == VALUES.name)
    for node in reversed(pipeline.nodes):
        # A node that withholds gives out an array that depends on nothing.
        if node.name in computed and not find_operator(node.op).withholds:
            computed.update(node.inputs)
    for node in pipeline.nodes:
        # Host work hands on the very array that it was given.
        if find_operator(node.op).backend == "host" and computed.issuperset(node.inputs):
            computed.add(node.name)
    return computed


def held_messages(arm: Arm, pipeline: Pipeline, sink: str) -> int:
    """Return after how many messages the held outputs of an unread `sink` are evaluated; 0: only at the end.

    It is the K of an `every:K` that makes them, else of the most frequent one that the arm has.
    """
    points = arm.points
    own = points.get(_maker(pipeline, sink))
    if own is not None and own.kind is ArmMode.EVERY:
        return own.depth
    return min((mode.depth for mode in points.values() if mode.kind is ArmMode.EVERY), default=0)


def sink_modes(arm: Arm, pipeline: Pipeline) -> tuple[Mode, ...]:
    """Return the modes of the points at the sinks of `pipeline`: they say when the values of a message can be read.

    A sink without a point, the source, and what is NumPy's already can be read at once, and so is not among them.
    """
    if arm.values:
        return ()
    points = arm.points
    makers = dict.fromkeys(_maker(pipeline, sink) for sink in sinks(pipeline))
    return tuple(points[maker] for maker in makers if maker in points)


def waits_each_message(arm: Arm, pipeline: Pipeline) -> bool:
    """Tell whether every output is waited for in its own message, so that no second one is in flight."""
    if arm.values:
        return True
    points = arm.points
    waited = {site for site, mode in points.items() if mode.kind is ArmMode.SYNC or mode == Mode(ArmMode.EVERY, 1)}
    waited |= {SOURCE, *(node.name for node in pipeline.nodes if node.op == VALUES.name)}
    return all(_maker(pipeline, sink) in waited for sink in sinks(pipeline))


def _maker(pipeline: Pipeline, name: str) -> str:
    """Return the node that makes the array which `name` gives out: host work hands on what it was given."""
    while name != SOURCE:
        node = pipeline.node(name)
        if node.op == VALUES.name or find_operator(node.op).backend != "host":
            break
        name = node.inputs[0]
    return name
