from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.diagnose.probes.earlier import Earlier, about, differing
from placement_cli.diagnose.probes.rig import Rig

AMOUNTS = st.floats(0.0, 1e9)


def _rig(backend: str) -> Rig:
    return Rig(None, backend, lambda: 0.0, lambda: None, 0.03, 1)


@given(AMOUNTS, AMOUNTS, AMOUNTS)
@settings(deadline=None)
def test_a_figure_differs_outside_of_its_range_only(one: float, other: float, seen: float) -> None:
    """Nothing is said of a figure within what counts as the same, its ends included."""
    low, high = sorted((one, other))
    said = Earlier("A peak", low, high, "bytes").difference(seen)
    assert (said is None) is (low <= seen <= high)


@pytest.mark.parametrize(
    ("earlier", "seen", "words"),
    [
        (Earlier("A peak", 2**20, 2**21, "bytes"), 2**22, "1.00 MiB to 2.00 MiB, here 4.00 MiB."),
        (Earlier("Growth", 640, 640, "bytes a message"), 0, "640 B a message, here 0 B a message."),
        (Earlier("A stall", 33, 36, "calls"), None, "33 calls to 36 calls, here never seen."),
        (about("A wait", 0.03), 0.2, "10.0 ms to 90.0 ms, here 200 ms."),
    ],
)
def test_both_figures_are_told(earlier: Earlier, seen: float | None, words: str) -> None:
    """A difference gives the figure from before, where that was, and the one from here, in units people read."""
    said = earlier.difference(seen)
    assert said == f"{earlier.what}: expected from before (CPU backend, MLX 0.32.4) {words}"


def test_figures_are_compared_on_the_backend_they_are_from() -> None:
    """On a GPU nothing is compared with the CPU; on the CPU every difference is told, after one another."""
    first, second = Earlier("A", 1, 1, "calls"), Earlier("B", 2, 2, "calls")
    pairs = ((first, 3.0), (second, 2.0), (second, 4.0))
    assert differing(replace(_rig("cpu"), backend="metal"), *pairs) is None
    assert differing(_rig("cpu"), *pairs) == f"{first.difference(3.0)} {second.difference(4.0)}"
    assert differing(_rig("cpu"), (first, 1.0)) is None
