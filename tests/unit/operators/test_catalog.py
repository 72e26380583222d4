"""The list of operators and the checks of what documents ask of them."""

from __future__ import annotations

import os
import subprocess
import sys
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import placement_cli
from placement_cli.errors import UsageError
from placement_cli.operators.catalog import OPERATORS, check_params, check_shapes, expected, find_operator
from placement_cli.operators.operator import Parameter

SOSFILT, JOIN, AFFINE = OPERATORS["sosfilt"], OPERATORS["join"], OPERATORS["affine"]


def test_the_catalog_loads_no_array_library() -> None:
    """Documents that name operators are checked without importing MLX, NumPy, SciPy or pandas."""
    slow = ("mlx", "numpy", "scipy", "pandas")
    code = f"import sys, placement_cli.operators.catalog; print([m for m in {slow} if m in sys.modules])"
    root = str(Path(placement_cli.__file__).parents[1])
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": root},
    )
    assert result.stdout.strip() == "[]"


def test_every_operator_stands_under_its_own_name() -> None:
    """Names of the mapping are those of the operators, every one with a summary."""
    assert [operator.name for operator in OPERATORS.values()] == list(OPERATORS)
    assert all(operator.summary for operator in OPERATORS.values())
    assert find_operator("sosfilt") is SOSFILT


def test_the_catalog_cannot_be_changed() -> None:
    """Nobody adds an operator behind the back of others."""
    with pytest.raises(TypeError):
        OPERATORS["new"] = SOSFILT  # type: ignore[index]  # that it fails at run time too is the point


def test_an_unknown_operator_is_answered_with_the_nearest_name() -> None:
    """The error names what was asked for and what was probably meant."""
    with pytest.raises(UsageError, match=r"no operator 'sosfit'\. Did you mean 'sosfilt'\?"):
        find_operator("sosfit")


@pytest.mark.parametrize("name", OPERATORS)
def test_defaults_are_valid(name: str) -> None:
    """Every parameter left out gets a default that passes the same checks when it is given."""
    operator = OPERATORS[name]
    defaults = check_params(operator, {})
    assert list(defaults) == [parameter.name for parameter in operator.parameters]
    assert check_params(operator, defaults) == defaults


def test_given_parameters_replace_defaults() -> None:
    """What is not given keeps its default."""
    assert check_params(SOSFILT, {"sections": 3}) == {"sections": 3, "low": 0.05, "high": 0.45}


def test_an_unknown_parameter_is_answered_with_the_nearest_name() -> None:
    """The error names the operator, the parameter and what was probably meant."""
    with pytest.raises(UsageError, match=r"sosfilt has no parameter 'section'\. Did you mean 'sections'\?"):
        check_params(SOSFILT, {"section": 2})


def test_a_parameter_name_that_is_no_word_is_refused() -> None:
    """YAML allows numbers as keys."""
    for name in (2, 1 << 20_000):
        with pytest.raises(UsageError, match=r"no parameter (2|a number of 20001 bits)"):
            check_params(SOSFILT, {name: 2})  # type: ignore[dict-item]  # documents hold anything


@pytest.mark.parametrize("value", [0, 9, -1, True, 2.0, "2", None, [2], 10**400])
def test_a_whole_number_out_of_bounds_or_of_another_type_is_refused(value: Any) -> None:
    """The error names the parameter and its range; true is no number."""
    with pytest.raises(UsageError, match=r"'sections' is .* must be a whole number from 1 to 8"):
        check_params(SOSFILT, {"sections": value})


@pytest.mark.parametrize("value", [nan, inf, -inf, 0.0, 1.5, False, "0.1", 10**400])
def test_a_number_out_of_bounds_or_of_another_type_is_refused(value: Any) -> None:
    """NaN and infinity lie outside every range."""
    with pytest.raises(UsageError, match=r"'low' is .* must be a number from 0\.01 to 0\.97"):
        check_params(SOSFILT, {"low": value})


def test_a_whole_number_may_stand_for_a_number() -> None:
    """It is handed on as a float."""
    params = check_params(OPERATORS["scale"], {"gain": 2})
    assert isinstance(params["gain"], float)
    assert params["gain"] == 2.0


