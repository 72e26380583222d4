"""What a profile says about a machine: constants, tables, how much to trust them."""

from __future__ import annotations

from math import inf, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.advice.advice import ProfileUse
from placement_cli.advice.machine import MODEL_ERROR, Machine, machine_of
from placement_cli.profile.constant import Constant
from placement_cli.profile.key import ProfileKey
from placement_cli.profile.profile import Profile
from placement_cli.timeline.costs import Costs

USE = ProfileUse("made up", "calibrated", "a test needs one", "made up")


def profile(**values: float | Constant) -> Profile:
    """A profile with these constants of evaluation; `_` stands for the dots of names."""
    constants = {
        name.replace("__", "."): value
        if isinstance(value, Constant)
        else Constant(value, value, value, "s", True, "test")
        for name, value in values.items()
    }
    return Profile("made up", ProfileKey("none", "mlx-cpu", 1, "float32", {}), "calibrated", "made up", constants)


def table(*rows: tuple[float, float]) -> Machine:
    """A machine that knows `abs` at these sizes."""
    return Machine("metal", Costs(), USE, {"abs": rows}, {"abs": rows})


@pytest.mark.parametrize(
    ("elements", "seconds"),
    [(10, 1e-6), (100, 1e-6), (1000, sqrt(1e-6 * 16e-6)), (10_000, 16e-6), (30_000, 48e-6)],
)
def test_times_lie_between_known_sizes(elements: float, seconds: float) -> None:
    """By log-log interpolation; never less than the smallest, and in proportion beyond the largest."""
    assert table((100, 1e-6), (10_000, 16e-6)).device_s("abs", elements) == pytest.approx(seconds)


def test_bytes_fall_with_the_size(simple: Machine) -> None:
    """A message of half the elements holds half as much, however small."""
    assert table((100, 1e-6), (10_000, 16e-6)).held_bytes("abs", 50) == pytest.approx(0.5e-6)


def test_what_no_table_has_is_not_known() -> None:
    """For the caller to say so."""
    assert table((100, 1e-6)).device_s("fir", 100) is None
    assert table((100, 1e-6)).held_bytes("fir", 100) is None


@settings(deadline=None)
@given(
    st.dictionaries(st.integers(1, 10**6), st.floats(1e-6, 1), min_size=1, max_size=6),
    st.floats(1, 1e7),
    st.floats(1, 10),
)
def test_a_larger_message_of_a_rising_table_takes_no_less(rows: dict[int, float], size: float, factor: float) -> None:
    """Whatever the sizes that were measured."""
    rising = zip(sorted(rows), sorted(rows.values()), strict=True)
    machine = table(*((float(elements), seconds) for elements, seconds in rising))
    small, large = machine.device_s("abs", size), machine.device_s("abs", size * factor)

    assert small is not None
    assert large is not None
    assert large >= small * (1 - 1e-9)


def test_constants_go_where_the_timeline_looks_for_them() -> None:
    """With the tables sorted by size, and contention as what is added to 1."""
    found = machine_of(
        profile(
            build_node=1e-6,
            submit_call=2e-6,
            round_trip=3e-6,
            arrays_held=4.0,
            buffer_ops=50.0,
            contention__blas__host=1.5,
            contention__blas__device=0.9,
            idle__6ms=2.0,
            idle__2ms=1.0,
            device__abs__64x10=7e-6,
            device__abs__8x10=5e-6,
        ),
        "metal",
        USE,
    )

    assert (found.costs.build_node_s, found.costs.submit_call_s, found.costs.round_trip_s) == (1e-6, 2e-6, 3e-6)
    assert (found.costs.host_slowing, found.costs.device_slowing) == ({"blas": 0.5}, {"blas": 0.0})
    assert found.costs.idle == ((0.002, 1.0), (0.006, 2.0))
    assert found.device_table == {"abs": ((80.0, 5e-6), (640.0, 7e-6))}
    assert (found.arrays_held, found.costs.queue.buffer_ops, found.costs.streams) == (4.0, 50.0, False)


def test_what_the_data_did_not_determine_is_never_less_than_nothing() -> None:
    """A fit may end below zero."""
    assert machine_of(profile(wake=-1e-6), "cpu", USE).costs.wake_s == 0.0


@pytest.mark.parametrize(
    ("constant", "calls"),
    [
        (Constant(63.0, 60.0, 66.0, "calls", True, "test"), 63.0),
        (Constant(63.0, 60.0, None, "calls", True, "test"), inf),
        (Constant(0.0, 0.0, 0.0, "calls", True, "test"), inf),
    ],
)
def test_a_queue_ends_only_where_it_was_seen_to_fill(constant: Constant, calls: float) -> None:
    """Without an upper end to its interval it was not."""
    assert machine_of(profile(queue_calls=constant), "metal", USE).costs.queue.calls == calls


def test_the_less_a_profile_can_be_trusted_the_larger_its_error() -> None:
    """From a measurement of the graph itself to constants of another machine."""
    errors = [MODEL_ERROR[each] for each in ("measured", "calibrated", "published", "assumed")]

    assert errors == sorted(errors)
    assert table((1, 1)).error == MODEL_ERROR["calibrated"]
