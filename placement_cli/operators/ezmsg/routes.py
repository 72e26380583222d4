"""Which processors of ezmsg-sigproc do the work of an operator, and how they are set up to compute the same.

Time runs at one sample a second: what the processors take in seconds (time constants, bins, windows) and the
operators in samples is then the same number. Names and settings are those of ezmsg-sigproc 3.11.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from placement_cli.operators.affine import weights
from placement_cli.operators.ewm_scaler import fading
from placement_cli.operators.ezmsg.composed import Chain, Pairing
from placement_cli.operators.ezmsg.references import scaler_reference, spectrum_reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from placement_cli.operators.operator import Maker, Params, Shape

    Load = Callable[[str], Any]
    Processor = Any
    Build = Callable[[Load, Sequence[Shape], Params, int], Processor]

SIGPROC = "ezmsg.sigproc"


def no_arrays(_processor: Processor) -> Sequence[Any]:
    """Return no arrays: the processor carries none from message to message."""
    return ()


def as_primed(_processor: Processor, _params: Params) -> None:
    """Leave the processor as the priming message left it."""


@dataclass(frozen=True, slots=True)
class Route:
    """One operator's way through ezmsg-sigproc.

    `build` makes a new processor: it takes one message an input and returns a message. `state` returns the arrays
    it carries. A `primed` processor sees one sample of zeros first, since it makes its state of the first message
    and reads that on the host; `settle` then changes that state where silence is not what came before. With
    `needs_metal` its MLX path is a Metal kernel. `reference` replaces the operator's where the meaning differs,
    and `refuses` says why inputs cannot be taken (an empty string: they can).
    """

    processors: str
    build: Build
    state: Callable[[Processor], Sequence[Any]] = no_arrays
    primed: bool = False
    settle: Callable[[Processor, Params], None] = as_primed
    needs_metal: bool = False
    reference: Maker | None = None
    refuses: Callable[[Sequence[Shape]], str] = lambda _shapes: ""


def _sosfilt(load: Load, _shapes: Sequence[Shape], params: Params, _seed: int) -> Processor:
    band = {"cuton": float(params["low"]), "cutoff": float(params["high"]), "wn_hz": False}
    make = load(f"{SIGPROC}.butterworthfilter").ButterworthFilterTransformer
    return make(order=int(params["sections"]), coef_type="sos", **band)


def _fir(load: Load, _shapes: Sequence[Shape], params: Params, _seed: int) -> Processor:
    make = load(f"{SIGPROC}.firfilter").FIRFilterTransformer
    return make(order=int(params["taps"]), cutoff=float(params["cutoff"]), wn_hz=False)


def _filter_delays(processor: Processor) -> Sequence[Any]:
    return (processor.state.filter.state.zi,)


def _ewm_scaler(load: Load, _shapes: Sequence[Shape], params: Params, _seed: int) -> Processor:
    make = load(f"{SIGPROC}.scaler").AdaptiveStandardScalerTransformer
    return make(time_constant=float(params["time_constant"]))


def _averages(processor: Processor) -> Sequence[Any]:
    return (processor.state.samps_ewma.state.zi, processor.state.vars_sq_ewma.state.zi)


def _in_steady_state(processor: Processor, params: Params) -> None:
    """Put a primed scaler where a long stream of mean 0 and mean square 1 would have brought it.

    For the first 17 time constants upstream divides the missing history out of its averages, with one more array
    from the host in every message; later it does not. A measurement that crossed that point would mix the two, and
    the first scores would be quotients of rounding errors. `zi` is an average times (1 - alpha).
    """
    for average, value in ((processor.state.samps_ewma, 0.0), (processor.state.vars_sq_ewma, 1.0)):
        average.state.zi = average.state.zi + (1.0 - fading(params)) * value
        average.state.n_seen = ceil(average.state.bias_settle_n)


def _abs(load: Load, _shapes: Sequence[Shape], _params: Params, _seed: int) -> Processor:
    return load(f"{SIGPROC}.math.abs").AbsTransformer()


def _scale(load: Load, _shapes: Sequence[Shape], params: Params, _seed: int) -> Processor:
    gain = load(f"{SIGPROC}.math.scale").ScaleTransformer(scale=float(params["gain"]))
    offset = load(f"{SIGPROC}.math.add").ConstAddTransformer(value=float(params["offset"]))
    return Chain((gain, offset))


def _car(load: Load, _shapes: Sequence[Shape], _params: Params, _seed: int) -> Processor:
    return load(f"{SIGPROC}.affinetransform").CommonRereferenceTransformer()


def _affine(load: Load, shapes: Sequence[Shape], params: Params, seed: int) -> Processor:
    make = load(f"{SIGPROC}.affinetransform").AffineTransformTransformer
    return make(weights=weights(shapes[0], params, seed))


def _spectrum(load: Load, _shapes: Sequence[Shape], _params: Params, _seed: int) -> Processor:
    module = load(f"{SIGPROC}.spectrum")
    power, window = module.SpectralTransform.REL_POWER, module.WindowFunction.HANNING
    return module.SpectrumTransformer(window=window, transform=power, norm="backward")


SHORTEST_SPECTRUM = 3
"""A symmetric Hann window of fewer samples has no energy."""


def _wants_windows(shapes: Sequence[Shape]) -> str:
    if len(shapes[0]) == 3 and shapes[0][1] >= SHORTEST_SPECTRUM:  # windows x samples x channels
        return ""
    return (
        "its Spectrum is planned anew, on the host, whenever the number of samples changes, and takes no fewer than"
        f" {SHORTEST_SPECTRUM}; put a `window` node of at least that length before it"
    )


def _downsample(load: Load, _shapes: Sequence[Shape], params: Params, _seed: int) -> Processor:
    return load(f"{SIGPROC}.downsample").DownsampleTransformer(factor=int(params["factor"]))


def _bin(load: Load, _shapes: Sequence[Shape], params: Params, _seed: int) -> Processor:
    make = load(f"{SIGPROC}.binned_aggregate").BinnedAggregateTransformer
    return make(bin_duration=float(params["size"]))


def _open_bin(processor: Processor) -> Sequence[Any]:
    carry = processor.state.carry
    return () if carry is None else (carry,)


def _window(load: Load, _shapes: Sequence[Shape], params: Params, _seed: int) -> Processor:
    make = load(f"{SIGPROC}.window").WindowTransformer
    length, hop = float(params["length"]), float(params["hop"])
    return make(newaxis="win", window_dur=length, window_shift=hop, zero_pad_until="none")


def _backlog(processor: Processor) -> Sequence[Any]:
    """Return a view of the buffer, at most a sample long: evaluating it evaluates everything written so far.

    The buffer itself is one array that is written in place, and so would change in the hands of who waits for it.
    """
    buffer = processor.state.buffer
    return () if buffer is None else (buffer.peek(min(1, buffer.available())),)


def _join(load: Load, shapes: Sequence[Shape], params: Params, _seed: int) -> Processor:
    pairs = range(len(shapes) - 1)
    if params["kind"] == "add":
        make = load(f"{SIGPROC}.math.add").AddProcessor
        return Pairing([make() for _ in pairs])
    module = load(f"{SIGPROC}.concat")
    return Pairing([module.ConcatProcessor(module.ConcatSettings(axis="ch")) for _ in pairs])


ROUTES: Mapping[str, Route] = MappingProxyType(
    {
        "sosfilt": Route("ButterworthFilter", _sosfilt, _filter_delays, primed=True, needs_metal=True),
        "ewm_scaler": Route(
            "AdaptiveStandardScaler",
            _ewm_scaler,
            _averages,
            primed=True,
            settle=_in_steady_state,
            needs_metal=True,
            reference=scaler_reference,
        ),
        "fir": Route("FIRFilter", _fir, _filter_delays, primed=True),
        "abs": Route("Abs", _abs),
        "scale": Route("Scale and ConstAdd", _scale),
        "car": Route("CommonRereference", _car),
        "affine": Route("AffineTransform", _affine),
        "spectrum": Route("Spectrum", _spectrum, reference=spectrum_reference, refuses=_wants_windows),
        "downsample": Route("Downsample", _downsample),
        "bin": Route("BinnedAggregate", _bin, _open_bin),
        "window": Route("Window", _window, _backlog),
        "join": Route("Add or Concat", _join),
    }
)
"""The way of every operator that ezmsg-sigproc has processors for, by the operator's name."""
