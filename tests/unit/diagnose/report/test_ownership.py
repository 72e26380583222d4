"""Who held memory: every number with what it is worth, or the reason why it is not known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.diagnose.report.ownership import ownership_of
from placement_cli.store.diagnosis_document import OwnershipRecord
from placement_cli.tracing.raw import KeptSample, LazySample, RawCost, RawKept, RawLazy, RawLive, RawMemory, RawProcess

MIB = 1 << 20


def told(process: RawProcess | None) -> dict[tuple[str, str], OwnershipRecord]:
    """Return the rows by holder and moment."""
    return {(row.holder, row.moment): row for row in ownership_of(process)}


def sizes(rows: dict[tuple[str, str], OwnershipRecord], moment: str) -> list[tuple[str, float | None]]:
    """Return what each holder has at a moment, in MiB, with what the number is worth."""
    return [
        (row.bound, None if row.bytes is None else row.bytes / MIB) for key, row in rows.items() if key[1] == moment
    ]


def test_at_the_highest_containers_are_a_lower_bound(seen: Any) -> None:
    """Of live references, and what is left of active memory an upper one of work in flight and graphs."""
    looks = (KeptSample(0.1, 1, 10, 10 * MIB), KeptSample(0.2, 2, 50, 50 * MIB), KeptSample(0.9, 3, 60, 60 * MIB))
    kept = RawKept("outputs", seen.place(3), "list", False, looks)
    rows = told(seen.process(memory=seen.memory(0, 20, 64, 8), kept=(kept,), live=RawLive(0, 0, 0, 0, 0)))
    assert sizes(rows, "highest") == [("at-least", 50.0), ("at-most", 14.0), ("exact", 8.0), ("about", 28.0)]
    assert sizes(rows, "end") == [("exact", 0.0), ("exact", 8.0), ("exact", 8.0), ("about", 84.0)]
    assert rows["live-references", "highest"].arrays == 50
    assert (rows["cache", "highest"].at_s, rows["cache", "end"].at_s) == (0.2, pytest.approx(0.3))


def test_without_a_container_live_references_at_the_highest_are_not_known(seen: Any) -> None:
    """Nothing else is counted while a program runs."""
    rows = told(seen.process(memory=seen.memory(4, 2), live=RawLive(2, MIB, 0, 0, 0)))
    live = rows["live-references", "highest"]
    assert (live.bytes, live.arrays) == (None, None)
    assert live.reason is not None
    assert sizes(rows, "end")[:2] == [("about", 1.0), ("about", 1.0)]


def test_a_container_of_lazy_arrays_holds_no_bytes(seen: Any) -> None:
    """They have no buffers: it is graphs that hold memory."""
    kept = RawKept("queue", seen.place(3), "list", False, (KeptSample(0.0, 1, 10, MIB), KeptSample(0.1, 1, 90, MIB)))
    looks = (LazySample(0.0, 1, 3), LazySample(0.1, 1, 3))
    lazy = RawLazy("queue[0]", seen.place(3), None, looks, 0.1, 1)
    rows = told(seen.process(memory=seen.memory(4, 8), kept=(kept,), lazy=(lazy,)))
    assert rows["live-references", "highest"].bytes is None


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"live": None, "ended": False}, {"live-references", "in-flight-or-graphs"}),
        ({"live": RawLive(1, 9 * MIB, 1, 0, 0)}, {"in-flight-or-graphs"}),
        ({"live": RawLive(1, MIB, 0, 0, 0), "duration_s": 60.0}, {"in-flight-or-graphs"}),
        ({"live": RawLive(1, MIB, 0, 0, 0), "backend": "metal"}, {"process-beyond-mlx"}),
    ],
)
def test_what_is_not_known_has_a_reason(seen: Any, fields: dict[str, Any], missing: set[str]) -> None:
    """Killed; nominal bytes above active memory; counted at another moment; buffers that may not be resident."""
    rows = told(seen.process(memory=seen.memory(4, 2), **fields))
    end = [row for row in rows.values() if row.moment == "end"]
    assert {row.holder for row in end if row.bytes is None} == missing
    assert all((row.bytes is None) == (row.reason is not None) for row in end)


def test_without_a_sample_there_is_no_table(seen: Any) -> None:
    """Nor without a process."""
    assert ownership_of(None) == []
    assert ownership_of(seen.process()) == []


SAMPLES = st.lists(
    st.builds(
        RawMemory,
        st.floats(0, 10),
        *[st.integers(0, 1 << 40)] * 4,
        st.integers(0, 100),
    ),
    min_size=1,
    max_size=5,
)
LIVE = st.none() | st.builds(RawLive, *[st.integers(0, 1 << 40)] * 5)


@settings(deadline=None)
@given(SAMPLES, LIVE, st.sampled_from(["cpu", "metal"]), st.booleans())
def test_no_number_is_below_zero(samples: list[RawMemory], live: RawLive | None, backend: str, ended: bool) -> None:
    """Whatever counters say, a row has a number or a reason, never both."""
    process = RawProcess(
        pid=1,
        parent=0,
        argv=(),
        started_s=0.0,
        duration_s=1.0,
        ended=ended,
        python="",
        mlx="1",
        device="",
        backend=backend,
        variables={},
        cost=RawCost(0.0, 0.0, 0, 0, 0.0, 0.0),
        memory=tuple(samples),
        live=live,
    )
    rows = ownership_of(process)
    assert len(rows) == 8
    for row in rows:
        assert (row.bytes is None) == (row.reason is not None)
        assert row.bytes is None or row.bytes >= 0
