"""Revisions of a real repository, laid out beside it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from placement_cli.errors import UsageError
from placement_cli.gate.commands import Done, run_command
from placement_cli.gate.revisions import commit_of, lay_out, repository_of

IDENTITY = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


@pytest.fixture(autouse=True)
def identity(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Commits are made by somebody, whatever is set up here; no folder above is a repository."""
    for name, value in {**IDENTITY, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}.items():
        monkeypatch.setenv(name, value)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)


def git(folder: Path, *words: str) -> str:
    """Run git there and return what it says."""
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with three commits on main, of which branch `other` has two and tag `v1` marks the first."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number in (1, 2, 3):
        (folder / "number.txt").write_text(str(number))
        git(folder, "add", "number.txt")
        git(folder, "commit", "--quiet", "--message", f"number {number}")
    git(folder, "branch", "other", "HEAD~1")
    git(folder, "tag", "v1", "HEAD~2")
    return folder


@pytest.mark.parametrize(("revision", "number"), [("main", 3), ("other", 2), ("v1", 1), ("HEAD~1", 2), ("HEAD^^", 1)])
def test_a_revision_has_a_commit(revision: str, number: int, repository: Path) -> None:
    """Branches, tags, and what is counted back from them."""
    commit = commit_of(revision, repository, run_command)
    assert commit is not None
    assert git(repository, "show", f"{commit}:number.txt") == str(number)


def test_a_short_commit_has_a_long_one(repository: Path) -> None:
    """A part of its name that is not ambiguous is enough."""
    whole = git(repository, "rev-parse", "HEAD")
    assert commit_of(whole[:9], repository, run_command) == whole


@pytest.mark.parametrize(
    "revision",
    [
        "nowhere",
        "HEAD:number.txt",
        "--upload-pack=x",
        "--git-dir",
        "-h",
        "main\nother",
        "a\0b",
        "$(id)",
        "x" * 300_000,
        "",
    ],
    ids=range(10),
)
def test_what_is_no_commit_has_none(revision: str, repository: Path) -> None:
    """A file, an option, two names, something hostile."""
    assert commit_of(revision, repository, run_command) is None


def test_outside_of_a_repository_there_is_nothing(tmp_path: Path) -> None:
    """No repository, no commit, no error; nor where there is no git."""
    assert repository_of(tmp_path, run_command) is None
    assert commit_of("main", tmp_path, run_command) is None
    assert commit_of("main", tmp_path, lambda *_: Done(127, "", "git: No such file or directory")) is None


def test_the_top_of_a_repository_is_found_from_inside(repository: Path) -> None:
    """Wherever one stands in it."""
    (repository / "deep" / "down").mkdir(parents=True)
    assert repository_of(repository / "deep" / "down", run_command) == repository.resolve()


def test_a_commit_is_laid_out_beside(repository: Path, tmp_path: Path) -> None:
    """Its files are there with its history and tags; nothing of the repository changes."""
    (repository / "number.txt").write_text("not committed")
    before = (git(repository, "status", "--porcelain"), git(repository, "for-each-ref"))
    commit = git(repository, "rev-parse", "other")
    lay_out(commit, repository, tmp_path / "tree", run_command)
    assert (tmp_path / "tree" / "number.txt").read_text() == "2"
    assert git(tmp_path / "tree", "describe", "--tags").startswith("v1-1-g")
    assert (git(repository, "status", "--porcelain"), git(repository, "for-each-ref")) == before


def test_a_commit_of_no_branch_is_laid_out_too(repository: Path, tmp_path: Path) -> None:
    """As the one before an amended one, or the head of a worktree."""
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "reset", "--quiet", "--hard", "HEAD~1")
    lay_out(commit, repository, tmp_path / "tree", run_command)
    assert (tmp_path / "tree" / "number.txt").read_text() == "3"


def test_a_remote_branch_of_a_shallow_repository_is_laid_out(repository: Path, tmp_path: Path) -> None:
    """As CI has it: a clone of such a repository has none of its remote branches by itself."""
    shallow = tmp_path / "shallow"
    source = repository.as_uri()
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", source, str(shallow))
    commit = commit_of("origin/other", shallow, run_command)
    assert commit is not None
    lay_out(commit, shallow, tmp_path / "tree", run_command)
    assert (tmp_path / "tree" / "number.txt").read_text() == "2"


def test_a_commit_that_is_gone_is_told(repository: Path, tmp_path: Path) -> None:
    """With git's own words."""
    with pytest.raises(UsageError, match=r"commit 000000000000 cannot be laid out: fatal: .+\.$"):
        lay_out(40 * "0", repository, tmp_path / "tree", run_command)


def test_no_word_from_outside_is_an_option_of_git(programs: Callable[..., Any], tmp_path: Path) -> None:
    """What is asked for stands behind the end of options, or is a commit that git itself named."""
    run = programs()
    commit_of("--upload-pack=x", tmp_path, run)
    lay_out(40 * "a", Path("--repository"), tmp_path, run)
    asked: Sequence[Sequence[str]] = run.asked
    rev_parse, clone, checkout = asked
    assert rev_parse.index("--end-of-options") < rev_parse.index("--upload-pack=x^{commit}")
    assert clone.index("--") < clone.index("--repository")
    assert checkout[-1] == 40 * "a"
