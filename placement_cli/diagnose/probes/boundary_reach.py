"""The completion boundary: what one evaluation reaches, in the trees it is given and in the graph behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from placement_cli.diagnose.probes.earlier import Earlier, differing
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.diagnose.probes.watched import NOTHING, error_of, repeated, seconds, unlike
from placement_cli.units import format_duration, format_size

TWICE_S = Earlier("The expression written twice, against once", 1.5, 3.0, "times as long")
"""It was 2.0 times; a busy machine shifts it, and either end would be another kind of behaviour."""
TWICE_BYTES = 1.9
"""Two results of their own take up twice the memory of one, which is exact but for what is freed meanwhile."""
PLAIN_SIZE = 1 << 20
"""Elements of an array of 4 MiB, large against everything else that is allocated or freed meanwhile."""

TREE_REFERENCE = "MLX 0.32.4: lists, tuples and dicts are walked; sets, generators and dataclasses silently are not"
TWICE_REFERENCE = "MLX 0.32.4, CPU: 895 ms for the expression written twice, 448 ms for it once"


@dataclass(frozen=True)
class Message:
    """A message as programs define them, with an array in a field."""

    data: Any


Holder = Callable[[Any], Any]
WALKED: dict[str, Holder] = {
    "list": lambda array: [array],
    "tuple": lambda array: (array,),
    "dict": lambda array: {"x": array},
    "tree": lambda array: {"state": [None, ("name", {"x": array})]},
}
PASSED_OVER: dict[str, Holder] = {
    "dataclass": Message,
    "set": lambda array: {array},
    "generator": lambda array: (each for each in (array,)),
}


def _trees(rig: Rig) -> Observed:
    whole = rig.pending_ops(rig.work())
    seen = {name: _evaluated(rig, hold) for name, hold in {**WALKED, **PASSED_OVER}.items()}
    raised = [f"{name} raised {error}" for name, (_, error) in seen.items() if error != NOTHING]
    expected = dict.fromkeys(WALKED, 0) | dict.fromkeys(PASSED_OVER, whole)
    held = not raised and whole > 0 and all(left == expected[name] for name, (left, _) in seen.items())
    lefts = ", ".join(f"{left} in a {name}" for name, (left, _) in seen.items())
    says = f"Of {whole} pending operations eval left {lefts}; {', '.join(raised) or 'nothing was raised'}."
    numbers = {"before_nodes": whole} | {f"{name}_after_nodes": left for name, (left, _) in seen.items()}
    return Observed(held, says, numbers, unlike(rig, held, TREE_REFERENCE))


def _evaluated(rig: Rig, hold: Holder) -> tuple[int, str]:
    """Evaluate what holds lazy work: return how many operations are left, and the error."""
    array = rig.work()
    error = error_of(lambda: rig.mx.eval(hold(array)))
    return rig.pending_ops(array), error


def _intermediates(rig: Rig) -> Observed:
    whole, again, twice = (min(times) for times in repeated(rig, lambda: _with_intermediate(rig)))
    left = _left_of_intermediate(rig)
    one, both = _two_of_the_same(rig)
    ratio = twice / whole
    held = left == 0 and not rig.waited(again) and both >= TWICE_BYTES * one
    says = (
        f"An evaluation of {format_duration(whole)} left {left} operations of an intermediate, whose own evaluation"
        f" took {format_duration(again)}. The expression written twice took {format_duration(twice)}, {ratio:.2f} times"
        f" as long; two equal results of {format_size(one)} take up {format_size(both)}."
    )
    numbers = seconds(rig, once=whole, intermediate=again, twice=twice)
    numbers |= {"intermediate_after_nodes": left, "twice_ratio": ratio, "one_bytes": one, "both_bytes": both}
    differs = unlike(rig, held, TWICE_REFERENCE) or differing(rig, (TWICE_S, ratio))
    return Observed(held, says, numbers, differs)


def _with_intermediate(rig: Rig) -> tuple[float, float, float]:
    """Time an evaluation, that of an intermediate of it afterwards, and one of the expression written twice."""
    middle = rig.work()
    top = middle + 1
    once_s = rig.timed(lambda: rig.mx.eval(top))
    again_s = rig.timed(lambda: rig.mx.eval(middle))
    twice = rig.work() + rig.work()
    return once_s, again_s, rig.timed(lambda: rig.mx.eval(twice))


def _left_of_intermediate(rig: Rig) -> int:
    middle = rig.work()
    rig.mx.eval(middle + 1)
    return rig.pending_ops(middle)


def _two_of_the_same(rig: Rig) -> tuple[int, int]:
    """Evaluate the same expression twice in one call: return the bytes of one result, and by how many memory grew."""
    mx = rig.mx
    ones = mx.ones((PLAIN_SIZE,))
    mx.eval(ones)
    rig.quiet()
    before = mx.get_active_memory()
    results = mx.negative(ones), mx.negative(ones)
    mx.eval(results)
    rig.quiet()
    return results[0].nbytes, mx.get_active_memory() - before


REACH: tuple[Probe, ...] = (
    Probe(
        "boundary.trees",
        "eval walks lists, tuples and dicts; a dataclass, a set or a generator it passes over without a word.",
        _trees,
        ("timing", "memory"),
        reference=TREE_REFERENCE,
    ),
    Probe(
        "boundary.intermediates",
        "An intermediate that Python holds is evaluated with the rest and never computed again, but the same expression"
        " written twice is computed twice.",
        _intermediates,
        ("timing", "memory"),
        reference=TWICE_REFERENCE,
    ),
)
"""Probes of what one evaluation reaches; part of `boundary.BOUNDARY`."""