def test_endless_names_and_numbers_are_cut_short() -> None:
    """An error stays readable, and Python need not print more digits than it is willing to."""
    with pytest.raises(UsageError, match="is a number of 20001 bits") as number:
        check_params(SOSFILT, {"sections": 1 << 20_000})
    with pytest.raises(UsageError) as name:
        check_params(SOSFILT, {"x" * 100_000: 1})
    with pytest.raises(UsageError) as word:
        check_params(JOIN, {"kind": "x" * 100_000})
    with pytest.raises(UsageError) as operator:
        find_operator("x" * 100_000)
    for error in (number, name, word, operator):
        assert len(str(error.value)) < 300


@pytest.mark.parametrize("value", ["sum", 1, None])
def test_a_word_that_is_no_choice_is_refused(value: Any) -> None:
    """The error lists the choices."""
    with pytest.raises(UsageError, match=r"'kind' is .* must be one of add, concat"):
        check_params(JOIN, {"kind": value})


def test_the_nearest_choice_is_named() -> None:
    """A misspelt word is answered with the right one."""
    with pytest.raises(UsageError, match="Did you mean 'concat'"):
        check_params(JOIN, {"kind": "concta"})


@given(st.sampled_from(sorted(OPERATORS)), st.data())
def test_hostile_values_give_usage_errors_and_nothing_else(name: str, data: st.DataObject) -> None:
    """Whatever a document holds, parameters are valid or there is one clear error."""
    operator = OPERATORS[name]
    keys = st.sampled_from([*(parameter.name for parameter in operator.parameters), "other"])
    words = st.sampled_from(["", "concat", "blas", "3", "nan", "[red]", "\n\x00"])
    anything = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), words)
    given_params = data.draw(st.dictionaries(keys, anything))
    try:
        params = check_params(operator, given_params)
    except UsageError:
        return
    assert check_params(operator, params) == params


def test_unbounded_parameters_are_described_without_bounds() -> None:
    """A missing bound is left out of the words."""
    assert expected(Parameter("x", 1, "")) == "a whole number"
    assert expected(Parameter("x", 1.0, "", low=0.5)) == "a number from 0.5"


def test_bounds_are_written_out() -> None:
    """A million is not written as a power of ten."""
    assert expected(Parameter("x", 1, "", 1, 1_000_000)) == "a whole number from 1 to 1000000"


def test_edges_of_a_band_must_be_in_order() -> None:
    """Parameters that are valid one by one are checked together."""
    with pytest.raises(UsageError, match=r"`high` \(0\.1\) must exceed `low` \(0\.2\)"):
        check_params(SOSFILT, {"low": 0.2, "high": 0.1})


def test_the_narrowest_band_written_in_decimals_is_valid() -> None:
    """0.05 - 0.03 is a little less than 0.02 in floating point."""
    assert check_params(SOSFILT, {"low": 0.03, "high": 0.05})["high"] == 0.05


def test_windows_must_not_leave_gaps() -> None:
    """A hop longer than the window is refused."""
    with pytest.raises(UsageError, match=r"`hop` \(9\) must not exceed `length` \(8\)"):
        check_params(OPERATORS["window"], {"length": 8, "hop": 9})


def test_the_number_of_inputs_is_checked() -> None:
    """Operators with one input say so, a join takes two at least."""
    with pytest.raises(UsageError, match="abs takes one input, not 2"):
        check_shapes(OPERATORS["abs"], [(4, 2), (4, 2)], {})
    with pytest.raises(UsageError, match="join takes 2 to 64 inputs, not 1"):
        check_shapes(JOIN, [(4, 2)], check_params(JOIN, {}))


@pytest.mark.parametrize("shape", [(4,), (2, 4, 3), (0, 3), (4, 0)])
def test_shapes_that_a_filter_cannot_take_are_refused(shape: tuple[int, ...]) -> None:
    """The longest message must have samples and channels, and no further axis."""
    with pytest.raises(UsageError, match="sosfilt takes samples x channels, not an array of shape"):
        check_shapes(SOSFILT, [shape], {})


def test_branches_of_different_lengths_are_refused() -> None:
    """Only the number of channels may differ between the inputs of a join."""
    check_shapes(JOIN, [(4, 2), (4, 3)], check_params(JOIN, {"kind": "concat"}))
    with pytest.raises(UsageError, match="of one length"):
        check_shapes(JOIN, [(4, 2), (5, 2)], check_params(JOIN, {}))


def test_a_sum_needs_equal_channels() -> None:
    """A join that adds refuses branches it would have to stretch."""
    with pytest.raises(UsageError, match="same shape"):
        check_shapes(JOIN, [(4, 2), (4, 1)], check_params(JOIN, {}))
