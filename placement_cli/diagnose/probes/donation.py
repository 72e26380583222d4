"""Probes of donation: whether an operation writes into the buffer of its input instead of taking another one.

MLX does when nobody else owns the buffer (`is_donatable` in its `array.h`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placement_cli.diagnose.probes.earlier import WHERE, Earlier, differing
from placement_cli.diagnose.probes.footprint import BUFFER_BYTES, ROUNDING_BYTES, chained, fresh_array, peak_over
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.units import format_size

OPS = 20
"""Operations in the chain that was measured before."""
SLACK = 0.5
"""Buffers by which a peak may miss a whole number of them: small constants, and what allocators round."""
LOST = OPS / 2
"""Buffers from which on donation counts as lost across evaluations; kept, it is one."""


def _buffers(peak_bytes: int) -> float:
    return peak_bytes / BUFFER_BYTES


def _measured(peak_bytes: int) -> str:
    return f"{_buffers(peak_bytes):.1f} buffers of {format_size(BUFFER_BYTES)}"


def _exactly(what: str, buffers: int, fewest: int | None = None) -> Earlier:
    low = (buffers if fewest is None else fewest) * BUFFER_BYTES
    return Earlier(what, low, buffers * BUFFER_BYTES + ROUNDING_BYTES, "bytes")


def _last_of_chain(rig: Rig, source: Any) -> Any:
    return chained(rig, source, OPS)[-1]


def _inside(rig: Rig) -> Observed:
    source = fresh_array(rig)

    def evaluate() -> Any:
        last = _last_of_chain(rig, source)
        rig.mx.eval(last)
        return last

    peak = peak_over(rig, evaluate)
    return Observed(
        _buffers(peak) <= 1 + SLACK,
        f"{OPS} operations in one evaluation peaked at {_measured(peak)}.",
        {"peak_bytes": peak, "peak_buffers": _buffers(peak)},
        differing(rig, (_exactly(f"The peak of {OPS} operations", 1), peak)),
    )


def _kept(rig: Rig) -> Observed:
    source = fresh_array(rig)

    def evaluate() -> Any:
        arrays = chained(rig, source, OPS)
        rig.mx.eval(arrays[-1])
        return arrays

    peak = peak_over(rig, evaluate)
    return Observed(
        abs(_buffers(peak) - OPS) <= SLACK,
        f"{OPS} operations whose results were all held peaked at {_measured(peak)}.",
        {"peak_bytes": peak, "peak_buffers": _buffers(peak)},
        differing(rig, (_exactly(f"The peak with {OPS} results held", OPS), peak)),
    )


def _across(rig: Rig) -> Observed:
    source = fresh_array(rig)

    def each(evaluate: Callable[[Any], None]) -> Callable[[], Any]:
        def run() -> Any:
            array = source
            for _ in range(OPS):
                array = rig.mx.negative(array)
                evaluate(array)
            return array

        return run

    lost = peak_over(rig, each(rig.mx.async_eval), behind_work=True)
    kept = peak_over(rig, each(rig.mx.eval))
    return Observed(
        _buffers(lost) >= LOST and _buffers(kept) <= 1 + SLACK,
        f"{OPS} operations, each evaluated, peaked at {_measured(lost)} with async_eval and at {_measured(kept)} with"
        " eval.",
        {
            "async_peak_bytes": lost,
            "async_peak_buffers": _buffers(lost),
            "sync_peak_bytes": kept,
            "sync_peak_buffers": _buffers(kept),
        },
        differing(
            rig,
            (_exactly("The peak with async_eval at every operation", OPS, OPS - 1), lost),
            (_exactly("The peak with eval at every operation", 1), kept),
        ),
    )


def _input_held(rig: Rig) -> Observed:
    def evaluate(hold: bool) -> Any:
        source = fresh_array(rig)
        result, held = rig.mx.negative(source), [source] if hold else []
        del source
        rig.mx.eval(result)
        return result, held

    held, dropped = peak_over(rig, lambda: evaluate(True)), peak_over(rig, lambda: evaluate(False))
    return Observed(
        abs(_buffers(held - dropped) - 1) <= SLACK and _buffers(dropped) <= 1 + SLACK,
        f"An operation and its input took {_measured(dropped)}, and {_measured(held)} while the input was held.",
        {
            "dropped_peak_bytes": dropped,
            "dropped_peak_buffers": _buffers(dropped),
            "held_peak_bytes": held,
            "held_peak_buffers": _buffers(held),
        },
        differing(
            rig,
            (_exactly("The peak with the input dropped", 1), dropped),
            (_exactly("The peak with the input held", 2), held),
        ),
    )


DONATION = (
    Probe(
        "ownership.donation-inside",
        f"A chain of {OPS} operations in one evaluation peaks at about one buffer.",
        _inside,
        ("memory",),
        reference=f"{format_size(BUFFER_BYTES)}, one buffer ({WHERE})",
    ),
    Probe(
        "ownership.donation-kept",
        "An evaluation whose intermediate results are held takes one buffer for each of them.",
        _kept,
        ("memory",),
        reference=f"{format_size(OPS * BUFFER_BYTES)} for {OPS} operations, one buffer each ({WHERE})",
    ),
    Probe(
        "ownership.donation-across",
        "Evaluating every operation of a chain with async_eval takes a buffer for each, with eval one in all.",
        _across,
        ("memory",),
        reference=f"38 to 40 MiB with async_eval and 2 MiB with eval for {OPS} operations on 2 MiB ({WHERE})",
    ),
    Probe(
        "ownership.input-held",
        "Holding the input of an operation costs one more buffer.",
        _input_held,
        ("memory",),
        reference=f"from 2 to 4 MiB for one operation on 2 MiB ({WHERE})",
    ),
)
"""The probes of donation."""
