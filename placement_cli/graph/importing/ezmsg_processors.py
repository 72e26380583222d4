"""What each processor of ezmsg-sigproc does with MLX arrays.

Found by feeding each of them, in version 3.11, pending arrays and looking at what was pending afterwards: whether the
input was evaluated, how many operations the output waits for, whether arrays are carried to the next message. Where an
operator of `placement operators` is the same work, the table names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from placement_cli.graph.importing.ezmsg_behaviour import Behaviour, Flow, Settings, every_stride
from placement_cli.graph.importing.ezmsg_filters import butterworth, chebyshev, fir, host_filter, scaler
from placement_cli.graph.importing.ezmsg_matrices import affine
from placement_cli.graph.importing.json_text import positive
from placement_cli.graph.mode import ASYNC, OFF, SYNC, Mode

Look = Callable[[Settings, Flow], Behaviour]
"""Tells what a processor with these settings does with such messages."""

MODES: Mapping[str, Mode] = {"sync": SYNC, "async": ASYNC, "off": OFF}
OWN_POINT = "evaluates its own output (its setting `materialize`)"
NO_MLX = "cannot take MLX arrays, so it is taken as host work; put an AsArray to NumPy before it"
ON_HOST = "computes on the host"


def lazy(_settings: Settings, flow: Flow, ops: int, *, op: str | None = None, rank: int | None = -1) -> Behaviour:
    """Return what adds `ops` operations and carries nothing; `rank` is that of its output, -1 for that of its input."""
    out = flow if rank == -1 else replace(flow, rank=rank)
    return Behaviour(out, op=op, ops=None if op else ops)


def carrying(_settings: Settings, flow: Flow) -> Behaviour:
    """Return what is lazy and carries arrays from message to message."""
    return Behaviour(flow, state="carried")


def forcing(_settings: Settings, flow: Flow, says: str = ON_HOST) -> Behaviour:
    """Return what reads values on the host with every message and hands MLX arrays on."""
    return Behaviour(replace(flow, rank=None), forces="always", says=(says,))


def on_host(_settings: Settings, flow: Flow, says: str = ON_HOST) -> Behaviour:
    """Return what works on the host and hands NumPy arrays on."""
    return Behaviour(replace(flow, arrays="numpy", rank=None), backend="host", says=(says,))


def withholding(_settings: Settings, flow: Flow) -> Behaviour:
    """Return what waits for something and gives output nobody knows how often."""
    return Behaviour(replace(flow, samples=None, rank=None), emits=None)


def as_array(settings: Settings, flow: Flow) -> Behaviour:
    """AsArray: to MLX nothing is computed, to NumPy the host reads the values."""
    if settings.word("backend", "numpy") == "mlx":
        return Behaviour(replace(flow, arrays="mlx"), ops=0)
    return Behaviour(replace(flow, arrays="numpy"), backend="host")


def materialize(settings: Settings, flow: Flow) -> Behaviour:
    """Materialize: an evaluation point, which is no node but a mode of the node before it."""
    return Behaviour(flow, evaluate=MODES.get(settings.word("mode", "sync"), SYNC), passes=True)


def log(settings: Settings, flow: Flow) -> Behaviour:
    """Log: two operations more where zeros are clipped."""
    return lazy(settings, flow, ops=6 if settings.flag("clip_zero", False) else 4)


def common_reference(settings: Settings, flow: Flow) -> Behaviour:
    """CommonRereference: the operator `car` where it is the mean over all channels."""
    plain = settings.flag("include_current", True) and settings.values.get("channel_groups") is None
    if settings.word("mode", "mean") == "mean":
        return lazy(settings, flow, ops=5, op="car" if plain else None)
    return lazy(settings, flow, ops=27)


def aggregate(settings: Settings, flow: Flow) -> Behaviour:
    """AggregateUnit and RangedAggregate: positions, trapezoids and what skips NaN are computed on the host."""
    operation = settings.word("operation", "mean")
    if operation.startswith(("nan", "arg")) or operation == "trapezoid":
        return forcing(settings, flow, f"{operation} is computed on the host")
    return lazy(settings, flow, ops=14 if operation == "median" else 6, rank=None)


def spectrum(settings: Settings, flow: Flow) -> Behaviour:
    """Spectrum: the operator `spectrum` where it gives power."""
    power = settings.word("transform") in ("rel_power", "relative power")
    return lazy(settings, flow, ops=14, op="spectrum" if power else None)


def window(settings: Settings, flow: Flow) -> Behaviour:
    """Window: the operator `window` where length and hop are whole numbers of samples."""
    length, hop = flow.count(settings.number("window_dur")), flow.count(settings.number("window_shift"))
    out = replace(flow, samples=length, rank=3)
    if settings.values.get("window_shift") is None:  # one window for every message
        return Behaviour(out, state="carried")
    params = _whole(length=length, hop=hop)
    fits = params and params["length"] >= 2 and flow.rank in (None, 2)
    emits = every_stride(hop, flow)
    return Behaviour(out, op="window" if fits else None, params=params if fits else {}, state="carried", emits=emits)


def spectrogram(settings: Settings, flow: Flow) -> Behaviour:
    """Spectrogram: windows and their spectra, in one unit."""
    return replace(window(settings, flow), op=None, params={})


def binned(settings: Settings, flow: Flow) -> Behaviour:
    """BinnedAggregate: the operator `bin` where it is the mean of a whole number of samples."""
    duration = settings.number("bin_duration") or 0.02
    size = flow.count(duration)
    samples = None if size is None or flow.samples is None else max(1.0, flow.samples / size)
    out = Flow(flow.arrays, 1 / duration, samples, flow.rank)
    params = _whole(size=size)
    fits = params and params["size"] >= 2 and settings.word("operation", "mean") == "mean"
    emits = every_stride(size, flow)
    return Behaviour(out, op="bin" if fits else None, params=params if fits else {}, state="carried", emits=emits)


def downsample(settings: Settings, flow: Flow) -> Behaviour:
    """Downsample: the operator of that name; it carries counts and no arrays."""
    factor, target = settings.whole("factor"), settings.number("target_rate")
    if factor is None and target is not None and flow.sample_rate is not None:
        factor = max(1, int(positive(flow.sample_rate / target) or 1))
    if factor is None:
        return Behaviour(replace(flow, sample_rate=None, samples=None), emits=None)
    rate = None if flow.sample_rate is None else flow.sample_rate / factor
    samples = None if flow.samples is None else max(1.0, flow.samples / factor)
    out = replace(flow, sample_rate=rate, samples=samples)
    return Behaviour(out, op="downsample", params={"factor": factor}, emits=every_stride(factor, flow))


def band_power(settings: Settings, flow: Flow) -> Behaviour:
    """BandPower: windows, spectra and bands in one unit, evaluated when it gives output."""
    inner = spectrogram(settings.inside("spectrogram_settings"), flow)
    return _with_own_point(settings, replace(inner, out=replace(inner.out, rank=2)))


def rms_band_power(settings: Settings, flow: Flow) -> Behaviour:
    """RMSBandPower: a band-pass, squares and means of bins in one unit, evaluated when it gives output."""
    duration = settings.number("bin_duration") or 0.05
    emits = every_stride(flow.count(duration), flow)
    found = Behaviour(Flow(flow.arrays, 1 / duration, 1.0, 2), state="carried", emits=emits)
    bandpass = butterworth(Settings({"order": 4, "coef_type": "sos", **settings.inside("bandpass").values}), flow)
    return _with_own_point(settings, replace(found, forces=bandpass.forces, says=bandpass.says))


def _with_own_point(settings: Settings, found: Behaviour) -> Behaviour:
    mode = MODES.get(settings.word("materialize", "async"), ASYNC)
    return replace(found, evaluate=mode, says=(*found.says, OWN_POINT) if mode != OFF else found.says)


def joining(_settings: Settings, flow: Flow, kind: str) -> Behaviour:
    """Add and Concat: the operator `join`."""
    return Behaviour(flow, op="join", params={"kind": kind})


def unmoved(_settings: Settings, flow: Flow) -> Behaviour:
    """RollingScaler: not fully known; it handed messages on as they were."""
    return Behaviour(flow, state="carried", says=("what it carries is not known for certain",))


def _whole(**numbers: float | None) -> dict[str, int]:
    """Return the numbers if all of them are whole; none of them otherwise."""
    known = {name: round(number) for name, number in numbers.items() if number is not None}
    exact = all(abs(known[name] - number) < 1e-6 for name, number in numbers.items() if number is not None)
    return known if exact and len(known) == len(numbers) else {}


PROCESSORS: Mapping[str, Look] = MappingProxyType(
    {
        "AsArray": as_array,
        "Materialize": materialize,
        "Abs": partial(lazy, ops=1, op="abs"),
        "Log": log,
        "Clip": partial(lazy, ops=4),
        "Pow": partial(lazy, ops=2),
        "Scale": partial(lazy, ops=2),
        "Invert": partial(lazy, ops=2),
        "Anscombe": partial(lazy, ops=5),
        "Quantizer": partial(lazy, ops=12),
        "Digitize": partial(lazy, ops=14),
        "LinearTransform": partial(lazy, ops=5),
        "AffineTransform": affine,
        "CommonRereference": common_reference,
        "Slicer": partial(lazy, ops=1),
        "Transpose": partial(lazy, ops=1, rank=None),
        "Flatten": partial(lazy, ops=0, rank=2),
        "Aggregate": aggregate,
        "RangedAggregate": aggregate,
        "Spectrum": spectrum,
        "Spectrogram": spectrogram,
        "Window": window,
        "BinnedAggregate": binned,
        "Downsample": downsample,
        "BandPower": band_power,
        "RMSBandPower": rms_band_power,
        "Diff": carrying,
        "FIRFilter": fir,
        "GaussianSmoothingFilter": carrying,
        "ButterworthFilter": butterworth,
        "ChebyshevFilter": chebyshev,
        "AdaptiveStandardScaler": scaler,
        "EWMA": carrying,
        "Detrend": carrying,
        "RollingScaler": unmoved,
        "Add": partial(joining, kind="add"),
        "Concat": partial(joining, kind="concat"),
        "CombFilter": host_filter,
        "AdaptiveLNC": forcing,
        "Denormalize": on_host,
        "Filterbank": partial(on_host, says=NO_MLX),
        "CWT": partial(on_host, says=NO_MLX),
        "FIRHilbertFilter": partial(on_host, says=NO_MLX),
        "Resample": withholding,
        "AlignAlongAxis": withholding,
        "ResampleConcat": withholding,
        "Sampler": withholding,
        "StreamingFBCCA": withholding,
    }
)
"""Class, without `Unit` at its end, to what it does."""


def known_look(class_name: str) -> Look | None:
    """Return what is known about a class of ezmsg-sigproc, None when nothing is."""
    return PROCESSORS.get(class_name) or PROCESSORS.get(class_name.removesuffix("Unit"))
