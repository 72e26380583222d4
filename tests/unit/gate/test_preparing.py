"""From what `--against` names to a side, with git and pip played by the test."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from placement_cli.errors import UsageError
from placement_cli.gate import overlay, preparing
from placement_cli.gate.commands import Done
from placement_cli.gate.preparing import CACHE_VARIABLE, cache_folder, kept, prepare
from placement_cli.gate.reference import PACKAGE
from placement_cli.gate.side import ROOT

COMMIT = 40 * "a"


class Machine:
    """A machine with one revision, `main`, whose tree holds `tree`; pip puts one distribution where it is told to."""

    def __init__(self, folder: Path, tree: Sequence[str] = (f"{PACKAGE}/__init__.py",)) -> None:
        self.folder, self.tree, self.installs = folder, tree, 0
        self.has_package, self.root = True, ROOT

    def __call__(self, words: Sequence[str]) -> Done | None:
        """Do what is asked."""
        match words[1]:
            case "rev-parse" if "--show-toplevel" in words:
                return Done(0, str(self.folder), "")
            case "rev-parse":
                return Done(0, COMMIT, "") if words[-1] == "main^{commit}" else Done(1, "", "")
            case "clone":
                self._lay(Path(words[-1]))
            case "-m":
                self._install(Path(words[words.index("--target") + 1]))
            case "-P" if "SystemExit" in words[-1]:
                return Done(0 if self.has_package else 1, "", "")
            case "-P":
                root = str(self.root / PACKAGE / "__init__.py")
                facts = {"root": root, "python": "CPython 3.12", "packages": {"mlx": "0.31.1"}}
                return Done(0, json.dumps(facts), "")
        return None

    def _lay(self, into: Path) -> None:
        for name in self.tree:
            path = into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")

    def _install(self, into: Path) -> None:
        self.installs += 1
        info = into / "mlx-0.31.1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mlx\nVersion: 0.31.1\n")


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test looks at what is installed here."""
    for room in (preparing, overlay):
        monkeypatch.setattr(room, "installed_versions", dict)
    monkeypatch.setattr(overlay, "installed_builds", list)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which everything works."""
    return Machine(tmp_path / "work")


@pytest.fixture
def ready(machine: Machine, programs: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Prepares what is named, seen from a folder of this test; `told` gets what is said."""
    folder, cache = machine.folder, tmp_path / "cache"
    folder.mkdir()
    run = programs(machine)

    def make(given: str, told: list[str] | None = None) -> Any:
        return prepare(given, folder, cache, (told if told is not None else []).append, run)

    return make


def test_a_revision_of_this_package_is_used_as_it_lies(
    ready: Callable[..., Any], machine: Machine, tmp_path: Path
) -> None:
    """Its tree comes first on the path; it is laid out once, and told with its commit."""
    told: list[str] = []
    machine.root = tmp_path / "cache" / "trees" / COMMIT
    side, again = ready("main", told), ready("main", told)
    tree = str(tmp_path / "cache" / "trees" / COMMIT)
    assert (side.kind, side.resolved, side.path) == ("revision", f"commit {COMMIT[:12]}", (tree,))
    assert side.interpreter == sys.executable
    assert side == again
    assert told == [f"laying out main (commit {COMMIT[:12]})"]


def test_a_revision_of_another_project_is_installed_over_this_one(ready: Callable[..., Any], machine: Machine) -> None:
    """As that of an operator library: once, as a commit never changes."""
    machine.tree = ("pyproject.toml",)
    told: list[str] = []
    side, _ = ready("main", told), ready("main", told)
    assert side.path[1] == str(ROOT)
    assert Path(side.path[0]).parent.name == "overlays"
    assert side.resolved == f"commit {COMMIT[:12]}"
    assert [line.split()[0] for line in told] == ["laying", "installing"]


def test_a_requirement_is_installed_over_this_environment(ready: Callable[..., Any], machine: Machine) -> None:
    """What it became is told by the versions found; one version is kept for the next time."""
    side = ready("mlx==0.31.1")
    assert (side.kind, side.resolved, side.path[1]) == ("requirement", "mlx 0.31.1", str(ROOT))
    ready("mlx==0.31.1")
    assert machine.installs == 1


def test_what_may_be_another_release_by_now_is_installed_anew(ready: Callable[..., Any], machine: Machine) -> None:
    """A range of versions names what is newest today."""
    ready("mlx<1")
    ready("mlx<1")
    assert machine.installs == 2


