"""Whose constants of evaluation advice rests on: a profile that was named, the one saved here, or a shipped one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from placement_cli.device.mlx_device import has_gpu
from placement_cli.errors import NothingComparable, UnreadableInput, UsageError, did_you_mean
from placement_cli.profile.defaults import PUBLISHED, RECORDED_EVALUATION, SHIPPED, shipped_profile
from placement_cli.profile.places import profile_folder
from placement_cli.profile.saved import find_profile, load_profile

if TYPE_CHECKING:
    from placement_cli.graph.graph import Graph
    from placement_cli.profile.key import ProfileKey
    from placement_cli.profile.profile import Confidence, Profile

Kind = Literal["metal", "cuda", "cpu"]
FIT = "`placement fit-costs` measures this machine."


@dataclass(frozen=True, slots=True)
class GraphProfile:
    """A profile, the backend it stands for, how far to trust it for this graph, and one sentence on why this one.

    `is_here`: the graph runs on a device of this machine.
    """

    profile: Profile
    kind: Kind
    confidence: Confidence
    why: str
    is_here: bool = False


def _key(backend: str) -> ProfileKey:
    """Return the key of profiles of this set-up; imported late, for a graph of another machine needs none."""
    from placement_cli.measure.products.setup import profile_key

    return profile_key(backend, 1)


@dataclass(frozen=True, slots=True)
class Here:
    """What is looked up about this machine; replaced in tests."""

    has_gpu: Callable[[], bool] = has_gpu
    key: Callable[[str], ProfileKey] = _key
    folder: Callable[[], Path] = profile_folder


def profile_for(graph: Graph, named: str | None = None, here: Here | None = None) -> GraphProfile:
    """Return the profile for `graph`.

    `named` is a file or the name of a shipped profile. Without it: where the graph runs on a device of this machine,
    the profile saved for that; else the published figures for Metal, and what was recorded on x86 cores for the CPU.
    CUDA has none: the published figures of Metal are assumed. Raises UsageError for a name that is neither a file nor
    shipped, and for a profile without constants of evaluation.
    """
    here = here or Here()
    kind, is_here = _kind(graph, here)
    if named is not None:
        return _named(named, graph, kind, is_here=is_here)
    if not is_here:
        place = {"metal": "a Metal GPU", "cuda": "a CUDA GPU", "cpu": "another CPU"}[kind]
        return _shipped(kind, f"this graph is for {place}, which is not in this machine")
    reason = "nothing was measured for this set-up yet, which `placement fit-costs` does"
    try:
        found = find_profile(here.folder(), here.key("mlx-cpu" if kind == "cpu" else "mlx-gpu"))
        if found is not None and found.evaluation:
            return GraphProfile(found, kind, found.confidence, "it was fitted on this machine", is_here=True)
    except (NothingComparable, UnreadableInput, UsageError) as error:
        reason = str(error).rstrip(".")
    return replace(_shipped(kind, reason), is_here=True)


def _kind(graph: Graph, here: Here) -> tuple[Kind, bool]:
    """Return the backend that the graph runs on, and whether that is in this machine."""
    gpu = here.has_gpu()
    if graph.platform.gpu == "none" or graph.device == "cpu":
        return "cpu", graph.platform.gpu is None
    if graph.platform.gpu is None and graph.device is None and not gpu:
        return "cpu", True
    named: Kind = graph.platform.gpu if graph.platform.gpu in {"metal", "cuda"} else _here_kind(gpu)
    return named, gpu and named == _here_kind(gpu)


def _here_kind(gpu: bool) -> Kind:
    """Return the kind of GPU that MLX has here; Metal, for which figures were published, where it has none."""
    if not gpu:
        return "metal"
    import mlx.core as mx

    return "metal" if mx.metal.is_available() else "cuda"


def _named(named: str, graph: Graph, kind: Kind, *, is_here: bool) -> GraphProfile:
    """Return the named profile; a graph that names neither device nor platform runs where the profile is from."""
    path = Path(named)
    if named in SHIPPED:
        found = shipped_profile(named)
    elif path.exists():
        found = load_profile(path)
    else:
        shipped = [name for name in SHIPPED if shipped_profile(name).evaluation]
        raise UsageError(f"--profile {named}: is no file, and no shipped profile. {did_you_mean(named, shipped)}")
    if not found.evaluation:
        raise UsageError(f"--profile {named}: holds no constants of evaluation. {FIT}")
    if graph.device is None and graph.platform.gpu is None and (found.key.backend == "mlx-cpu") != (kind == "cpu"):
        kind, is_here = ("cpu" if found.key.backend == "mlx-cpu" else "metal"), False
    return GraphProfile(found, kind, found.confidence, "you chose it", is_here=is_here)


def _shipped(kind: Kind, reason: str) -> GraphProfile:
    if kind == "cpu":
        found = shipped_profile(RECORDED_EVALUATION)
        return GraphProfile(found, kind, "assumed", f"constants of another machine stand in: {reason}")
    found = shipped_profile(PUBLISHED)
    if kind == "metal":
        return GraphProfile(found, kind, "published", f"published figures of one Apple GPU stand in: {reason}")
    return GraphProfile(found, kind, "assumed", f"figures of an Apple GPU stand in for CUDA: {reason}")
