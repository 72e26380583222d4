"""PL104 and PL105: more bytes at a time than there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.advice.advice import Finding

Told = Callable[[str, str], Sequence[Finding]]


def replay(limit: str, mode: str = "async", source: str = "kind: replay, messages: 400") -> str:
    """A device that is slower than the host, with 10 MiB a message."""
    return f"""
    source: {{shape: [512, 1024], {source}}}
    limits: {{memory: {limit}}}
    nodes:
      work: {{inputs: source, evaluate: {mode}, costs: {{ops: 2, device: 3 ms, output: 2 MiB, intermediates: 6 MiB}}}}
    """


def test_run_ahead_is_counted_in_messages_and_bytes(told: Told) -> None:
    """63 submissions fit into the queue of Metal (mlx-evaluation, section 2.3)."""
    (found,) = told("PL104", replay("256 MiB"))
    assert found.evidence["message_bytes"] == 10 * 1024**2
    assert found.evidence["messages_ahead"] == pytest.approx(63.1, abs=0.1)
    assert found.severity == "error"


@pytest.mark.parametrize("graph", [replay("640 MiB"), replay("256 MiB", '"window:2"'), replay("256 MiB", "sync")])
def test_what_stays_within_the_limit_is_no_finding(told: Told, graph: str) -> None:
    """Enough room, a window, or waiting."""
    assert not told("PL104", graph)


def test_a_source_that_paces_itself_does_not_run_ahead(told: Told) -> None:
    """The device is done long before the next message comes."""
    assert not told("PL104", replay("64 MiB", source="rate: 50"))


def test_a_message_that_passes_the_limit_alone_needs_interior_points(told: Told) -> None:
    """That is another finding than run-ahead."""
    (found,) = told("PL105", replay("8 MiB"))
    assert found.evidence["peak_bytes"] == 10 * 1024**2
    assert not told("PL104", replay("8 MiB"))
    assert not told("PL105", replay("11 MiB"))
