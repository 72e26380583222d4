"""Ordering: dependencies across streams and devices, what an event covers, and where an error comes out."""

from __future__ import annotations

from functools import partial
from typing import Any

from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.watched import NOTHING, error_of, repeated, seconds, unlike
from placement_cli.units import format_duration

ONE_CALL_REFERENCE = "MLX 0.32.4, CPU: 0.13 ms on the host for one async_eval across two streams"
TWO_CALLS_REFERENCE = "MLX 0.32.4, CPU: 0.02 ms on the host for two async_evals, which did not wait"
FAST_REFERENCE = "MLX 0.32.4, CPU: 456 ms to read the fast output of one call, 0.6 ms with two calls"
FIFO_REFERENCE = "MLX 0.32.4, CPU: 1357 ms for a trivial eval behind three works on its stream, 0.1 ms on another"
ERROR_REFERENCE = "MLX 0.32.4, CPU: async_eval of the inverse raised nothing, the next eval on its stream raised"


def _two_streams(rig: Rig, *, calls: int, reference: str) -> Observed:
    """Use on one stream what another one computes: the value must be right, and the host not wait."""
    mx = rig.mx
    streams = mx.new_stream(mx.default_device()), mx.new_stream(mx.default_device())
    submits, waits, values = repeated(rig, lambda: _crossed(rig, streams, calls))
    submit_s, wait_s, right = min(submits), max(waits), values.count(2.0)
    held = right == len(values) and not rig.waited(submit_s) and rig.waited(wait_s)
    says = (
        f"Submitting took {format_duration(submit_s)} and waiting for the result {format_duration(wait_s)}; the value"
        f" was right in {right} of {len(values)} trials."
    )
    numbers = seconds(rig, submit=submit_s, wait=wait_s) | {"right_times": right}
    return Observed(held, says, numbers, unlike(rig, held, reference))


def _crossed(rig: Rig, streams: tuple[Any, Any], calls: int) -> tuple[float, float, float]:
    """Compute 1 on the first stream and add 1 on the second: return the times to submit and to wait, and the sum."""
    mx = rig.mx
    with mx.stream(streams[0]):
        first = rig.work()
    second = mx.add(first, 1.0, stream=streams[1])
    begun = [first, second] if calls == 2 else [second]
    submit_s = sum(rig.timed(partial(mx.async_eval, array)) for array in begun)
    wait_s = rig.timed(lambda: mx.eval(second))
    return submit_s, wait_s, float(second.item())


def _cpu_gpu(rig: Rig) -> Observed:
    mx = rig.mx
    if not (mx.is_available(mx.gpu) and mx.is_available(mx.cpu)):
        return Observed(False, "", not_run="MLX has one device here, so there is none to cross to")
    submits, totals, values = repeated(rig, lambda: _there_and_back(rig, calls=1))
    split_submits, split_totals, split_values = repeated(rig, lambda: _there_and_back(rig, calls=2))
    right = values.count(4.0) + split_values.count(4.0)
    trials = len(values) + len(split_values)
    says = (
        f"GPU to CPU to GPU: submitting took {format_duration(min(submits))} of {format_duration(min(totals))} in one"
        f" call and {format_duration(min(split_submits))} of {format_duration(min(split_totals))} in two; the value was"
        f" right in {right} of {trials} trials."
    )
    numbers = seconds(
        rig,
        submit_one_call=min(submits),
        one_call=min(totals),
        submit_two_calls=min(split_submits),
        two_calls=min(split_totals),
    )
    return Observed(right == trials, says, numbers | {"right_times": right})


def _there_and_back(rig: Rig, *, calls: int) -> tuple[float, float, float]:
    """Compute 1 on the GPU, add 1 on the CPU, double on the GPU: return the times to submit and in all, and 4."""
    mx = rig.mx
    with mx.stream(mx.gpu):
        first = rig.work()
    second = mx.add(first, 1.0, stream=mx.cpu)
    third = mx.multiply(second, 2.0, stream=mx.gpu)
    begun = [second, third] if calls == 2 else [third]
    submit_s = sum(rig.timed(partial(mx.async_eval, array)) for array in begun)
    wait_s = rig.timed(lambda: mx.eval(third))
    return submit_s, submit_s + wait_s, float(third.item())


def _fast_of_slow(rig: Rig) -> Observed:
    one, two = repeated(rig, lambda: (_fast_read(rig, together=True), _fast_read(rig, together=False)))
    one_s, two_s = max(one), min(two)
    held = rig.waited(one_s) and not rig.waited(two_s)
    says = (
        f"Reading the fast output took {format_duration(one_s)} when one async_eval had both, and"
        f" {format_duration(two_s)} when each had its own."
    )
    return Observed(held, says, seconds(rig, one_call=one_s, two_calls=two_s), unlike(rig, held, FAST_REFERENCE))


