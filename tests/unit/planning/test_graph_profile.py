"""Whose constants advice on a graph rests on, and the sentence that says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from placement_cli.errors import UnreadableInput, UsageError
from placement_cli.graph.graph import DeviceName, GpuBackend, Graph, GraphNode, GraphSource, Platform
from placement_cli.planning.graph_profile import Here, profile_for
from placement_cli.profile.defaults import PUBLISHED, RECORDED_EVALUATION, shipped_profile
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile
from placement_cli.profile.saved import save_profile

Setting = Callable[..., Here]


def graph(device: DeviceName | None = None, gpu: GpuBackend | None = None) -> Graph:
    """Return a graph of one node for a device and a backend of GPUs."""
    return Graph(GraphSource(8, 8), (GraphNode("a", ()),), device=device, platform=Platform(gpu))


def key_of(backend: str) -> ProfileKey:
    """Return the key of a set-up that no machine has."""
    return ProfileKey("Chip X", backend, 1, "float32", {"mlx": "9.9"})


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    """Return a function that makes a machine with or without a GPU, of Apple or not, its profiles in one folder."""

    def make(*, gpu: bool = False, metal: bool = True) -> Here:
        monkeypatch.setattr(mx.metal, "is_available", lambda: metal)
        return Here(lambda: gpu, key_of, lambda: tmp_path)

    return make


def saved(folder: Path, backend: str, **changes: object) -> Profile:
    """Keep a calibrated profile of `backend` in `folder` and return it."""
    profile = replace(
        shipped_profile(PUBLISHED), name="mine", key=key_of(backend), confidence="calibrated", provenance="fitted here"
    )
    profile = replace(profile, **changes)  # type: ignore[arg-type]  # fields by name
    save_profile(profile, folder, "1")
    return profile


@pytest.mark.parametrize(
    ("device", "gpu", "here", "kind"),
    [
        (None, None, {"gpu": True}, "metal"),
        (None, None, {"gpu": True, "metal": False}, "cuda"),
        (None, None, {}, "cpu"),
        ("gpu", None, {}, "metal"),
        ("cpu", None, {"gpu": True}, "cpu"),
        (None, "metal", {}, "metal"),
        (None, "cuda", {}, "cuda"),
        (None, "cuda", {"gpu": True}, "cuda"),
        (None, "none", {"gpu": True}, "cpu"),
        ("cpu", "metal", {}, "cpu"),
    ],
)
def test_a_graph_runs_where_it_says_or_where_mlx_would_run_it(
    setting: Setting, device: DeviceName | None, gpu: GpuBackend | None, here: dict[str, bool], kind: str
) -> None:
    """Device and platform decide; without them it is the GPU where MLX has one, else the CPU."""
    assert profile_for(graph(device, gpu), here=setting(**here)).kind == kind


@pytest.mark.parametrize(
    ("device", "gpu", "here", "backend"),
    [(None, None, {"gpu": True}, "mlx-gpu"), ("gpu", "metal", {"gpu": True}, "mlx-gpu"), ("cpu", None, {}, "mlx-cpu")],
)
def test_the_profile_that_was_fitted_here_comes_first(
    setting: Setting,
    tmp_path: Path,
    device: DeviceName | None,
    gpu: GpuBackend | None,
    here: dict[str, bool],
    backend: str,
) -> None:
    """It is that of the device on which the graph runs, and says that it is of this machine."""
    mine = saved(tmp_path, backend)
    found = profile_for(graph(device, gpu), here=setting(**here))
    assert (found.profile, found.confidence) == (mine, "calibrated")
    assert found.why == "it was fitted on this machine"


@pytest.mark.parametrize(
    ("device", "gpu", "here", "name", "confidence", "place"),
    [
        ("gpu", None, {}, PUBLISHED, "published", "a Metal GPU"),
        (None, "metal", {"gpu": True, "metal": False}, PUBLISHED, "published", "a Metal GPU"),
        (None, "cuda", {"gpu": True}, PUBLISHED, "assumed", "a CUDA GPU"),
        (None, "none", {}, RECORDED_EVALUATION, "assumed", "another CPU"),
    ],
)
def test_a_graph_for_another_machine_is_not_judged_by_a_profile_of_this_one(
    setting: Setting,
    tmp_path: Path,
    device: DeviceName | None,
    gpu: GpuBackend | None,
    here: dict[str, bool],
    name: str,
    confidence: str,
    place: str,
) -> None:
    """Shipped constants stand in, trusted less where they are of another backend, and the reason names the place."""
    saved(tmp_path, "mlx-gpu")
    saved(tmp_path, "mlx-cpu")
    found = profile_for(graph(device, gpu), here=setting(**here))
    assert (found.profile.name, found.confidence) == (name, confidence)
    assert f"this graph is for {place}, which is not in this machine" in found.why


def test_without_a_profile_of_this_machine_the_reason_says_how_to_make_one(setting: Setting) -> None:
    """The published figures stand in on a Mac, the recorded ones on a CPU; both say what measures this machine."""
    mac = profile_for(graph(), here=setting(gpu=True))
    assert (mac.profile.name, mac.confidence) == (PUBLISHED, "published")
    cpu = profile_for(graph(), here=setting())
    assert (cpu.profile.name, cpu.confidence) == (RECORDED_EVALUATION, "assumed")
    assert all("`placement fit-costs`" in found.why for found in (mac, cpu))


def test_a_stale_profile_is_passed_over_with_what_differs(setting: Setting, tmp_path: Path) -> None:
    """After an update of MLX the old constants are not used in silence."""
    saved(tmp_path, "mlx-cpu", key=replace(key_of("mlx-cpu"), versions={"mlx": "9.8"}))
    found = profile_for(graph(), here=setting())
    assert found.profile.name == RECORDED_EVALUATION
    assert "the version of mlx was 9.8 and is 9.9" in found.why


def test_a_damaged_profile_is_passed_over_with_the_reason(setting: Setting, tmp_path: Path) -> None:
    """Advice goes on by shipped constants; the person learns which file to look at."""
    (tmp_path / key_of("mlx-cpu").file_name).write_text("{", encoding="utf-8")
    found = profile_for(graph(), here=setting())
    assert found.profile.name == RECORDED_EVALUATION
    assert "this is no JSON" in found.why


def test_a_profile_of_products_alone_does_not_count(setting: Setting, tmp_path: Path) -> None:
    """One without constants of evaluation is as none."""
    saved(tmp_path, "mlx-cpu", evaluation={})
    assert profile_for(graph(), here=setting()).profile.name == RECORDED_EVALUATION


@pytest.mark.parametrize("named", [PUBLISHED, RECORDED_EVALUATION])
def test_a_shipped_profile_can_be_named(setting: Setting, tmp_path: Path, named: str) -> None:
    """It comes before the one that was fitted here, whatever the graph runs on."""
    saved(tmp_path, "mlx-cpu")
    found = profile_for(graph(), named, setting())
    assert (found.profile, found.why) == (shipped_profile(named), "you chose it")


def test_a_file_can_be_named(setting: Setting, tmp_path: Path) -> None:
    """A profile from another machine is taken as it is, with its own confidence."""
    mine = saved(tmp_path / "theirs", "mlx-gpu")
    found = profile_for(graph(), str(tmp_path / "theirs" / mine.key.file_name), setting())
    assert (found.profile, found.confidence, found.why) == (mine, "calibrated", "you chose it")


def test_a_name_that_is_not_known_is_told_with_the_nearest(setting: Setting) -> None:
    """Only shipped profiles with constants of evaluation are proposed."""
    with pytest.raises(UsageError, match=f"is no file, and no shipped profile. Did you mean '{PUBLISHED}'"):
        profile_for(graph(), "apple-m4-published", setting())


def test_a_named_profile_without_constants_of_evaluation_is_refused(setting: Setting) -> None:
    """What products cost says nothing of evaluation."""
    with pytest.raises(UsageError, match="holds no constants of evaluation"):
        profile_for(graph(), "numpy-1-thread-float32", setting())


def test_a_named_file_that_is_damaged_is_refused(setting: Setting, tmp_path: Path) -> None:
    """Unlike a saved one it is not passed over: somebody asked for it."""
    path = tmp_path / "profile.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(UnreadableInput, match="no document of a placement profile"):
        profile_for(graph(), str(path), setting())
