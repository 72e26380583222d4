"""PL901 and PL902: memory that no evaluation point could give back."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.tracing.raw import KeptSample, RawKept

MIB = 1 << 20


def kept(recorded: Any, sizes: tuple[int, ...], *, views: bool = False) -> RawKept:
    """A list with one array a MiB, looked at once a second."""
    looks = tuple(KeptSample(float(at), 10 * at, size, size * MIB) for at, size in enumerate(sizes))
    return RawKept("results", recorded.place(18), "list", views, looks)


GROWING = (10, 20, 30, 40, 50, 60)


def test_a_container_that_grows_with_active_memory(recorded: Any, told: Any, shown: Any) -> None:
    """The finding names it, and its line."""
    found = told(kept=(kept(recorded, GROWING),), memory=recorded.memory([5, 20, 35, 50, 65, 10]))

    assert shown(found) == [("PL901", "warning", 18)]
    assert found[0].node == "results"
    assert "from 10 to 60 arrays and from 10.0 MiB to 60.0 MiB, while active memory rose by 60.0 MiB" in found[0].says
    assert "results.clear()" in found[0].next_check


def test_numpy_views_have_a_fix_of_their_own(recorded: Any, told: Any) -> None:
    """A copy gives the buffer back."""
    (found,) = told(kept=(kept(recorded, GROWING, views=True),), memory=recorded.memory(GROWING))
    assert "np.array(x) instead of np.asarray(x)" in found.fix
    assert found.next_check == "placement diagnose --probe ownership.numpy-view"


@pytest.mark.parametrize(
    ("sizes", "active"),
    [
        ((10, 20, 30, 40, 40, 40, 40, 40), (5, 15, 25, 35, 35, 35, 35, 35)),
        ((10, 20, 15, 30, 40, 50), (5, 10, 15, 20, 25, 50)),
        ((1, 3, 5, 7, 9, 11), (1, 3, 5, 7, 9, 11)),
        ((10, 20, 30, 40), (5, 5, 5, 5)),
        ((10, 12, 14, 17), (0, 400, 100, 100)),
        ((20, 40, 60), (20, 40, 60)),
    ],
    ids=["filled once", "it shrank", "small", "memory did not grow", "a small part of the growth", "too few looks"],
)
def test_containers_that_do_not_explain_growth_are_left(
    recorded: Any, told: Any, sizes: tuple[int, ...], active: tuple[int, ...]
) -> None:
    """A data set that is loaded, a buffer of the last messages, and small change."""
    assert not told(kept=(kept(recorded, sizes),), memory=recorded.memory(active))


def test_a_ring_buffer_that_was_seen_filling_is_left(recorded: Any, told: Any) -> None:
    """The first looks come close together: what counts is whether it grew in the later half of the time."""
    filling = [KeptSample(0.1 * at, 10 * at, 10 + 6 * at, (10 + 6 * at) * MIB) for at in range(6)]
    full = [KeptSample(float(at), 100 * at, 50, 50 * MIB) for at in (1, 2, 3)]
    history = RawKept("history", recorded.place(18), "deque", False, (*filling, *full))
    assert not told(kept=(history,), memory=recorded.memory([10, 50, 50, 50]))


CACHE = (0, 40, 90, 130, 170, 220)


@pytest.mark.parametrize(
    ("cache", "sizes", "active", "found"),
    [
        (CACHE, 12, 20, True),
        (CACHE, 1, 20, True),
        (CACHE, 12, 150, False),
        ((0, 100, 220, 220, 220, 220), 12, 20, False),
        ((0, 10, 20, 30, 40, 60), 12, 5, False),
    ],
    ids=["growing", "of sizes within the graph", "in use before", "full", "small"],
)
def test_a_cache_that_grows_with_changing_sizes(
    recorded: Any, told: Any, cache: tuple[int, ...], sizes: int, active: int, found: bool
) -> None:
    """It is far above what was in use, and has not stopped."""
    samples = recorded.memory([0, *(active,) * 5], cache)
    codes = [each.code for each in told(points=(recorded.point("eval", 20, sizes=sizes),), memory=samples)]
    assert codes == (["PL901"] if found else [])


@pytest.mark.parametrize(("count", "blocked_s", "found"), [(50, 1.0, True), (9, 1.0, False), (50, 0.1, False)])
def test_clearing_the_cache_in_a_loop(recorded: Any, told: Any, count: int, blocked_s: float, found: bool) -> None:
    """Often, and for a share of the run."""
    point = recorded.point("memory", 22, call="mx.clear_cache", count=count, blocked_s=blocked_s)
    assert [each.code for each in told(points=(point,))] == (["PL901"] if found else [])


def test_growth_without_a_cause_is_unsure(recorded: Any, told: Any) -> None:
    """A note that says how to find out; a container that explains it takes its place."""
    samples = recorded.memory([10 * number for number in range(12)])

    (found,) = told(memory=samples)
    assert (found.code, found.severity, found.file) == ("PL902", "note", None)
    (found,) = told(memory=samples, kept=(kept(recorded, tuple(10 * number for number in range(12))),))
    assert found.code == "PL901"


def test_loading_at_the_start_is_no_growth(recorded: Any, told: Any) -> None:
    """Weights come in one step."""
    assert not told(memory=recorded.memory([0, 300, *(500,) * 10]))
