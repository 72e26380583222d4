"""What is installed over this environment: only what was asked for, and what that needs beyond what is here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import default_environment

from placement_cli.errors import UsageError
from placement_cli.gate import overlay
from placement_cli.gate.commands import Done
from placement_cli.gate.overlay import ROUNDS, fill, installed_versions, pinned, unmet, with_backend

HERE = {"numpy": "2.1.0", "zoo-keeper": "1.0rc1"}
LINUX: Mapping[str, object] = {"python_version": "3.12", "sys_platform": "linux", "extra": ""}


def install(folder: Path, name: str, version: str, *needs: str) -> None:
    """Put the metadata of a distribution into a folder, as pip does."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {need}" for need in needs)]
    (info / "METADATA").write_text("Metadata-Version: 2.1\n" + "\n".join(lines) + "\n")


def inside(folder: Path, *needs: str, name: str = "thing") -> list[Distribution]:
    """Return the distributions of a folder that holds one with these needs."""
    install(folder, name, "1.0", *needs)
    return list(distributions(path=[str(folder)]))


@pytest.mark.parametrize(
    ("need", "left"),
    [
        ("numpy>=2", set()),
        ("NumPy (>=2)", set()),
        ("zoo_keeper>=1.0rc1", set()),
        ("numpy>=3", {"numpy>=3"}),
        ("scipy", {"scipy"}),
        ("thing<2", set()),
        ("scipy; sys_platform == 'win32'", set()),
        ("scipy>=1; sys_platform == 'linux'", {"scipy>=1"}),
        ("scipy; extra == 'fast'", set()),
        ("pkg @ file:///somewhere/pkg.whl", {"pkg @ file:///somewhere/pkg.whl"}),
    ],
)
def test_what_is_needed_and_not_here_is_left(need: str, left: set[str], tmp_path: Path) -> None:
    """Names in any form, versions also before a release, and markers of this machine count; extras do not."""
    assert unmet(inside(tmp_path, need), HERE, LINUX) == left


def test_extras_that_were_asked_for_count(tmp_path: Path) -> None:
    """And only those, of that distribution alone."""
    needs = ("scipy; extra == 'fast'", "pandas; extra == 'slow'", "numpy>=2")
    found = inside(tmp_path, *needs, name="The_Thing")
    assert unmet(found, HERE, LINUX, {"the-thing": {"fast"}}) == {"scipy"}
    assert unmet(found, HERE, LINUX, {"other": {"fast"}}) == set()


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("mlx==0.31.1", ["mlx==0.31.1", "mlx-cpu==0.31.1"]),
        ("MLX == 0.31.1", ["MLX == 0.31.1", "mlx-cpu==0.31.1"]),
        ("mlx[cpu]==0.31.1", ["mlx[cpu]==0.31.1", "mlx-cpu==0.31.1"]),
        ("mlx<0.31", ["mlx<0.31", "mlx-cpu<0.31"]),
        ("mlx==0.31.1; python_version > '3'", ["mlx==0.31.1; python_version > '3'", "mlx-cpu==0.31.1"]),
        ("mlx @ file:///mlx.whl", ["mlx @ file:///mlx.whl"]),
        ("mlx-data==1", ["mlx-data==1"]),
        ("/folder/of/mlx==0.31", ["/folder/of/mlx==0.31"]),
    ],
)
def test_mlx_comes_with_its_backend(asked: str, wanted: list[str]) -> None:
    """They only work in pairs, so every installed backend is asked for in the same versions; nothing else is."""
    assert list(with_backend(asked, ["mlx-cpu", "something"])) == wanted


@pytest.mark.parametrize(
    ("asked", "is_pinned"),
    [("mlx==0.31.1", True), ("mlx==0.31.*", False), ("mlx<1", False), ("mlx==1,!=2", False), ("x @ file:///x", False)],
)
def test_one_version_is_the_same_tomorrow(asked: str, is_pinned: bool) -> None:
    """Anything else may be another release by then."""
    assert pinned(asked) is is_pinned


@pytest.fixture(autouse=True)
def this_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only numpy is installed here, and no MLX."""
    monkeypatch.setattr(overlay, "installed_versions", lambda: HERE)
    monkeypatch.setattr(overlay, "installed_builds", list)


def wanted_of(words: Sequence[str]) -> list[str]:
    """What pip is asked to install: all behind the end of its options."""
    return list(words[words.index("--") + 1 :])


def test_only_what_is_missing_is_installed_too(programs: Callable[..., Any], tmp_path: Path) -> None:
    """Rounds go on until nothing is missing; pip never looks for what a distribution needs by itself."""

    def pip(words: Sequence[str]) -> None:
        for asked in wanted_of(words):
            needs = {"thing==1": ("part>=2", "numpy", "fast-part; extra == 'fast'")}
            install(tmp_path, asked.partition("=")[0].partition(">")[0].partition("[")[0], "2.0", *needs.get(asked, ()))

    run = programs(pip)
    fill(tmp_path, "thing==1", run)
    assert [wanted_of(words) for words in run.asked] == [["thing==1"], ["part>=2"]]
    for words in run.asked:
        assert words[:4] == [sys.executable, "-m", "pip", "install"]
        assert {"--no-deps", "--no-input", "--target", str(tmp_path)} <= set(words[: words.index("--")])


def test_what_an_extra_needs_is_installed(programs: Callable[..., Any], tmp_path: Path) -> None:
    """Where it was asked for."""

    def pip(words: Sequence[str]) -> None:
        for asked in wanted_of(words):
            needs = ("part; extra == 'fast'",) if asked == "thing[fast]==1" else ()
            install(tmp_path, asked.partition("[")[0], "1.0", *needs)

    run = programs(pip)
    fill(tmp_path, "thing[fast]==1", run)
    assert [wanted_of(words) for words in run.asked] == [["thing[fast]==1"], ["part"]]


def test_a_chain_without_end_is_given_up(programs: Callable[..., Any], tmp_path: Path) -> None:
    """Something that needs ever more is named."""

    def pip(words: Sequence[str]) -> None:
        (asked,) = wanted_of(words)
        number = int(asked.removeprefix("thing"))
        install(tmp_path, f"thing{number}", "1.0", f"thing{number + 1}")

    run = programs(pip)
    with pytest.raises(UsageError, match=r"thing0: needs more and more packages \(thing6\)"):
        fill(tmp_path, "thing0", run)
    assert len(run.asked) == ROUNDS


def test_what_cannot_be_installed_is_told_in_the_words_of_pip(programs: Callable[..., Any], tmp_path: Path) -> None:
    """With what was to be installed."""
    run = programs(lambda _: Done(1, "", "ERROR: No matching distribution found for thing==9"))
    with pytest.raises(UsageError, match=r"thing==9 cannot be installed: ERROR: No matching distribution"):
        fill(tmp_path, "thing==9", run)


def test_a_reference_never_becomes_an_option_of_pip(programs: Callable[..., Any], tmp_path: Path) -> None:
    """Whatever it begins with, it stands behind the end of options."""
    run = programs()
    with pytest.raises(UsageError, match="nothing was installed"):
        fill(tmp_path, "--index-url=http://example.org", run)
    (words,) = run.asked
    assert wanted_of(words) == ["--index-url=http://example.org"]


def test_this_environment_has_names_in_one_form() -> None:
    """So that they can be compared with those a distribution needs."""
    found = installed_versions()
    assert all(name == name.lower() and "_" not in name for name in found)
    assert found.keys() >= {"numpy", "packaging"}
    assert not unmet([], found, default_environment())
