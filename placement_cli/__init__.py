"""Measure, on your own machine, where an MLX pipeline should evaluate; and evaluate there.

    import placement_cli as placement

gives a pipeline what it needs at run time: evaluation points (`materialize` and the modes), products with weights
that have blocks (`plan_block_matmul` and what it returns), advice for a graph (`load_graph`, `advise`), and what a
part of a program does with MLX (`with trace():`). The rest of the package is the `placement` command. Importing this
package imports no array library and nothing else that is slow to start: what plans products, advises or traces is
imported when it is first asked for. `placement_cli.ezmsg` is the bridge to ezmsg-sigproc.

`placement_cli.materialize` is the function here. The package of that name is meant for `from ... import ...`
(`from placement_cli.materialize import NothingMaterialized`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Not lazy: it needs the standard library alone, and only a function bound after the import of the package of
# the same name is sure to be what the name `materialize` means here.
from placement_cli.materialize import (
    EvaluateEvery,
    MaterializeMode,
    RunAheadWindow,
    materialize,
    materialize_array,
)

if TYPE_CHECKING:
    from placement_cli.advice.advice import Advice
    from placement_cli.advice.with_profile import advise
    from placement_cli.blocks.partition import contiguous_block_partition
    from placement_cli.blocks.plan import BlockPlan, apply_block_plan
    from placement_cli.cli.trace_block import trace
    from placement_cli.graph.document.reading import graph_of, load_graph
    from placement_cli.graph.graph import Graph
    from placement_cli.planning.matmul import plan_block_matmul, plan_for_lengths
    from placement_cli.profile.defaults import shipped_profile
    from placement_cli.profile.profile import Profile
    from placement_cli.profile.saved import load_profile

__version__: str

__all__ = [
    "Advice",
    "BlockPlan",
    "EvaluateEvery",
    "Graph",
    "MaterializeMode",
    "Profile",
    "RunAheadWindow",
    "__version__",
    "advise",
    "apply_block_plan",
    "contiguous_block_partition",
    "graph_of",
    "load_graph",
    "load_profile",
    "materialize",
    "materialize_array",
    "plan_block_matmul",
    "plan_for_lengths",
    "shipped_profile",
    "trace",
]

_FROM = {
    "Advice": "advice.advice",
    "BlockPlan": "blocks.plan",
    "Graph": "graph.graph",
    "Profile": "profile.profile",
    "advise": "advice.with_profile",
    "apply_block_plan": "blocks.plan",
    "contiguous_block_partition": "blocks.partition",
    "graph_of": "graph.document.reading",
    "load_graph": "graph.document.reading",
    "load_profile": "profile.saved",
    "plan_block_matmul": "planning.matmul",
    "plan_for_lengths": "planning.matmul",
    "shipped_profile": "profile.defaults",
    "trace": "cli.trace_block",
}
"""Where the names are that are imported when first asked for."""


if not TYPE_CHECKING:  # a type checker that saw this would take every misspelt name for an attribute

    def __getattr__(name: str) -> Any:
        """Return what is looked up only when asked for: the version of the installed distribution, and the planner."""
        if name == "__version__":
            return _installed_version()
        if name in _FROM:
            return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _installed_version() -> str:
    """Return the version; `0+unknown` for a source tree that was never installed, which has no metadata."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("placement-cli")
    except PackageNotFoundError:
        return "0+unknown"
