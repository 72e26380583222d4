"""PL901 and PL902: symptoms with another cause, and facts that are missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.advice.advice import Finding

Told = Callable[[str, str], Sequence[Finding]]


def seen(observed: str, costs: str = "{build: 1 ms, device: 33 ms, weights: 3 GiB}", mode: str = "sync") -> str:
    """A loop as somebody sees it."""
    return f"""
    source: {{shape: [1, 1], dtype: int32, kind: loop, messages: 256}}
    observed: {{{observed}}}
    nodes:
      forward: {{inputs: source, state: carried, costs: {costs}}}
      token: {{inputs: forward, evaluate: {mode}, costs: {{build: 0 us, device: 0 us}}}}
    """


def test_a_step_that_no_placement_explains_has_another_cause(told: Told) -> None:
    """Observed and predicted contradict each other, which is said as well."""
    graph = seen("step: 2.8 s, device_busy: 0.05")
    (found,) = told("PL901", graph)
    assert found.evidence["step_s"] == 2.8
    assert "busy for only 5.0 % of it" in found.says
    (unsure,) = told("PL902", graph)
    assert "does not fit" in unsure.says


@pytest.mark.parametrize(
    "graph",
    [seen("step: 60 ms"), seen("step: 2.8 s", "{}").replace("build: 0 us, device: 0 us", "")],
    ids=["explained", "nothing known"],
)
def test_a_step_that_may_be_explained_is_no_symptom(told: Told, graph: str) -> None:
    """Where no device time is known, a long step is just that."""
    assert not told("PL901", graph)


def test_memory_beyond_weights_and_what_is_in_flight_is_held_by_something_else(told: Told) -> None:
    """Weights that are stated count; a little more than them is normal."""
    (found,) = told("PL901", seen("active: 90 GiB"))
    assert found.severity == "warning"
    assert found.evidence["expected_bytes"] == pytest.approx(3 * 1024**3, rel=0.01)
    assert not told("PL901", seen("active: 3.8 GiB"))


def test_where_the_weights_are_not_stated_it_is_a_note(told: Told) -> None:
    """They may be all there is."""
    (found,) = told("PL901", seen("active: 14 GiB", "{build: 1 ms, device: 33 ms}"))
    assert found.severity == "note"


def test_memory_of_a_graph_that_grows_is_explained(told: Told) -> None:
    """Then the growth is the finding."""
    graph = seen("active: 90 GiB", mode="'off'")
    assert not told("PL901", graph)
    assert told("PL101", graph)


def test_a_large_buffer_cache_is_a_matter_of_its_own(told: Told) -> None:
    """Several times what is active, and at least a gibibyte."""
    (found,) = told("PL901", seen("active: 3.5 GiB, cache: 14 GiB"))
    assert found.evidence["cache_bytes"] == 14 * 1024**3
    assert not told("PL901", seen("active: 3.5 GiB, cache: 5 GiB"))


def test_what_is_not_known_is_told_when_the_gain_depends_on_it(told: Told) -> None:
    """The gain is given as a range."""
    (found,) = told("PL902", seen("", "{device: 33 ms}"))
    assert "the build time of forward" in found.says
    assert float(found.evidence["gain_high"]) > 1.1 * float(found.evidence["gain_low"])


def test_where_all_is_known_or_nothing_depends_on_it_there_is_no_doubt(told: Told) -> None:
    """Device time that nobody states does not matter where nothing changes."""
    assert not told("PL902", seen(""))
    assert not told("PL902", seen("", "{device: 33 ms}", '"window:1"'))


def test_a_graph_without_any_cost_rests_on_assumptions(told: Told) -> None:
    """That is said whatever is advised."""
    graph = "source: {shape: [1, 8], kind: loop}\nnodes:\n  step: {inputs: source, state: carried, evaluate: async}\n"
    (found,) = told("PL902", graph)
    assert "the build and device times of step" in found.says
