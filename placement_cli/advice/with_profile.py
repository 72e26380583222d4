"""Advice from a graph and a profile, for programs that have both: the function behind `placement.advise`."""

from __future__ import annotations

from placement_cli.advice.advice import Advice, ProfileUse
from placement_cli.advice.advising import advise as advise_on
from placement_cli.advice.machine import Kind, machine_of
from placement_cli.errors import UsageError
from placement_cli.graph.graph import Graph
from placement_cli.profile.profile import Profile


def advise(graph: Graph, profile: Profile, *, pareto: bool = False) -> Advice:
    """Return where `graph` should evaluate by the constants of `profile`, and what is wrong with it today.

    The backend is the one that the graph names: `platform.gpu`, else the CPU for `device: cpu`, else that of the
    profile (a GPU counts as Metal). The result is a plain value: `placement` has the mode of every MLX node,
    `predicted` times in seconds and sizes in bytes with intervals, `findings` what to look at. With `pareto` it also
    has the placements that no other beats in host time, latency and memory at once. Nothing is measured and no file
    is read. Raises UsageError for a profile without constants of evaluation. The model is described in docs/advise.md.
    """
    if not profile.evaluation:
        raise UsageError(f"The profile {profile.name} holds no constants of evaluation. Run `placement fit-costs`.")
    use = ProfileUse(profile.name, profile.confidence, "it was given", profile.provenance)
    return advise_on(graph, machine_of(profile, _kind(graph, profile), use), pareto=pareto)


def _kind(graph: Graph, profile: Profile) -> Kind:
    if graph.platform.gpu in {"metal", "cuda"}:
        return "cuda" if graph.platform.gpu == "cuda" else "metal"
    on_cpu = graph.device == "cpu" or graph.platform.gpu == "none" or profile.key.backend == "mlx-cpu"
    return "cpu" if on_cpu else "metal"
