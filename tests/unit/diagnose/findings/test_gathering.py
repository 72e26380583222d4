"""All findings of a program: their order, and what is told once."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placement_cli.codes import CODES
from placement_cli.diagnose.finding import SEVERITIES
from placement_cli.diagnose.findings.gathering import findings_of
from placement_cli.tracing import raw
from placement_cli.tracing.raw import RawError, RawProcess


def test_nothing_recorded_is_nothing_found(recorded: Any) -> None:
    """A program without MLX, and one that does nothing wrong."""
    healthy = (recorded.point("async_eval", 20, blocked_s=0.01), recorded.point("item", 21, pending_calls=0))
    steps = (recorded.step(0, 1, ops=0, same=100), recorded.step(1, 0))

    assert findings_of([]) == ()
    assert findings_of([recorded.process(mlx=""), recorded.process(points=healthy, steps=steps)], 0) == ()


def test_the_worst_comes_first(recorded: Any, told: Any) -> None:
    """By severity, then by the share of the run or of memory that is at stake."""
    cycle = (recorded.point("item", 12, blocked_s=1.0), recorded.point("item", 14, blocked_s=3.0))
    points = (*cycle, recorded.point("async_eval", 20), recorded.point("eval", 40, empty_calls=1, receivers=("int",)))
    steps = (recorded.step(0, 1), recorded.step(1, 2), recorded.step(2, 0))
    error = RawError("eval", recorded.place(50), "T", "RuntimeError", "There is no Stream(cpu, 0)", 1, 1.0)
    found = told(points=points, steps=steps, errors=(error,))

    assert [(each.code, each.line) for each in found] == [("PL302", 50), ("PL203", 14), ("PL203", 12), ("PL503", 40)]


def test_the_same_in_several_threads_is_told_once(recorded: Any, told: Any, numbers: Any) -> None:
    """With the numbers of the worst, and the count."""
    points = tuple(
        recorded.point("eval", 20, thread=f"T{number}", host_before_s=4.0, blocked_s=3.0 + number / 10)
        for number in range(3)
    )
    (found,) = told(points=points, steps=tuple(recorded.step(number, number, host_s=4.0) for number in range(3)))

    assert numbers(found)["occurrences"] == 3
    assert numbers(found)["blocked_s"] == 3.2
    assert found.says.endswith("The same was seen in 3 threads; these are the numbers of the worst.")


def test_the_same_in_several_processes_is_told_once(recorded: Any) -> None:
    """Workers of one program do alike."""
    point = recorded.point("eval", 20, host_before_s=4.0, blocked_s=3.0)
    steps = (recorded.step(0, 0, host_s=4.0),)
    processes = [recorded.process(pid=pid, points=(point,), steps=steps) for pid in (100, 101)]
    (found,) = findings_of(processes, 0)
    assert "in 2 processes" in found.says


TEXTS = ("", "x", "[red]", "a\nb", "item", "Message(a, b)", "There is no Stream", "Out of memory", "mx.clear_cache")
KINDS = sorted(raw.EVALUATING_KINDS | {"synchronize", "memory", "compile"})
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(0, 12) | st.sampled_from([1000, 10**6, 10**12]),
    float: st.sampled_from([0.0, 1e-9, 1e-3, 0.5, 7.0, 1e5]),
    bool: st.booleans(),
    str: st.sampled_from(TEXTS),
    type(None): st.none(),
}


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Return values of a type that a record may have."""
    arguments = getattr(hint, "__args__", ())
    if hint in SCALARS:
        return SCALARS[hint]
    if is_dataclass(hint):
        return records_of(hint)
    if getattr(hint, "__origin__", None) is dict:
        return st.just({})
    if getattr(hint, "__origin__", None) is tuple:
        return st.lists(values_of(arguments[0]), max_size=6).map(tuple)
    return st.one_of(*map(values_of, arguments))


def records_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return records of one kind with every field at random, looks and memory in order of time."""
    hints = get_type_hints(kind)
    parts = {each.name: values_of(hints[each.name]) for each in fields(kind)}
    if "kind" in parts:
        parts["kind"] = st.sampled_from(KINDS)
    for name in {"looks"} & parts.keys():
        look = hints[name].__args__[0]
        parts[name] = st.lists(records_of(look), min_size=2, max_size=6).map(in_order)
    return st.builds(kind, **parts)


def in_order(looks: list[Any]) -> tuple[Any, ...]:
    """Return looks by time; what they show may fall."""
    return tuple(sorted(looks, key=lambda look: look.at_s))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(records_of(RawProcess), max_size=2), st.none() | st.sampled_from([0, 1, 137, -11, 255, -250]))
def test_any_record_is_told_in_whole_sentences(processes: list[RawProcess], exit_code: int | None) -> None:
    """Whatever was recorded, no rule fails, and no finding is without words, a known code and finite numbers."""
    found = findings_of(processes, exit_code)

    ranks = [SEVERITIES.index(each.severity) for each in found]
    assert ranks == sorted(ranks)
    for each in found:
        assert each.code in CODES
        assert all(text.strip() for text in (each.says, each.fix, each.next_check))
        assert len(each.next_check.splitlines()) <= 3
        assert all(math.isfinite(n) for n in each.evidence.values() if isinstance(n, float | int))
