"""Someone who watches a run: the progress bar of a terminal, the lines of a CI log, or nobody."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """Is told what happens, as it happens."""

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """A scenario begins: at most `blocks` blocks of `cases` cases."""

    def sampling(self, case_id: str, arm: str) -> None:
        """A sample of `arm` is about to be taken."""

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """A case has block `index` too; `estimate` says in a few words what its blocks say so far."""

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """A stage of blocks is done; `undecided` cases go on to `blocks` blocks."""

    def scenario_done(self, name: str) -> None:
        """A scenario is finished."""


class Nobody:
    """A watcher that does nothing."""

    def scenario_started(self, name: str, cases: int, blocks: int) -> None:
        """Ignore it."""

    def sampling(self, case_id: str, arm: str) -> None:
        """Ignore it."""

    def block_done(self, case_id: str, index: int, estimate: str) -> None:
        """Ignore it."""

    def stage_done(self, name: str, undecided: int, blocks: int) -> None:
        """Ignore it."""

    def scenario_done(self, name: str) -> None:
        """Ignore it."""