def test_a_requirement_is_kept_for_one_environment(
    ready: Callable[..., Any], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once something else is installed here, what it needs may be another thing."""
    ready("mlx==0.31.1")
    monkeypatch.setattr(preparing, "installed_versions", lambda: {"numpy": "9"})
    ready("mlx==0.31.1")
    assert machine.installs == 2


def test_a_copy_of_this_package_is_used_as_it_lies(ready: Callable[..., Any], machine: Machine) -> None:
    """Nothing is installed or copied, so that what is being edited is what is measured."""
    (machine.folder / "other" / PACKAGE).mkdir(parents=True)
    (machine.folder / "other" / PACKAGE / "__init__.py").write_text("")
    machine.root = machine.folder / "other"
    side = ready("./other")
    assert (side.kind, side.path) == ("copy", (str(machine.folder / "other"),))
    assert machine.installs == 0


def test_a_project_is_installed_anew_each_time(ready: Callable[..., Any], machine: Machine) -> None:
    """What lies at a path may have changed."""
    (machine.folder / "lib").mkdir()
    (machine.folder / "lib" / "pyproject.toml").write_text("")
    assert [ready("lib").kind for _ in range(2)] == ["project", "project"]
    assert machine.installs == 2


def test_a_side_whose_interpreter_takes_other_code_is_refused(ready: Callable[..., Any], machine: Machine) -> None:
    """It would be compared with something else than what was asked for, and pass."""
    (machine.folder / "other" / PACKAGE).mkdir(parents=True)
    (machine.folder / "other" / PACKAGE / "__init__.py").write_text("")
    with pytest.raises(UsageError, match="the other side would not be measured"):
        ready("./other")


def environment(folder: Path) -> Path:
    """Make the interpreter of an environment."""
    interpreter = folder / "env" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text("")
    return interpreter


def test_an_environment_with_this_package_stays_as_it_is(ready: Callable[..., Any], machine: Machine) -> None:
    """Its own interpreter, and nothing before its path."""
    interpreter = environment(machine.folder)
    side = ready("env")
    assert (side.kind, side.interpreter, side.path) == ("environment", str(interpreter), ())


def test_an_environment_without_this_package_is_lent_it(ready: Callable[..., Any], machine: Machine) -> None:
    """And nothing else of this one: the folder before its path holds this package alone."""
    machine.has_package = False
    environment(machine.folder)
    (bridge,) = ready("env").path
    (lent,) = Path(bridge).iterdir()
    assert (lent.name, lent.resolve()) == (PACKAGE, ROOT / PACKAGE)


def test_a_revision_without_a_repository_is_told(programs: Callable[..., Any], tmp_path: Path) -> None:
    """Where git knows the commit and yet no top folder, as in a bare repository."""
    run = programs(lambda words: Done(0, "", "") if "--show-toplevel" in words else Done(0, COMMIT, ""))
    with pytest.raises(UsageError, match="lies in no git repository"):
        prepare("main", tmp_path, tmp_path / "cache", run=run)


def test_a_failed_installation_is_not_kept(tmp_path: Path, programs: Callable[..., Any]) -> None:
    """The next try begins anew, and no half of it lies around."""

    def pip(words: Sequence[str]) -> Done:
        if words[1] == "-m":
            (Path(words[words.index("--target") + 1]) / "half.py").write_text("")
        return Done(1, "", "no network")

    with pytest.raises(UsageError, match="no network"):
        prepare("mlx==0.31.1", tmp_path, tmp_path / "cache", run=programs(pip))
    assert list((tmp_path / "cache" / "overlays").iterdir()) == []


def test_what_is_kept_is_made_once(tmp_path: Path) -> None:
    """The second time it is only found."""
    made: list[Path] = []

    def make(into: Path) -> None:
        made.append(into)
        into.mkdir()

    assert kept(tmp_path / "a" / "b", make) == kept(tmp_path / "a" / "b", make) == tmp_path / "a" / "b"
    assert len(made) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt(), UsageError("no"), ZeroDivisionError()])
def test_nothing_half_made_stays(error: BaseException, tmp_path: Path) -> None:
    """Whatever ends the making: neither under the name nor beside it."""

    def make(into: Path) -> None:
        into.mkdir()
        (into / "half").write_text("")
        raise error

    with pytest.raises(type(error)):
        kept(tmp_path / "trees" / "x", make)
    assert list((tmp_path / "trees").iterdir()) == []


def test_two_makers_do_no_harm(tmp_path: Path) -> None:
    """Whoever comes second uses what the first one made."""

    def make(into: Path) -> None:
        into.mkdir()
        (into / "mine").write_text("second")
        kept(tmp_path / "x", lambda other: (other.mkdir(), (other / "mine").write_text("first"), None)[-1])

    assert (kept(tmp_path / "x", make) / "mine").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Here a file stands where a folder should."""
    (tmp_path / "cache").write_text("")
    with pytest.raises(UsageError, match="cannot be prepared"):
        kept(tmp_path / "cache" / "trees" / "x", Path.mkdir)


def test_where_sides_are_kept_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it is the user's folder for what can be made again."""
    monkeypatch.setenv(CACHE_VARIABLE, "/elsewhere")
    assert cache_folder() == Path("/elsewhere")
    monkeypatch.delenv(CACHE_VARIABLE)
    assert cache_folder().name == "placement"
