"""Constants of evaluation are found again in made-up observations, with intervals that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.fit.evaluation_fit import fit_evaluation
from placement_cli.fit.evaluation_terms import EVALUATION_TERMS, evaluation_term
from placement_cli.measure.evaluation.observation import Observation

TRUTH: Mapping[str, float] = {
    "build_op": 3e-7,
    "build_call": 4e-7,
    "submit_call": 3e-6,
    "submit_op": 1.5e-6,
    "submit_asleep": 4e-5,
    "submit_asleep.0ms": 2e-5,
    "submit_asleep.10ms": 9e-5,
    "round_trip": 1.5e-5,
    "wake": 2e-5,
    "wake.10ms": 4e-5,
    "queue_ops": 53.5,
    "queue_calls": 107.0,
    "boundary_call": 5e-7,
    "ingest_call": 1.5e-6,
    "ingest_byte": 4e-11,
    "device.abs.30x64": 3e-6,
    "device.affine.512x1024": 0.28,
    "contention.blas.host": 1.3,
    "contention.blas.device": 1.6,
    "idle.1ms": 1.1,
    "idle.50ms": 1.7,
}
Case = Mapping[str, float | str]


def cases() -> list[tuple[str, Case, float]]:
    """Return (experiment, case, what it measures) for the truth above."""
    t = TRUTH
    made: list[tuple[str, Case, float]] = []
    for ops in (1, 2, 4, 8, 16, 32):
        made.append(("build", {"ops": ops, "reading": "build"}, t["build_call"] + ops * t["build_op"]))
        made.append(("submit", {"ops": ops, "reading": "submit"}, t["submit_call"] + ops * t["submit_op"]))
    for size in (256, 65536, 2**20, 2**21):
        made.append(("boundary", {"bytes": size, "reading": "boundary"}, t["boundary_call"]))
        made.append(("ingest", {"bytes": size, "reading": "ingest"}, t["ingest_call"] + size * t["ingest_byte"]))
    awake = t["submit_call"] + t["submit_op"]
    made.append(("wake", {"idle_ms": -1, "reading": "submit"}, awake))
    for idle_ms, submit, wait in ((0, ".0ms", None), (1, "", ""), (10, ".10ms", ".10ms")):
        made.append(("wake", {"idle_ms": idle_ms, "reading": "submit"}, awake + t[f"submit_asleep{submit}"]))
        more = t[f"wake{wait}"] if wait is not None else 0.0
        made.append(("wake", {"idle_ms": idle_ms, "reading": "wait"}, t["round_trip"] + more))
    for name in ("device.abs.30x64", "device.affine.512x1024"):
        _, operator, shape = name.split(".")
        samples, channels = map(float, shape.split("x"))
        case = {"operator": operator, "samples": samples, "channels": channels, "reading": "device"}
        made.append(("device", case, t[name]))
    host, device = 2.5e-3, 5e-3
    both = host * t["contention.blas.host"]
    for reading, seconds in (
        ("host_alone", host),
        ("device_alone", device),
        ("host_both", both),
        ("device_both", device + (t["contention.blas.device"] - 1) * both),
    ):
        made.append(("contention", {"kind": "blas", "reading": reading}, seconds))
    for idle_ms, ratio in ((0, 1.0), (1, t["idle.1ms"]), (50, t["idle.50ms"])):
        made.append(("idle", {"idle_ms": idle_ms, "reading": "product"}, 1e-4 + 3e-3 * ratio))
        made.append(("idle", {"idle_ms": idle_ms, "reading": "tiny"}, 1e-4))
    return made


def queue(calls: float = 107.0, ops: float = 53.5, most: int = 256, process: int = 0) -> list[Observation]:
    """Return the counts that a queue gives which holds so many calls, or so many ops."""
    found = []
    for chain in (1, 2, 3, 5):
        stalled = int(1 / (1 / calls + chain / ops)) + 1
        blocked, made = (stalled, stalled) if stalled <= most else (0, most)
        for reading, value in (("blocked", blocked), ("made", made)):
            case = {"ops": chain, "reading": reading}
            found.append(Observation("queue", case, (float(value),) * 5, "calls", process))
    return found


def observed(noise: float = 0.05, rounds: int = 20, processes: int = 2, seed: int = 0) -> list[Observation]:
    """Return what experiments would find: log-normal noise in rounds, one value in twenty three times too long."""
    generator = np.random.default_rng(seed)
    found = [entry for process in range(processes) for entry in queue(process=process)]
    for process in range(processes):
        for experiment, case, value in cases():
            factors = generator.lognormal(0, noise, rounds) * np.where(generator.random(rounds) < 0.05, 3.0, 1.0)
            found.append(Observation(experiment, case, tuple((value * factors).tolist()), "s", process))
    return found


def one(name: str, observations: Sequence[Observation], draws: int = 30) -> Mapping[str, object]:
    """Return the fields of one constant."""
    constant = fit_evaluation(observations, draws=draws)[name]
    return {field: getattr(constant, field) for field in constant.__dataclass_fields__}


@pytest.mark.parametrize("seed", range(2))
def test_known_constants_are_found_again(seed: int) -> None:
    """Every constant lies in its interval, and nearly every value close by."""
    constants = fit_evaluation(observed(seed=seed), draws=60)
    assert constants.keys() == {*TRUTH, "boundary_byte"}
    for name, truth in TRUTH.items():
        constant = constants[name]
        assert constant.low is not None
        assert constant.high is not None
        assert constant.low <= truth <= constant.high, name
        assert constant.identified, (name, constant.source)
        assert constant.value == pytest.approx(truth, rel=0.25)


def test_two_runs_agree() -> None:
    """Processes differ by 15 % in everything, and still the intervals of two runs overlap for nearly all constants."""

    def run(seed: int) -> list[Observation]:
        generator = np.random.default_rng(seed)
        speed = generator.lognormal(0, 0.15, 2)
        return [
            entry
            if entry.unit == "calls"
            else replace(entry, values=tuple(value * speed[entry.process] for value in entry.values))
            for entry in observed(seed=seed)
        ]

    first, second = (fit_evaluation(run(seed), draws=40) for seed in (10, 20))
    apart = [name for name in TRUTH if first[name].low > second[name].high or second[name].low > first[name].high]
    assert len(apart) <= 1


@settings(deadline=None, max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_order_of_observations_changes_nothing(random: Random) -> None:
    """Shuffled observations, with cases written in another order, give the same constants to the last digit."""
    observations = observed(rounds=4)
    shuffled = [replace(entry, case=dict(reversed(entry.case.items()))) for entry in observations]
    random.shuffle(shuffled)
    assert fit_evaluation(shuffled, draws=2) == fit_evaluation(observations, draws=2)


def test_equal_seeds_give_equal_intervals() -> None:
    """The bootstrap depends on nothing but its input; other seeds move the ends of intervals only."""
    observations = observed()
    assert fit_evaluation(observations, 1, 10) == fit_evaluation(observations, 1, 10)
    other = fit_evaluation(observations, 2, 10)
    for name, constant in fit_evaluation(observations, 1, 10).items():
        assert other[name].value == constant.value


def test_constants_come_in_the_order_of_the_table_with_its_units() -> None:
    """Readers find hosts first, devices by operator and shape, and the unit that the table names."""
    constants = fit_evaluation(observed(rounds=4), draws=2)
    assert list(constants)[:3] == ["build_op", "build_call", "submit_call"]
    assert {name: constant.unit for name, constant in constants.items()} == {
        name: evaluation_term(name).unit for name in constants
    }
    assert {constant.unit for constant in constants.values()} <= {term.unit for term in EVALUATION_TERMS.values()}


def test_a_process_that_differs_widens_the_interval() -> None:
    """The rounds of a process agree with one another; what another process says counts for more."""
    case = {"operator": "abs", "samples": 30, "channels": 64, "reading": "device"}
    steady = [Observation("device", case, (1e-6,) * 50, "s", process) for process in range(3)]
    differing = [*steady[:2], replace(steady[2], values=(3e-6,) * 50)]
    tight, wide = (one("device.abs.30x64", observations) for observations in (steady, differing))
    assert tight["high"] < 1.3e-6  # type: ignore[operator]  # It is a number here.
    assert wide["high"] > 2.5e-6  # type: ignore[operator]  # It is a number here.


def test_one_process_alone_is_not_trusted() -> None:
    """However well its rounds agree, the interval is as wide as processes are known to differ."""
    case = {"operator": "abs", "samples": 30, "channels": 64, "reading": "device"}
    constant = fit_evaluation([Observation("device", case, (1e-6,) * 500)])["device.abs.30x64"]
    assert constant.high is not None
    assert constant.low is not None
    assert constant.high / constant.low > 1.4
    assert constant.source == "measured in 500 rounds of 1 process"


def test_what_does_not_grow_has_no_slope() -> None:
    """A view costs the same at every size: the price of a byte is none, and not identified."""
    constant = one("boundary_byte", observed(noise=0.0))
    assert (constant["value"], constant["identified"]) == (0.0, False)
    assert "too small to be seen" in str(constant["source"])


def test_times_that_shrink_have_no_slope() -> None:
    """A negative price does not come out, whatever the times are."""
    falling = [Observation("build", {"ops": ops, "reading": "build"}, (1e-5 / ops,) * 9) for ops in (1, 2, 4, 8)]
    constant = one("build_op", falling)
    assert (constant["value"], constant["low"], constant["identified"]) == (0.0, 0.0, False)


def test_a_difference_that_may_be_none_is_not_identified() -> None:
    """When waking is lost in the noise, its interval reaches zero and the source says so."""
    noisy = [
        Observation("wake", {"idle_ms": idle_ms, "reading": "wait"}, tuple(generator.normal(2e-5, 5e-6, 20).tolist()))
        for idle_ms, generator in ((0, np.random.default_rng(1)), (1, np.random.default_rng(2)))
    ]
    constant = one("wake", noisy)
    assert (constant["low"], constant["identified"]) == (0.0, False)


def test_a_wide_interval_is_not_identified() -> None:
    """Ends more than a factor of four apart say that the value is a guess."""
    case = {"operator": "abs", "samples": 30, "channels": 64, "reading": "device"}
    values = np.geomspace(1e-6, 1e-4, 5).tolist()
    constant = one("device.abs.30x64", [Observation("device", case, tuple(values))])
    assert not constant["identified"]
    assert "factor" in str(constant["source"])


def test_a_queue_that_never_blocked_gives_a_bound() -> None:
    """Nothing is known but that so much fits; there is no upper end."""
    calls, ops = (one(name, queue(1e6, 1e6)) for name in ("queue_calls", "queue_ops"))
    assert (calls["value"], calls["low"], calls["high"], calls["identified"]) == (256.0, 256.0, None, False)
    assert ops["value"] == 256 * 5
    assert "never filled" in str(calls["source"])


def test_a_queue_of_calls_says_little_of_ops() -> None:
    """Where submissions alone fill it, as on Metal, ops are bounded so far away that they never matter."""
    constants = fit_evaluation(queue(64.0, 1e6), draws=60)
    assert constants["queue_calls"].value == pytest.approx(64, rel=0.05)
    assert constants["queue_calls"].identified
    assert not constants["queue_ops"].identified
    assert constants["queue_ops"].value > 20 * 64
    assert constants["queue_ops"].high is None


def _without(kind: str) -> Callable[[Observation], bool]:
    return lambda entry: not (entry.experiment == kind or entry.case.get("reading") == kind)


@pytest.mark.parametrize(
    ("missing", "lost"),
    [
        ("queue", {"queue_ops", "queue_calls"}),
        ("host_both", {"contention.blas.host", "contention.blas.device"}),
        ("wait", {"round_trip", "wake", "wake.10ms"}),
        ("tiny", {"idle.1ms", "idle.50ms"}),
    ],
)
def test_what_was_not_measured_is_left_out(missing: str, lost: set[str]) -> None:
    """Constants whose cases are missing are not there, all the others are."""
    some = list(filter(_without(missing), observed(rounds=4)))
    assert {*TRUTH, "boundary_byte"} - fit_evaluation(some, draws=2).keys() == lost


def test_single_cases_give_nothing() -> None:
    """One length of chain determines no line, one rest no ratio, and no experiment nothing."""
    alone = [Observation("build", {"ops": 1, "reading": "build"}, (1e-6,)),
             Observation("idle", {"idle_ms": 1, "reading": "product"}, (1e-3,)),
             Observation("gossip", {"ops": 1, "reading": "build"}, (1e-6,))]  # fmt: skip
    assert fit_evaluation(alone, draws=2) == {}
    assert fit_evaluation([], draws=2) == {}


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.builds(
            Observation,
            experiment=st.sampled_from(["build", "wake", "queue", "device", "contention", "idle", "ingest"]),
            case=st.dictionaries(
                st.sampled_from(["ops", "idle_ms", "reading", "operator", "samples", "channels", "kind", "bytes"]),
                st.sampled_from(["build", "submit", "wait", "blocked", "product", "tiny", "host_both", ".x\n"])
                | st.floats(-1e12, 1e12),
            ),
            values=st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=4).map(tuple),
            process=st.integers(0, 2),
        ),
        max_size=6,
    )
)
def test_odd_observations_never_break_it(observations: list[Observation]) -> None:
    """Whatever a file holds, constants come out that are finite and inside their intervals, or none."""
    for name, constant in fit_evaluation(observations, draws=2).items():
        assert evaluation_term(name).unit == constant.unit
        assert constant.value >= 0


def test_a_bootstrap_needs_draws() -> None:
    """No refits give no interval."""
    with pytest.raises(ValueError, match="at least one draw"):
        fit_evaluation([], draws=0)
