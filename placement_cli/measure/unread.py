"""Which outputs nothing in their own message computes: they cost nothing until somebody asks for them.

A stream is timed until all values are there, so such outputs are held, and evaluated before the clock stops. An arm
that lets go of them unevaluated would be fast because it never does the work.
"""

from __future__ import annotations

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
    in_between = arm.mode is ArmMode.EVERY and arm.depth > 1
    computed = {SOURCE, *(() if in_between else arm.sites)}
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
