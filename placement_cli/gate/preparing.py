"""From what `--against` names to a side that can be measured: cloned, installed, kept for the next time."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from placement_cli.errors import UsageError
from placement_cli.gate.commands import RunCommand, run_command
from placement_cli.gate.overlay import fill, installed_versions, pinned
from placement_cli.gate.reference import PACKAGE, Kind, Reference, read_reference, without_credentials
from placement_cli.gate.revisions import commit_of, lay_out, repository_of
from placement_cli.gate.side import Side, described
from placement_cli.measure.spawn import ROOT

CACHE_VARIABLE = "PLACEMENT_CACHE"
"""Names another folder for prepared sides."""
MAKING = ".making-"
"""What the names of folders begin with that are not ready."""
ABANDONED_S = 24 * 3600.0
"""One that is older was left by a program that was killed."""


def cache_folder() -> Path:
    """Return the folder in which prepared sides are kept."""
    import platformdirs

    asked = os.environ.get(CACHE_VARIABLE)
    return Path(asked) if asked else platformdirs.user_cache_path("placement")


def prepare(
    given: str, folder: Path, cache: Path, say: Callable[[str], None] = lambda _: None, run: RunCommand = run_command
) -> Side:
    """Return the side that `given` names, seen from `folder`.

    What takes time is told with `say` and kept in `cache`. Raises UsageError for what cannot be prepared.
    """
    reference = read_reference(given, folder, lambda revision: commit_of(revision, folder, run))
    side = _prepared(reference, folder, cache, say, run)
    return described(side, run)


def _prepared(reference: Reference, folder: Path, cache: Path, say: Callable[[str], None], run: RunCommand) -> Side:
    match reference.kind:
        case Kind.REVISION:
            tree = _tree(reference, folder, cache, say, run)
            side = _from_tree(reference, tree, cache, say, run)
            return replace(side, resolved=f"commit {reference.target[:12]}")
        case Kind.REQUIREMENT:
            overlay = _overlay(reference.target, cache, say, run, keep=pinned(reference.target))
            return _over_this(reference, overlay, _versions_in(overlay))
        case Kind.ENVIRONMENT:
            return Side(
                reference.given, str(reference.kind), reference.target, reference.target, _bridge(reference, cache, run)
            )
        case _:
            return _from_tree(reference, Path(reference.target), cache, say, run)


def _tree(reference: Reference, folder: Path, cache: Path, say: Callable[[str], None], run: RunCommand) -> Path:
    """Return the folder in which the tree of a revision lies."""
    repository = repository_of(folder, run)
    if repository is None:
        raise UsageError(f"--against {reference.given}: {folder} lies in no git repository.")
    commit = reference.target

    def lay(into: Path) -> None:
        say(f"laying out {reference.given} (commit {commit[:12]})")
        lay_out(commit, repository, into, run)

    return kept(cache / "trees" / commit, lay)


def _from_tree(reference: Reference, tree: Path, cache: Path, say: Callable[[str], None], run: RunCommand) -> Side:
    """Return the side of a tree: its copy of this package as it lies, any other project installed over this one."""
    if (tree / PACKAGE / "__init__.py").is_file():
        return Side(reference.given, str(reference.kind), str(tree), sys.executable, (str(tree),))
    # The tree of a commit stays as it is; what lies at any other path may change under it.
    overlay = _overlay(str(tree), cache, say, run, keep=reference.kind is Kind.REVISION)
    return _over_this(reference, overlay, _versions_in(overlay))


def _over_this(reference: Reference, overlay: Path, resolved: str) -> Side:
    return Side(reference.given, str(reference.kind), resolved, sys.executable, (str(overlay), str(ROOT)))


def _overlay(asked: str, cache: Path, say: Callable[[str], None], run: RunCommand, *, keep: bool) -> Path:
    """Return the folder with `asked` in it; without `keep` it is gone when this program ends, for what may change."""
    folder = cache / "overlays" / (_key(asked) if keep else f"{_key(asked)}-{time.time_ns()}")
    if not keep:
        atexit.register(shutil.rmtree, folder, ignore_errors=True)

    def install(into: Path) -> None:
        say(f"installing {without_credentials(asked)}")
        into.mkdir()
        fill(into, asked, run)

    return kept(folder, install)


def _sweep(folder: Path) -> None:
    for left in folder.glob(f"{MAKING}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)


def _bridge(reference: Reference, cache: Path, run: RunCommand) -> tuple[str, ...]:
    """Return the path of a foreign environment: nothing where it has this package, else a folder with ours alone."""
    asked = f"import importlib.util as u; raise SystemExit(u.find_spec({PACKAGE!r}) is None)"
    if run([reference.target, "-P", "-c", asked]).ok:
        return ()

    def link(into: Path) -> None:
        into.mkdir()
        (into / PACKAGE).symlink_to(ROOT / PACKAGE)

    return (str(kept(cache / "bridges" / _key(str(ROOT)), link)),)


def _versions_in(overlay: Path) -> str:
    import importlib.metadata

    found = importlib.metadata.distributions(path=[str(overlay)])
    return ", ".join(sorted(f"{each.name} {each.version}" for each in found))


def _key(asked: str) -> str:
    """Return a folder's name for `asked`: another one once Python or what is installed here changes."""
    here = "\n".join([asked, sys.version, sys.executable, *map(str, sorted(installed_versions().items()))])
    return hashlib.sha256(here.encode()).hexdigest()[:24]


def kept(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return `folder`, made by `make` the first time; a half-made one never stays, and two makers do no harm."""
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _sweep(folder.parent)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=MAKING) as room:
            made = Path(room) / "made"
            make(made)
            with suppress(FileExistsError):
                made.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # another maker was faster
            raise UsageError(f"{folder}: cannot be prepared ({error.strerror}).") from None
    return folder
