"""Which processors are made for an operator, and with which settings."""

from __future__ import annotations

from math import exp
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from placement_cli.operators.affine import weights
from placement_cli.operators.catalog import OPERATORS, check_params, find_operator
from placement_cli.operators.ezmsg.routes import ROUTES

MADE: list[tuple[str, dict[str, Any], list[tuple[str, Any]]]] = [
    (
        "sosfilt",
        {"sections": 3, "low": 0.1, "high": 0.4},
        [
            (
                "butterworthfilter.ButterworthFilterTransformer",
                {"order": 3, "cuton": 0.1, "cutoff": 0.4, "coef_type": "sos", "wn_hz": False},
            )
        ],
    ),
    (
        "fir",
        {"taps": 9, "cutoff": 0.2},
        [("firfilter.FIRFilterTransformer", {"order": 9, "cutoff": 0.2, "wn_hz": False})],
    ),
    ("ewm_scaler", {"time_constant": 40.0}, [("scaler.AdaptiveStandardScalerTransformer", {"time_constant": 40.0})]),
    ("abs", {}, [("math.abs.AbsTransformer", ())]),
    (
        "scale",
        {"gain": 3.0, "offset": -1.0},
        [("math.scale.ScaleTransformer", {"scale": 3.0}), ("math.add.ConstAddTransformer", {"value": -1.0})],
    ),
    ("car", {}, [("affinetransform.CommonRereferenceTransformer", ())]),
    (
        "spectrum",
        {},
        [
            (
                "spectrum.SpectrumTransformer",
                {"window": "WindowFunction.HANNING", "transform": "SpectralTransform.REL_POWER", "norm": "backward"},
            )
        ],
    ),
    ("downsample", {"factor": 5}, [("downsample.DownsampleTransformer", {"factor": 5})]),
    ("bin", {"size": 50}, [("binned_aggregate.BinnedAggregateTransformer", {"bin_duration": 50.0})]),
    (
        "window",
        {"length": 32, "hop": 16},
        [
            (
                "window.WindowTransformer",
                {"newaxis": "win", "window_dur": 32.0, "window_shift": 16.0, "zero_pad_until": "none"},
            )
        ],
    ),
]


def test_every_operator_that_works_on_the_device_has_a_route() -> None:
    """Host work is the program's own; everything else goes through ezmsg-sigproc."""
    assert set(ROUTES) == {name for name, operator in OPERATORS.items() if operator.backend == "mlx"}


def test_the_filter_with_feedback_and_the_scaler_need_metal() -> None:
    """Those two have no MLX path but a Metal kernel (shown with the real ones in test_ezmsg_processors.py)."""
    assert {name for name, route in ROUTES.items() if route.needs_metal} == {"sosfilt", "ewm_scaler"}


@pytest.mark.parametrize(("name", "params", "made"), MADE, ids=[case[0] for case in MADE])
def test_settings_follow_the_parameters(
    name: str, params: dict[str, Any], made: list[tuple[str, Any]], sigproc: Any
) -> None:
    """Each parameter of the operator becomes the setting that means the same at one sample a second."""
    checked = check_params(find_operator(name), params)
    ROUTES[name].build(sigproc.load, [(64, 3)], checked, 0)
    assert [(kind, processor.settings) for kind, processor in sigproc.made] == [
        (f"ezmsg.sigproc.{kind}", settings) for kind, settings in made
    ]


def test_the_matrix_is_the_operators_own(sigproc: Any) -> None:
    """Equal seeds give equal weights on either workload."""
    checked = check_params(find_operator("affine"), {"outputs": 5})
    ROUTES["affine"].build(sigproc.load, [(64, 3)], checked, 7)
    assert np.array_equal(sigproc.newest.settings["weights"], weights((64, 3), checked, 7))


@pytest.mark.parametrize(
    ("kind", "processor", "settings"),
    [
        ("add", "math.add.AddProcessor", ()),
        ("concat", "concat.ConcatProcessor", ({"ConcatSettings": {"axis": "ch"}},)),
    ],
)
def test_branches_are_joined_two_by_two(kind: str, processor: str, settings: Any, sigproc: Any) -> None:
    """A join of four branches takes three processors of two inputs."""
    checked = check_params(find_operator("join"), {"kind": kind})
    ROUTES["join"].build(sigproc.load, [(64, 3)] * 4, checked, 0)
    made = [(kind, processor.settings) for kind, processor in sigproc.made]
    assert made == [(f"ezmsg.sigproc.{processor}", settings)] * 3


def test_the_scaler_is_put_into_the_steady_state_of_mean_0_and_mean_square_1() -> None:
    """The averages are those of such a stream, and so many samples were seen that their bias is gone."""
    average = SimpleNamespace(state=SimpleNamespace(zi=np.zeros((1, 2)), n_seen=1, bias_settle_n=99.5))
    square = SimpleNamespace(state=SimpleNamespace(zi=np.zeros((1, 2)), n_seen=1, bias_settle_n=99.5))
    processor = SimpleNamespace(state=SimpleNamespace(samps_ewma=average, vars_sq_ewma=square))
    ROUTES["ewm_scaler"].settle(processor, {"time_constant": 10.0})
    mean, mean_square = ROUTES["ewm_scaler"].state(processor)
    np.testing.assert_allclose(mean, [[0.0, 0.0]])
    np.testing.assert_allclose(mean_square, [[exp(-0.1), exp(-0.1)]])
    assert average.state.n_seen == square.state.n_seen == 100


def test_a_bin_carries_what_waits_in_it() -> None:
    """A processor that has seen nothing, or whose bin is just full, carries no array."""
    state = ROUTES["bin"].state
    assert state(SimpleNamespace(state=SimpleNamespace(carry=None))) == ()
    assert state(SimpleNamespace(state=SimpleNamespace(carry="samples"))) == ("samples",)


@pytest.mark.parametrize(("available", "seen"), [(0, 0), (1, 1), (40, 1)])
def test_a_window_carries_its_buffer_seen_through_one_sample(available: int, seen: int) -> None:
    """The buffer is written in place, so a view of at most one sample stands for it."""
    buffer = SimpleNamespace(available=lambda: available, peek=lambda samples: samples)
    state = ROUTES["window"].state
    assert state(SimpleNamespace(state=SimpleNamespace(buffer=None))) == ()
    assert state(SimpleNamespace(state=SimpleNamespace(buffer=buffer))) == (seen,)


@pytest.mark.parametrize(
    ("shape", "taken"), [((4, 16, 2), True), ((4, 3, 2), True), ((4, 2, 2), False), ((64, 2), False)]
)
def test_a_spectrum_wants_windows_of_three_samples_at_least(shape: tuple[int, ...], taken: bool) -> None:
    """A raw stream, and windows without energy, are refused with what to put before the node."""
    reason = ROUTES["spectrum"].refuses([shape])
    assert (reason == "") is taken
    assert taken or "put a `window` node" in reason
