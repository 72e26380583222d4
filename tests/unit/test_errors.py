"""The errors people meet, their exit codes and the hints they carry."""

from __future__ import annotations

import inspect
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli import errors
from placement_cli.errors import EXIT_NAMES, PRECEDENCE, PlacementError, did_you_mean, strongest

DOCUMENTED = {
    errors.RegressionFound: (1, "regression"),
    errors.UsageError: (2, "usage"),
    errors.InconclusiveResult: (3, "inconclusive"),
    errors.NothingComparable: (4, "nothing-comparable"),
    errors.InvalidMeasurement: (5, "invalid-measurement"),
    errors.ScenarioFailed: (6, "scenario-failed"),
    errors.UnreadableInput: (7, "unreadable-input"),
    errors.InternalError: (70, "internal-error"),
    errors.TimeLimitReached: (124, "time-limit"),
    errors.Interrupted: (130, "interrupted"),
}


def test_every_class_of_the_module_is_documented_here() -> None:
    """A new error needs an exit code that people can look up."""
    classes = {kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, PlacementError)}
    assert classes == {PlacementError, *DOCUMENTED}


@pytest.mark.parametrize("kind", DOCUMENTED, ids=lambda kind: kind.__name__)
def test_an_error_has_its_documented_code_and_keeps_its_message(kind: type[PlacementError]) -> None:
    """All are caught as PlacementError, and what they say is what was written."""
    error = kind("graph.yaml:3:5: no node is called 'filtre'")
    assert isinstance(error, PlacementError)
    assert (error.exit_code, error.exit_name) == DOCUMENTED[kind]
    assert str(error) == "graph.yaml:3:5: no node is called 'filtre'"


def test_exit_codes_and_names_belong_to_one_error_each() -> None:
    """A script that sees a code knows which error it was."""
    codes = [kind.exit_code for kind in DOCUMENTED]
    names = [kind.exit_name for kind in DOCUMENTED]
    assert len(set(codes)) == len(set(names)) == len(DOCUMENTED)


def test_an_error_without_a_class_of_its_own_is_internal() -> None:
    """The root of the tree is no way around the codes."""
    assert (PlacementError.exit_code, PlacementError.exit_name) == (70, "internal-error")


def test_the_module_lists_every_error_with_its_code() -> None:
    """What a person reads at the top of the module is what the classes say."""
    lines = [line.split() for line in (errors.__doc__ or "").splitlines() if "──" in line]
    assert {(line[1], line[2]) for line in lines} == {
        (kind.__name__, str(code)) for kind, (code, _) in DOCUMENTED.items()
    }


def test_names_of_exit_codes_cover_success_and_every_error() -> None:
    """Documents can name every code the command ends with."""
    assert {0: "ok"} | dict(DOCUMENTED.values()) == EXIT_NAMES


def test_every_exit_code_has_one_place_in_the_order() -> None:
    """No code is forgotten when several apply."""
    assert sorted(PRECEDENCE) == sorted(EXIT_NAMES)
    assert len(set(PRECEDENCE)) == len(PRECEDENCE)


@pytest.mark.parametrize(
    ("codes", "wins"),
    [
        ([], 0),
        ([0, 0], 0),
        ([0, 3], 3),
        ([3, 1], 1),
        ([1, 2], 2),
        ([1, 5, 6], 6),
        ([7, 70], 70),
        ([70, 124], 124),
        ([130, 124, 70], 130),
    ],
)
def test_the_strongest_code_wins_in_any_order(codes: list[int], wins: int) -> None:
    """An interruption outweighs a fault, a fault a bad input, a bad input a verdict, a verdict success."""
    assert {strongest(order) for order in permutations(codes)} == {wins}


@settings(deadline=None)
@given(st.lists(st.sampled_from(PRECEDENCE), min_size=1), st.lists(st.sampled_from(PRECEDENCE)))
def test_the_strongest_is_one_of_them_and_more_codes_only_make_it_stronger(codes: list[int], more: list[int]) -> None:
    """The winner is among the codes, and never gets weaker by a further one."""
    assert strongest(codes) in codes
    assert PRECEDENCE.index(strongest(codes + more)) <= PRECEDENCE.index(strongest(codes))


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("filtre", ["filter", "scale"], "Did you mean 'filter'?"),
        ("zzz", ["filter", "scale"], "Known: filter, scale."),
        ("zzz", [], "None are known."),
        ("", ["filter"], "Known: filter."),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest_or_all(name: str, known: list[str], hint: str) -> None:
    """One near name is offered; where none is near, all are listed."""
    assert did_you_mean(name, known) == hint


@settings(deadline=None)
@given(st.lists(st.text("abcdef", min_size=1, max_size=8), min_size=1, max_size=6), st.text(max_size=8))
def test_a_hint_names_only_what_is_known(known: list[str], name: str) -> None:
    """A suggestion is one of the known names, and a known name is its own nearest."""
    hint = did_you_mean(name, known)
    assert hint in {f"Did you mean {right!r}?" for right in known} | {f"Known: {', '.join(known)}."}
    assert did_you_mean(known[0], known) == f"Did you mean {known[0]!r}?"
