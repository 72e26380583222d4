from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from placement_cli.diagnose.probes import watched
from placement_cli.diagnose.probes.rig import PRIMITIVE_MARK, Rig
from placement_cli.diagnose.probes.watched import Watched

WORK_S = 0.1


def made_up(took_s: list[float], left: list[int]) -> Rig:
    """A rig in fake time whose calls take and leave what is listed, one entry a call; its work is 4 operations."""
    time_s = 0.0
    counts = iter([count for after in left for count in (4, after)])

    def now() -> float:
        return time_s

    def call() -> None:
        nonlocal time_s
        time_s += took_s.pop(0)

    def export(graph: Any, *_: Any) -> None:
        graph.write(PRIMITIVE_MARK * next(counts))

    core = SimpleNamespace(synchronize=lambda: None, export_to_dot=export, call=call)
    return Rig(core, "cpu", now, lambda: None, WORK_S, 4)


def test_the_shortest_time_counts_and_the_most_that_was_left() -> None:
    """Of several trials the shortest time counts, as others were disturbed, and the most operations left."""
    rig = made_up([0.5, 0.1, 0.3], [0, 1, 0])
    call = watched.watch(rig, lambda mx, _: mx.call())
    assert call.took_s == pytest.approx(0.1)
    assert (call.before, call.after) == (4, 1)


@pytest.mark.parametrize(
    ("call", "waits", "lazy"),
    [
        (Watched(0.09, 4, 0), True, False),
        (Watched(0.09, 4, 4), False, False),
        (Watched(0.001, 4, 0), False, False),
        (Watched(0.001, 4, 4), False, True),
        (Watched(0.09, 0, 0), False, False),
        (Watched(0.001, 0, 0), False, False),
    ],
)
def test_waiting_and_lazy_need_both_the_time_and_the_graph(call: Watched, waits: bool, lazy: bool) -> None:
    """A call waits when it took the time and detached the graph, is lazy when neither, else it is something else."""
    rig = made_up([], [])
    assert call.waits(rig) is waits
    assert call.leaves_lazy(rig) is lazy


def test_what_was_left_is_said_once_or_for_each() -> None:
    """Calls that left the same are said together, others each with what it left."""
    rig = made_up([], [])
    same = watched.spoken(rig, {"a": Watched(0.1, 4, 0), "b": Watched(0.2, 4, 0)})
    assert same == "With work of 100 ms to do, a took 100 ms, b took 200 ms; of 4 pending operations 0 were left."
    other = watched.spoken(rig, {"a": Watched(0.1, 4, 0), "b": Watched(0.001, 4, 4)})
    assert "a took 100 ms and left 0, b took 1.00 ms and left 4 of 4 pending operations." in other


def test_numbers_have_their_unit_in_the_key() -> None:
    """Times are numbers in seconds, and the operations before and after are counted in nodes."""
    numbers = watched.numbers_of(made_up([], []), {"a": Watched(0.01, 4, 1)})
    assert numbers == {"a_s": 0.01, "work_s": 0.1, "before_nodes": 4, "a_after_nodes": 1}


def test_readings_of_trials_come_by_column() -> None:
    """Each thing that a trial measures becomes a column with a reading per trial."""
    numbers: Iterator[float] = iter(range(100))
    columns = watched.repeated(made_up([], []), lambda: (next(numbers), -1.0))
    assert columns == [tuple(float(number) for number in range(watched.TRIALS)), (-1.0,) * watched.TRIALS]


def raising(error: type[Exception]) -> Callable[[], None]:
    """What raises the error."""

    def call() -> None:
        raise error

    return call


def test_errors_of_a_call_are_named() -> None:
    """The error that MLX raises is named, no error has a name too, and what is not MLX's passes on."""
    assert watched.error_of(raising(ValueError)) == "ValueError"
    assert watched.error_of(raising(RuntimeError)) == "RuntimeError"
    assert watched.error_of(lambda: None) == watched.NOTHING
    with pytest.raises(KeyError):
        watched.error_of(raising(KeyError))


def test_only_the_backend_that_was_measured_can_differ() -> None:
    """What was measured before was measured on the CPU: elsewhere there is nothing to differ from."""
    rig = made_up([], [])
    assert watched.unlike(rig, alike=False, before="12 ms") == "Not as measured before (12 ms)."
    assert watched.unlike(rig, alike=True, before="12 ms") is None
    assert watched.unlike(replace(rig, backend="metal"), alike=False, before="12 ms") is None
