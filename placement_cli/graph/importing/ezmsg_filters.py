"""Filters and scalers of ezmsg-sigproc, with the operators that are the same work."""

from __future__ import annotations

from math import ceil

from placement_cli.errors import UsageError
from placement_cli.graph.importing.ezmsg_behaviour import Behaviour, Flow, Settings
from placement_cli.graph.pipeline import ParameterValue
from placement_cli.operators.catalog import check_params, find_operator

NEEDS_METAL = "its MLX path is a Metal kernel and raises on any other device"
EDGES_UNKNOWN = "its edges are not those of a band-pass in shares of a known rate, so those of the operator stand in"


def host_filter(settings: Settings, flow: Flow) -> Behaviour:
    """Return what a filter does that runs in SciPy: it reads every message on the host, its state is not MLX's."""
    coefficients = settings.word("coef_type", "ba")
    why = "use_mlx_metal is off" if coefficients == "sos" else f"coef_type is {coefficients[:20]}"
    return Behaviour(flow, forces="always", says=(f"it filters on the host ({why}), which forces every message",))


def butterworth(settings: Settings, flow: Flow) -> Behaviour:
    """ButterworthFilter: the operator `sosfilt` where it has second-order sections and may use Metal."""
    low, high = settings.number("cuton"), settings.number("cutoff")
    band = low is not None and high is not None
    edges = _shares(settings, flow, low, high) if low is not None and high is not None and low < high else None
    return _sections(settings, flow, band, edges)


def chebyshev(settings: Settings, flow: Flow) -> Behaviour:
    """ChebyshevFilter: the work of `sosfilt`, with other coefficients."""
    band = settings.word("btype", "lowpass").removesuffix("pass").removesuffix("stop") == "band"
    return _sections(settings, flow, band, None)


def _sections(settings: Settings, flow: Flow, band: bool, edges: tuple[float, float] | None) -> Behaviour:
    if settings.word("coef_type", "ba") != "sos" or not settings.flag("use_mlx_metal", True):
        return host_filter(settings, flow)
    order = settings.whole("order")
    if order is None:
        return Behaviour(flow, state="carried", says=(NEEDS_METAL,))
    params: dict[str, ParameterValue] = {"sections": order if band else ceil(order / 2)}
    with_edges = params | {"low": edges[0], "high": edges[1]} if edges else params
    says = (NEEDS_METAL,) if edges and fits("sosfilt", with_edges) else (NEEDS_METAL, EDGES_UNKNOWN)
    chosen = next((each for each in (with_edges, params) if fits("sosfilt", each)), None)
    return Behaviour(flow, op="sosfilt" if chosen else None, params=chosen or {}, state="carried", says=says)


def fir(settings: Settings, flow: Flow) -> Behaviour:
    """FIRFilter: the operator `fir`."""
    taps, cutoff = settings.whole("order"), settings.number("cutoff")
    edge = _share(settings, flow, cutoff) if cutoff is not None else None
    plain: dict[str, ParameterValue] = {"taps": taps} if taps else {}
    choices = [plain | {"cutoff": edge}, plain] if edge is not None else [plain]
    chosen = next((each for each in choices if each and fits("fir", each)), None)
    return Behaviour(flow, op="fir" if chosen else None, params=chosen or {}, state="carried")


def scaler(settings: Settings, flow: Flow) -> Behaviour:
    """AdaptiveStandardScaler: the operator `ewm_scaler`."""
    samples = flow.count(settings.number("time_constant") or 1.0)
    params: dict[str, ParameterValue] = {} if samples is None else {"time_constant": float(samples)}
    chosen = params if fits("ewm_scaler", params) else {}
    return Behaviour(flow, op="ewm_scaler", params=chosen, state="carried", says=(NEEDS_METAL,))


def fits(operator: str, params: dict[str, ParameterValue]) -> bool:
    """Tell whether an operator takes these parameters."""
    try:
        check_params(find_operator(operator), params)
    except UsageError:
        return False
    return True


def _shares(settings: Settings, flow: Flow, low: float, high: float) -> tuple[float, float] | None:
    shares = _share(settings, flow, low), _share(settings, flow, high)
    return None if shares[0] is None or shares[1] is None else (shares[0], shares[1])


def _share(settings: Settings, flow: Flow, edge: float) -> float | None:
    """Return an edge as a share of the Nyquist frequency; None where the rate is not known."""
    if not settings.flag("wn_hz", True):
        return edge
    return None if flow.sample_rate is None else 2 * edge / flow.sample_rate
