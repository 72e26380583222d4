"""Revisions of the repository one stands in, laid out as trees of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from placement_cli.errors import UsageError
from placement_cli.gate.commands import RunCommand


def commit_of(revision: str, folder: Path, run: RunCommand) -> str | None:
    """Return the commit that `revision` names in the repository of `folder`; None when there is none."""
    asked = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    found = run(asked, folder)
    return found.said if found.ok and found.said else None


def repository_of(folder: Path, run: RunCommand) -> Path | None:
    """Return the top folder of the repository that `folder` lies in; None outside of any."""
    found = run(["git", "rev-parse", "--show-toplevel"], folder)
    return Path(found.said) if found.ok and found.said else None


def lay_out(commit: str, repository: Path, into: Path, run: RunCommand) -> None:
    """Lay out the tree of `commit` in the folder `into`, as a clone of its own, so that versions read off tags work.

    Nothing of `repository` changes. Raises UsageError with git's words when it cannot be done.
    """
    clone = ["git", "clone", "--quiet", "--no-checkout", "--", str(repository), str(into)]
    every = ["git", "-C", str(into), "fetch", "--quiet", "--update-shallow", "origin", "+refs/*:refs/there/*"]
    checkout = ["git", "-C", str(into), "checkout", "--quiet", "--detach", commit]
    _done(clone, commit, run)
    if not run(checkout).ok:
        # A clone of a shallow repository, as CI has it, lacks what only a remote branch there leads to.
        _done(every, commit, run)
        _done(checkout, commit, run)


def _done(words: Sequence[str], commit: str, run: RunCommand) -> None:
    done = run(words)
    if not done.ok:
        raise UsageError(f"--against: commit {commit[:12]} cannot be laid out: {done.problem}.")
