"""What is known of the processors of ezmsg-sigproc agrees with what was seen of them."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.graph.graph import Emission
from placement_cli.graph.importing.ezmsg_behaviour import Behaviour, Flow, Settings
from placement_cli.graph.importing.ezmsg_processors import PROCESSORS, known_look
from placement_cli.graph.mode import ASYNC, OFF, SYNC
from placement_cli.operators.catalog import check_params, find_operator

DATA = Path(__file__).parents[3] / "data" / "graphs"
PROBED = {each["unit"]: each for each in json.loads((DATA / "unit_probe.json").read_text())}
GROWTH = {each["unit"]: each for each in json.loads((DATA / "state_growth.json").read_text())}
FED = 2
"""Operations that the input of a probed unit waited for."""
FLOW = Flow("mlx", 1000.0, 20, 2)
"""What the probes were fed: messages of 20 samples at 1 kHz."""

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "AsArray(mlx->mlx)": ("AsArray", {"backend": "mlx"}),
    "AsArray(mlx->numpy)": ("AsArray", {"backend": "numpy"}),
    "Abs": ("Abs", {}),
    "Log(clip_zero=False)": ("Log", {}),
    "Log(clip_zero=True)": ("Log", {"clip_zero": True}),
    "Clip": ("Clip", {}),
    "Pow": ("Pow", {}),
    "Scale": ("Scale", {}),
    "Invert": ("Invert", {}),
    "Anscombe": ("Anscombe", {}),
    "LinearTransform": ("LinearTransform", {}),
    "AffineTransform(dense)": ("AffineTransform", {}),
    "CommonRereference(mean)": ("CommonRereference", {"mode": "mean"}),
    "CommonRereference(median)": ("CommonRereference", {"mode": "median"}),
    "Slicer(0:8)": ("Slicer", {}),
    "Transpose": ("Transpose", {}),
    "Flatten": ("Flatten", {}),
    "Quantize": ("QuantizerUnit", {}),
    "Digitize": ("Digitize", {}),
    "Denormalize": ("DenormalizeUnit", {}),
    "Butterworth(sos,use_mlx_metal=False)": ("ButterworthFilter", {"coef_type": "sos", "use_mlx_metal": False}),
    "Butterworth(ba)": ("ButterworthFilter", {}),
    "FIRFilter": ("FIRFilter", {"order": 32}),
    "CombFilter": ("CombFilterUnit", {}),
    "GaussianSmoothing": ("GaussianSmoothingFilter", {}),
    "Downsample(factor=4)": ("Downsample", {"factor": 4}),
    "Downsample(factor=64)": ("Downsample", {"factor": 64}),
    "BinnedAggregate(50ms)": ("BinnedAggregate", {"bin_duration": 0.05}),
    "Window(0.1s/0.05s)": ("Window", {"window_dur": 0.1, "window_shift": 0.05}),
    "Window(1:1)": ("Window", {"window_dur": 0.1, "window_shift": None}),
    "Spectrum": ("Spectrum", {}),
    "Aggregate(mean)": ("AggregateUnit", {"operation": "AggregationFunction.MEAN"}),
    "Aggregate(median)": ("AggregateUnit", {"operation": "median"}),
    "Aggregate(argmax)": ("AggregateUnit", {"operation": "argmax"}),
    "Aggregate(nanmean)": ("AggregateUnit", {"operation": "<AggregationFunction.NANMEAN: 'nanmean'>"}),
    "RangedAggregate": ("RangedAggregate", {}),
    "RangedAggregate(trapezoid)": ("RangedAggregate", {"operation": "trapezoid"}),
}
"""Probe to class and settings."""


def look(kind: str, given: dict[str, Any], flow: Flow = FLOW) -> Behaviour:
    """Return what is known of a class with these settings."""
    found = known_look(kind)
    assert found is not None
    return found(Settings(given), flow)


@pytest.mark.parametrize("probe", CASES)
def test_what_forces_and_withholds_is_what_was_seen(probe: str) -> None:
    """Whatever evaluated its input in the probe forces or works on the host; whatever gave less withholds."""
    seen, behaviour = PROBED[probe], look(*CASES[probe])
    forced = behaviour.forces == "always" or behaviour.backend == "host"
    assert forced == (seen["forced"] == "8/8")
    assert behaviour.emits is not None
    assert (not behaviour.emits.always) == (seen["withheld"] != "0/8")
    assert (behaviour.out.arrays == "numpy") == (seen["out"] == ["ndarray"])


@pytest.mark.parametrize("probe", CASES)
def test_operations_are_those_that_were_counted(probe: str) -> None:
    """Counts of operations are those of the probe, without those of its input."""
    ops = look(*CASES[probe]).ops
    assert ops is None or {ops + FED} == set(PROBED[probe]["pending_ops"])


@pytest.mark.parametrize(
    ("probe", "kind"),
    [("FIRFilter", "FIRFilter"), ("GaussianSmoothing", "GaussianSmoothingFilter"), ("Spectrogram",) * 2],
)
def test_what_grows_without_evaluation_carries_state(probe: str, kind: str) -> None:
    """What waits for more operations with every message carries arrays."""
    assert GROWTH[probe]["off"] == sorted(set(GROWTH[probe]["off"]))
    assert look(kind, {"window_dur": 0.1, "window_shift": 0.05}).state == "carried"


def test_a_filter_on_metal_is_the_operator_of_second_order_sections() -> None:
    """Order and edges of a band-pass become its parameters; a low-pass of the same order has half the sections."""
    band = look("ButterworthFilter", {"coef_type": "sos", "order": 4, "cuton": 50.0, "cutoff": 200.0})
    assert (band.op, band.params) == ("sosfilt", {"sections": 4, "low": 0.1, "high": 0.4})
    low = look("ButterworthFilter", {"coef_type": "sos", "order": 4, "cutoff": 200.0})
    assert (low.op, low.params) == ("sosfilt", {"sections": 2})
    assert any("Metal" in remark for remark in low.says)


@pytest.mark.parametrize(("mode", "expected"), [("SYNC", SYNC), ("async", ASYNC), ("off", OFF)])
def test_band_power_evaluates_its_own_output(mode: str, expected: object) -> None:
    """The setting of the composite is an evaluation point at a node that withholds output."""
    spectrogram = {"window_dur": 0.1, "window_shift": 0.05}
    found = look("BandPower", {"spectrogram_settings": spectrogram, "materialize": f"MaterializeMode.{mode}"})
    assert (found.evaluate, found.state, found.emits) == (expected, "carried", Emission(every=3))


def test_every_class_of_the_table_exists() -> None:
    """The names are those of ezmsg-sigproc."""
    spec = importlib.util.find_spec("ezmsg.sigproc")
    assert spec is not None
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    source = "\n".join(path.read_text() for folder in folders for path in folder.rglob("*.py"))
    classes = set(re.findall(r"^class (\w+)", source, re.MULTILINE))
    assert [name for name in PROCESSORS if not {name, f"{name}Unit"} & classes] == []


NUMBERS = st.integers() | st.floats() | st.sampled_from([0.05, 1, 4, 1e-320, 1e308])
GIVEN = st.dictionaries(
    st.sampled_from(
        [
            "order",
            "cuton",
            "cutoff",
            "factor",
            "target_rate",
            "bin_duration",
            "window_dur",
            "window_shift",
            "time_constant",
        ]
    ),
    NUMBERS | st.none() | st.text(max_size=3) | st.lists(st.integers(), max_size=2),
)


@settings(deadline=None, max_examples=200)
@given(kind=st.sampled_from(sorted(PROCESSORS)), given_settings=GIVEN, rate=st.none() | st.floats(1e-9, 1e9))
def test_no_settings_break_the_table(kind: str, given_settings: dict[str, Any], rate: float | None) -> None:
    """Settings are data of strangers: absurd ones give no operator, or one with parameters that can be checked."""
    found = look(kind, {"coef_type": "sos", **given_settings}, Flow("mlx", rate, None if rate is None else 20, 2))
    if found.op is not None and found.op not in ("window", "bin", "downsample"):
        check_params(find_operator(found.op), found.params)
    assert found.body().emits.every >= 1
