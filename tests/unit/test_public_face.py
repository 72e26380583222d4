"""What `import placement_cli` gives, and what it does not cost."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

import placement_cli

FACE = [
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
HEAVY = ["mlx", "numpy", "pandas", "scipy", "typer", "rich", "pydantic", "ruamel", "psutil"]


def answer(code: str) -> str:
    """Return what `code` prints in a fresh interpreter that finds the package."""
    root = Path(placement_cli.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_face_has_the_names_a_pipeline_needs() -> None:
    """The public names are these, each of them can be had, and `dir` lists them."""
    assert placement_cli.__all__ == FACE
    assert all(hasattr(placement_cli, name) for name in FACE)
    assert set(FACE) <= set(dir(placement_cli))


def test_importing_the_face_imports_nothing_heavy() -> None:
    """A pipeline or a command that starts pays for the standard library alone."""
    code = f"import sys, placement_cli; print([name for name in {HEAVY} if name in sys.modules])"
    assert answer(code) == "[]"


def test_using_the_face_on_other_backends_imports_nothing_heavy() -> None:
    """Evaluation points that meet no MLX array leave MLX alone."""
    use = "p.materialize_array([1]); p.materialize({}); p.RunAheadWindow(1)(None); p.EvaluateEvery(1)(None)"
    code = f"import sys, placement_cli as p; {use}; print([name for name in {HEAVY} if name in sys.modules])"
    assert answer(code) == "[]"


@pytest.mark.parametrize(
    "first",
    [
        "import placement_cli",
        "import placement_cli.materialize",
        "from placement_cli.materialize import RunAheadWindow",
        "import placement_cli.materialize.window",
    ],
)
def test_materialize_is_the_function_whatever_was_imported_first(first: str) -> None:
    """The package of the same name never takes the place of the function."""
    code = f"{first}; import placement_cli as p; print(p.materialize.__name__, p.materialize([3]))"
    assert answer(code) == "materialize [3]"


def test_a_star_import_gives_the_face() -> None:
    """`from placement_cli import *` binds the public names, the version included."""
    names: dict[str, object] = {}
    exec("from placement_cli import *", names)
    assert set(FACE) <= set(names)


def test_the_version_is_that_of_the_installed_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version stands in one place, the metadata of the distribution."""
    monkeypatch.setattr(importlib.metadata, "version", lambda name: f"9.9 of {name}")
    assert placement_cli.__version__ == "9.9 of placement-cli"


def test_a_source_tree_that_was_never_installed_says_that_its_version_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without metadata the version is not guessed."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert placement_cli.__version__ == "0+unknown"


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails as it does for any module."""
    with pytest.raises(AttributeError, match="has no attribute 'materialise'"):
        _ = placement_cli.materialise  # type: ignore[attr-defined]  # it is not there: that is the test
