"""Which probes a report needs, and what is left to check when they have run."""

from __future__ import annotations

from typing import Any

import pytest

from placement_cli.diagnose.probes.catalog import find_probe
from placement_cli.diagnose.report.classes import KINDS
from placement_cli.diagnose.report.next_check import next_check_of
from placement_cli.diagnose.report.probing import MOST, probes_for
from placement_cli.diagnose.report.sighting import Sighting, sighting_of
from placement_cli.diagnose.report.subject import subject_of


def chosen(sighting: Sighting, symptom: Any, process: Any) -> list[str]:
    """Return the ids of the probes."""
    return [probe.id for probe in probes_for(sighting, symptom, process)]


@pytest.mark.parametrize("symptom", [None, "timing", "memory", "ordering", "crash"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_probes_are_few_and_hold_what_the_class_rests_on(seen: Any, kind: Any, symptom: Any) -> None:
    """Whatever was asked for and seen; of those that run here there are so many at most."""
    found = chosen(Sighting(kind, "It was seen.", "x"), symptom, seen.process())
    here = [each for each in found if "cpu" in find_probe(each).backends]
    assert 1 <= len(here) <= MOST
    assert set(KINDS[kind].rests_on) <= set(found)


def test_the_probe_of_the_next_check_and_of_the_way_of_reading_are_among_them(seen: Any) -> None:
    """A read by NumPy rests on what NumPy does on this build."""
    process = seen.process(points=(seen.point("numpy", 12), seen.point("item", 13)))
    finding = seen.finding(
        "PL203", evidence={"blocked_s": 0.1}, next_check="placement diagnose --probe timing.first-use"
    )
    found = chosen(sighting_of(finding), "timing", process)
    assert {"boundary.numpy", "timing.first-use"} <= set(found)
    assert "boundary.item" not in found


def test_probes_of_another_backend_are_chosen_to_be_told_as_not_run(seen: Any) -> None:
    """They do not count among the few."""
    found = chosen(Sighting("allocator-cache", "It was seen.", "x"), "memory", seen.process())
    assert {"ownership.cache-limit", "ownership.cache-limit-memory"} <= set(found)


def test_a_program_without_mlx_needs_no_probe() -> None:
    """What MLX does here has nothing to do with it."""
    assert chosen(Sighting("not-seen", "Nothing.", "x"), "timing", None) == []


def test_the_next_check_is_that_of_the_finding_until_its_probe_has_run(seen: Any) -> None:
    """Then the cure and the same question are left, unless there is no cure or the class is not decided."""
    check = "placement diagnose --probe boundary.synchronize-other"
    sighting = sighting_of(seen.finding("PL304", next_check=check))
    not_run = seen.result("boundary.synchronize-other", "not-run", "x")
    assert next_check_of(sighting, "timing", [not_run], "run.py") == check
    assert next_check_of(sighting, None, [seen.result("boundary.synchronize-other")], "-m run x") == (
        "# Change it.\nplacement diagnose --symptom ordering -m run x  # it must be gone"
    )
    group = sighting_of(seen.finding("PL203", "error", next_check="placement diagnose --probe transforms"))
    assert next_check_of(group, None, [seen.result("transforms.compile-eval")], "run.py").startswith("# Change it.")
    plain = sighting_of(seen.finding("PL102"))
    assert next_check_of(plain, "memory", [], "run.py") == "mx.eval(total)"


def test_the_subject_is_the_process_that_was_there(seen: Any) -> None:
    """Or else the one with most to do with MLX."""
    busy, there = seen.process(), seen.process(pid=8, points=(seen.point("eval", 12),))
    small = seen.process(pid=9, cost=there.cost.__class__(0.0, 0.0, 1, 1, 0.0, 0.0))
    assert subject_of([small, busy, there], "/app/run.py", 12) is there
    assert subject_of([small, busy], None, None) is busy
    assert subject_of([seen.process(mlx="")], None, None) is None
