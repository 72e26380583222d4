"""The garbage collector runs in the program's threads alone, and as the program wants it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from placement_cli.tracing.collecting import Pauses
from placement_cli.tracing.deep import deeply


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """Collections are on before and after a test."""
    gc.enable()
    yield
    gc.enable()


def test_pauses_of_several_threads_end_with_the_last() -> None:
    """One of them cannot tell of the others."""
    pauses = Pauses()
    pauses.begin()
    pauses.begin()
    pauses.end()
    assert not gc.isenabled()
    pauses.end()
    assert gc.isenabled()


def test_a_program_without_collections_stays_without() -> None:
    """As in `timeit`."""
    gc.disable()
    pauses = Pauses()
    pauses.begin()
    pauses.end()
    assert not gc.isenabled()


def test_a_child_process_collects_again() -> None:
    """The thread that wanted none is not in it."""
    pauses = Pauses()
    pauses.begin()
    pauses.forked()
    assert gc.isenabled()
    pauses.begin()
    pauses.end()
    assert gc.isenabled()


def test_nothing_is_collected_beside_the_stack_of_the_program() -> None:
    """Its finalizers would run in a thread that it does not know."""
    assert deeply(gc.isenabled) is False
    assert gc.isenabled()
