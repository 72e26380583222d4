import importlib.metadata
from collections.abc import Callable
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

import pytest

from placement_cli.device.builds import installed_builds, mlx_problem

SO = "mlx/lib/libmlx.so"
CORE = "mlx/core.cpython-311-x86_64-linux-gnu.so"
Find = Callable[[str], Distribution]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site-packages folder."""
    return tmp_path


def install(site: Path, name: str, version: str, *files: str, installer: str = "pip") -> None:
    """Put files and the metadata of a wheel there, as pip does."""
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "INSTALLER").write_text(f"{installer}\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in (*files, f"{info.name}/RECORD")))
    for file in files:
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).touch()


def find_in(site: Path) -> Find:
    """Look distributions up in one folder, as `importlib.metadata.distribution` does on the whole path."""

    def find(name: str) -> Distribution:
        found = next(iter(Distribution.discover(name=name, path=[str(site)])), None)
        if found is None:
            raise PackageNotFoundError(name)
        return found

    return find


def test_one_backend_of_the_same_version_is_fine(site: Path) -> None:
    """What `pip install mlx[cpu]` gives has no problem."""
    install(site, "mlx", "0.32.4", CORE)
    install(site, "mlx-cpu", "0.32.4", SO)
    assert mlx_problem(find_in(site)) is None
    assert [(build.name, build.libraries) for build in installed_builds(find_in(site))] == [
        ("mlx", ()),
        ("mlx-cpu", (SO,)),
    ]


def test_a_mac_is_fine(site: Path) -> None:
    """What `pip install mlx` gives on a Mac has no problem."""
    install(site, "mlx", "0.32.4", "mlx/core.cpython-312-darwin.so")
    install(site, "mlx-metal", "0.32.4", "mlx/lib/libmlx.dylib", "mlx/lib/mlx.metallib")
    assert mlx_problem(find_in(site)) is None


def test_two_backends_are_a_problem_with_a_way_out(site: Path) -> None:
    """Two backends ship the same file; the sentence names them, the file and the commands."""
    install(site, "mlx", "0.32.4", CORE)
    install(site, "mlx-cpu", "0.32.4", SO)
    install(site, "mlx-cuda-13", "0.32.4", SO)
    problem = mlx_problem(find_in(site)) or ""
    assert "mlx-cpu 0.32.4 and mlx-cuda-13 0.32.4 are installed together" in problem
    assert SO in problem
    assert "pip uninstall mlx-cpu mlx-cuda-13`" in problem
    assert "pip install 'mlx[cpu]'` or `python -m pip install 'mlx[cuda13]'`" in problem


def test_a_library_lost_to_an_uninstall_is_a_problem(site: Path) -> None:
    """After one of two backends was removed, the other is installed without its library."""
    install(site, "mlx", "0.32.4", CORE)
    install(site, "mlx-cpu", "0.32.4", SO)
    (site / SO).unlink()
    problem = mlx_problem(find_in(site)) or ""
    assert f"its file {SO} is gone" in problem
    assert "--force-reinstall --no-deps mlx-cpu==0.32.4`" in problem


def test_versions_that_differ_are_a_problem(site: Path) -> None:
    """The package and its backend are built for each other."""
    install(site, "mlx", "0.32.4", CORE)
    install(site, "mlx-cpu", "0.31.1", SO)
    problem = mlx_problem(find_in(site)) or ""
    assert "mlx 0.32.4 and mlx-cpu 0.31.1 do not belong together" in problem
    assert "pip install mlx==0.32.4 mlx-cpu==0.32.4`" in problem


def test_no_backend_is_a_problem(site: Path) -> None:
    """What a bare `pip install mlx` gives on Linux cannot be imported."""
    install(site, "mlx", "0.32.4", CORE)
    assert "mlx 0.32.4 is installed without a backend" in (mlx_problem(find_in(site)) or "")


def test_no_mlx_is_a_problem(site: Path) -> None:
    """Without MLX the sentence says how to get it."""
    problem = mlx_problem(find_in(site)) or ""
    assert problem.startswith("MLX is not installed.")
    assert "pip install 'mlx[cpu]'" in problem


def test_a_build_with_its_own_library_needs_no_backend(site: Path) -> None:
    """Older wheels and builds from source hold the library themselves."""
    install(site, "mlx", "0.20.0", CORE, SO)
    assert mlx_problem(find_in(site)) is None


def test_nothing_is_concluded_from_a_source_checkout(site: Path) -> None:
    """An editable install lists no files of MLX, which does not mean that it lacks them."""
    install(site, "mlx", "0.33.0.dev1", "__editable___mlx.pth")
    assert mlx_problem(find_in(site)) is None


def test_nothing_is_concluded_from_conda(site: Path) -> None:
    """conda keeps the library elsewhere and takes care that it fits."""
    install(site, "mlx", "0.32.4", CORE, installer="conda")
    assert mlx_problem(find_in(site)) is None


def test_a_distribution_without_a_record_is_no_problem(site: Path) -> None:
    """System packages may come without a list of files."""
    install(site, "mlx", "0.32.4", CORE)
    for record in site.glob("*/RECORD"):
        record.unlink()
    assert mlx_problem(find_in(site)) is None


def test_other_packages_named_after_mlx_are_left_alone(site: Path) -> None:
    """mlx-lm and its like are no backends."""
    install(site, "mlx", "0.32.4", CORE)
    install(site, "mlx-cpu", "0.32.4", SO)
    install(site, "mlx-lm", "0.31.3", "mlx_lm/__init__.py")
    assert mlx_problem(find_in(site)) is None
    assert len(installed_builds(find_in(site))) == 2


def test_the_installed_mlx_is_found() -> None:
    """Without a finder the builds are those of the running Python."""
    assert installed_builds()[0].version == importlib.metadata.version("mlx")
