"""Nobody watches in silence."""

from __future__ import annotations

from placement_cli.bench.watch import Nobody, Watcher


def test_nobody_is_a_watcher_that_does_nothing() -> None:
    """Everything that happens may be told to nobody."""
    watcher: Watcher = Nobody()
    watcher.scenario_started("s", 1, 6)
    watcher.sampling("s[]", "async")
    watcher.block_done("s[]", 0, "")
    watcher.stage_done("s", 1, 12)
    watcher.scenario_done("s")
    assert vars(watcher) == {}