def _fast_read(rig: Rig, *, together: bool) -> float:
    """Submit a fast and a slow array, and return how long reading the fast one takes."""
    mx = rig.mx
    fast, slow = mx.ones((1,)), rig.work()
    for call in [(fast, slow)] if together else [(fast,), (slow,)]:
        mx.async_eval(*call)
    read_s = rig.timed(fast.item)
    mx.eval(slow)
    return read_s


def _fifo(rig: Rig) -> Observed:
    stream = rig.mx.new_stream(rig.mx.default_device())
    behind, beside = repeated(rig, lambda: (_behind(rig, stream, stream), _behind(rig, stream, None)))
    behind_s, beside_s = max(behind), min(beside)
    held = rig.waited(behind_s) and not rig.waited(beside_s)
    says = (
        f"Behind work of {format_duration(rig.work_s)} a trivial eval took {format_duration(behind_s)} on the same"
        f" stream and {format_duration(beside_s)} on another."
    )
    numbers = seconds(rig, same_stream=behind_s, other_stream=beside_s)
    return Observed(held, says, numbers, unlike(rig, held, FIFO_REFERENCE))


def _behind(rig: Rig, busy: Any, stream: Any) -> float:
    """Return how long a trivial eval takes on a stream (None: the default one) while `busy` has work."""
    mx = rig.mx
    with mx.stream(busy):
        slow = rig.work()
    mx.async_eval(slow)
    trivial = mx.ones((1,), stream=stream)
    took_s = rig.timed(lambda: mx.eval(trivial))
    mx.eval(slow)
    return took_s


SORTED = 1 << 19
"""Numbers in a sort that holds a stream: tens of milliseconds on any CPU."""


def _late_error(rig: Rig) -> Observed:
    mx = rig.mx
    stream = mx.new_stream(mx.cpu)
    singular = mx.zeros((2, 2), stream=stream)
    many = mx.random.uniform(shape=(SORTED,), stream=stream)
    mx.eval(singular, many)
    inverse = mx.linalg.inv(singular, stream=stream)
    # The inverse is not tried before its submission has returned: something long is in front of it.
    mx.async_eval(mx.sort(many, stream=stream))
    at_submission = error_of(lambda: mx.async_eval(inverse))
    unrelated, after = (mx.add(singular, number, stream=stream) for number in (1.0, 2.0))
    later = error_of(lambda: mx.eval(unrelated))
    then = error_of(lambda: mx.eval(after))
    own = error_of(lambda: mx.eval(inverse))
    held = at_submission == NOTHING and later != NOTHING
    says = (
        f"Errors of an inverse that cannot be computed: {at_submission} from its async_eval, {later} from the next eval"
        f" on its stream, of an unrelated array; {then} from the one after, and {own} from eval of the inverse itself."
    )
    numbers: dict[str, float | str | None] = {
        "submission_error": at_submission,
        "unrelated_error": later,
        "next_error": then,
        "own_error": own,
    }
    return Observed(held, says, numbers, unlike(rig, held, ERROR_REFERENCE))


ORDERING: tuple[Probe, ...] = (
    Probe(
        "ordering.two-streams-one-call",
        "Within one async_eval a stream waits for what it needs from another one, and the host waits for neither.",
        partial(_two_streams, calls=1, reference=ONE_CALL_REFERENCE),
        ("ordering", "timing"),
        reference=ONE_CALL_REFERENCE,
    ),
    Probe(
        "ordering.two-streams-two-calls",
        "Across two async_evals a stream waits for what it needs from another one, and the host waits for neither.",
        partial(_two_streams, calls=2, reference=TWO_CALLS_REFERENCE),
        ("ordering", "timing"),
        reference=TWO_CALLS_REFERENCE,
    ),
    Probe(
        "ordering.cpu-gpu",
        "A value that goes from the GPU to the CPU and back is right, within one async_eval and across two.",
        _cpu_gpu,
        ("ordering", "timing"),
    ),
    Probe(
        "ordering.fast-of-slow",
        "A fast output of a call with a slow one is there only when the whole call is done; with a call of its own it"
        " is there at once.",
        _fast_of_slow,
        ("ordering", "timing"),
        reference=FAST_REFERENCE,
    ),
    Probe(
        "ordering.fifo",
        "A stream does one thing after the other, so a trivial eval waits for all that its stream was given before;"
        " another stream is not held up.",
        _fifo,
        ("ordering", "timing"),
        reference=FIFO_REFERENCE,
    ),
    Probe(
        "ordering.late-error",
        "An error of asynchronous work on the CPU is raised by a later evaluation on its stream, also of an array that"
        " has nothing to do with it.",
        _late_error,
        ("crash", "ordering"),
        reference=ERROR_REFERENCE,
    ),
)
"""All probes of ordering, in the order they are shown."""
