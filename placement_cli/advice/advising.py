"""Advice for a graph: its costs, its problems today, the best placement, and how sure that is. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from placement_cli.advice.advice import (
    Advice,
    Alternative,
    Estimate,
    Finding,
    Placement,
    Predicted,
)
from placement_cli.advice.cover import cover, least_gaps
from placement_cli.advice.feasible import Bounds, bounds_of, unmet, violations
from placement_cli.advice.findings.blocking import deferred
from placement_cli.advice.findings.crossings import cross_stream, cross_thread, too_long
from placement_cli.advice.findings.doubts import not_placement, unsure
from placement_cli.advice.findings.facts import BlockGain, Facts
from placement_cli.advice.findings.gathering import gathered
from placement_cli.advice.findings.growth import growth, withheld
from placement_cli.advice.findings.memory import peak, run_ahead
from placement_cli.advice.findings.points import points
from placement_cli.advice.findings.setting import blocks as block_structure
from placement_cli.advice.findings.setting import cold_start, hops, host_is_faster, low_duty
from placement_cli.advice.findings.waiting import hidden_sync, queue_stall
from placement_cli.advice.flow import Flow, flow_of
from placement_cli.advice.judging import Tried
from placement_cli.advice.loads import Guess, Load, loads_of
from placement_cli.advice.machine import Machine
from placement_cli.advice.memory import message_bytes, peak_bytes
from placement_cli.advice.numbers import Numbers, numbers_of
from placement_cli.advice.playing import Stage
from placement_cli.advice.search import Found, Search
from placement_cli.advice.wording import assumptions, measurements, objective, verdict
from placement_cli.graph.graph import Graph
from placement_cli.timeline.schedule import Batch

RULES = ("current", "async-tail", "sync-tail", "every-node", "window", "off")
"""Names of the usual rules, in the order of `Search.rules`."""
GUESSED = ((0.2, 1.0), (1.0, 0.1), (1.0, 10.0), (0.2, 10.0))
"""What unknown times of building and of the device may be, as factors on what is assumed for them."""


def advise(
    graph: Graph,
    machine: Machine,
    *,
    blocks: Mapping[str, BlockGain] | None = None,
    pareto: bool = False,
    runners_up: bool = False,
) -> Advice:
    """Return the advice for `graph` on `machine`.

    `blocks` are the gains of block structure by node, worked out elsewhere since matrices are files. With `pareto` the
    placements that no other beats in host time, latency and memory at once are kept, with
    `runners_up` the two next best ones are among the alternatives. Equal arguments give equal advice. Nodes must come
    after what they read.
    """
    return _Advising(graph, machine, blocks or {}).advice(pareto=pareto, runners_up=runners_up)


class _Advising:
    def __init__(self, graph: Graph, machine: Machine, blocks: Mapping[str, BlockGain]) -> None:
        self.graph, self.machine, self.blocks = graph, machine, blocks
        self.flow: Flow = flow_of(graph)
        self.loads: tuple[Load, ...] = loads_of(self.flow, machine)
        self.stage = Stage(self.flow, self.loads, machine)
        self.bounds: Bounds = bounds_of(graph, machine.buffer_limit)
        pinned = np.array([node.node.pinned for node in self.flow.mlx_nodes], dtype=bool)
        self.current = self.stage.batch([self.flow.current])
        self.search = Search(self.stage, self.bounds, self.current, pinned, machine.error)

    def advice(self, *, pareto: bool, runners_up: bool) -> Advice:
        """Put the advice together."""
        found = self.search.run()
        chosen = self.numbers(found.tried, found.row)
        rules = self.search.try_all(self.search.rules())
        now = self.numbers(rules, 0)
        gains = self._gains(found)
        facts = self._facts(now, chosen, rules, gains)
        found_today = self._findings(facts)
        findings = tuple(gathered(found_today))
        alternatives = tuple(self._alternatives(rules, found, now, runners_up=runners_up))
        confidence = self.machine.use.confidence
        return Advice(
            graph=self.graph,
            profile=self.machine.use,
            objective=objective(self.graph),
            verdict=verdict(facts, found_today, _violated(alternatives, chosen.placement)),
            placement=chosen.placement,
            current=now.placement,
            predicted=self.predicted(chosen),
            alternatives=alternatives,
            findings=findings,
            confidence=confidence,
            search=found.proof,
            assumed=tuple(assumptions(facts)),
            settle=tuple(measurements(facts, findings)),
            pareto=tuple(self._pareto(found.tried, now)) if pareto else (),
        )

    def numbers(self, tried: Tried, row: int) -> Numbers:
        """Return the numbers of one row."""
        return numbers_of(self.stage.placement(tried.batch, row), tried.outcome, tried.memory, row)

    def play(self, placements: Iterable[Placement]) -> list[Numbers]:
        """Play placements of the graph as it is."""
        tried = self.search.try_all(self.stage.batch(list(placements)))
        return [self.numbers(tried, row) for row in range(len(tried.batch))]

    def _facts(self, now: Numbers, chosen: Numbers, rules: Tried, gains: Sequence[float]) -> Facts:
        current = self.flow.current
        return Facts(
            self.flow,
            self.loads,
            self.machine,
            self.bounds,
            cover(self.flow, current),
            least_gaps(self.flow),
            now,
            chosen,
            float(max(rules.outcome.period_s.max(), rules.outcome.host_s.max())),
            message_bytes(self.flow, self.loads),
            peak_bytes(self.flow, self.loads, current),
            self.play,
            self._unforced,
            tuple(gains),
            unmet(self.search.needed, self.current, 0),
            self.blocks,
        )

    def _unforced(self) -> Numbers:
        """Return the numbers of the current placement if no node read values by itself.

        Where such a read was all that evaluated something, of a point at the tail instead.
        """
        nodes = tuple(replace(node, forces="never") for node in self.graph.nodes)
        free = _Advising(replace(self.graph, nodes=nodes), self.machine, {})
        tried = free.search.try_all(free.search.rules())
        return free.numbers(tried, int(np.argmax(tried.safe)))

    def _gains(self, found: Found) -> list[float]:
        """Return time now over time advised, for every guess of what is unknown."""
        if self.stage.placement(found.tried.batch, found.row) == self.flow.current:
            return [1.0]
        unknown = frozenset().union(*(load.unknown for load in self.loads))
        guesses = self._guesses() if unknown & {"build", "device"} else [Guess()]
        both = Batch(
            np.concatenate([self.current.codes, found.tried.batch.codes[found.row : found.row + 1]]),
            np.concatenate([self.current.depths, found.tried.batch.depths[found.row : found.row + 1]]),
        )
        gains = []
        for guess in guesses:
            outcome = Stage(self.flow, loads_of(self.flow, self.machine, guess), self.machine).play(both)
            cost = outcome.host_s if self.graph.source.kind != "once" else outcome.period_s
            gains.append(float(cost[0] / cost[1]) if cost[1] > 0 else 1.0)
        return gains

    def _guesses(self) -> list[Guess]:
        """Return what unknown costs may be; building may take as long as the device, but nobody knows."""
        device_s = sum(load.device_s for load in self.loads)
        unknown = sum("build" in load.unknown for load in self.loads)
        slow = device_s / max(1, unknown)
        return [Guess(), *(Guess(*each) for each in GUESSED), Guess(20.0, 1.0, slow), Guess(20.0, 0.1, slow)]

    def _findings(self, facts: Facts) -> list[Finding]:
        plain = (
            growth,
            withheld,
            run_ahead,
            peak,
            points,
            deferred,
            hidden_sync,
            queue_stall,
            cross_stream,
            cross_thread,
            too_long,
            host_is_faster,
            hops,
            low_duty,
            block_structure,
            cold_start,
        )
        found = [each for group in plain for each in group(facts)]
        found += not_placement(facts, found)
        found += unsure(facts, found)
        return found

    def _alternatives(self, rules: Tried, found: Found, now: Numbers, *, runners_up: bool) -> Iterator[Alternative]:
        advised = self.stage.placement(found.tried.batch, found.row)
        rows = [
            (name, rules, row)
            for row, name in enumerate(RULES)
            if name != "off" or rules.safe[row]  # no point at all is no alternative where work is then not done
        ]
        known = [self.stage.placement(rules.batch, row) for _, _, row in rows]
        if advised not in known:
            rows.append(("advised", found.tried, found.row))
            known.append(advised)
        others = self.search.ranked(found.tried) if runners_up else []
        fresh = (row for row in others if self.stage.placement(found.tried.batch, row) not in known)
        rows += [(name, found.tried, row) for name, row in zip(("second", "third"), fresh, strict=False)]
        for name, tried, row in rows:
            numbers = self.numbers(tried, row)
            ratio = self._ratio(numbers, now)
            yield Alternative(
                name,
                numbers.placement,
                self.predicted(numbers),
                _within(ratio, self.machine.error) if name != "current" else Estimate(1.0, 1.0, 1.0),
                violations(tried.batch, row, tried.outcome, numbers.memory_bytes, self.search.needed, self.bounds),
            )

    def _pareto(self, tried: Tried, now: Numbers) -> Iterator[Alternative]:
        rows = _undominated(tried)
        for place, row in enumerate(rows, start=1):
            numbers = self.numbers(tried, row)
            ratio = self._ratio(numbers, now)
            broken = violations(tried.batch, row, tried.outcome, numbers.memory_bytes, self.search.needed, self.bounds)
            yield Alternative(
                f"pareto-{place}",
                numbers.placement,
                self.predicted(numbers),
                _within(ratio, self.machine.error),
                broken,
            )

    def predicted(self, numbers: Numbers) -> Predicted:
        """Return numbers with the intervals that the model's error gives them."""
        memory = numbers.memory_bytes
        return Predicted(
            self._around(numbers.period_s),
            self._around(numbers.host_s),
            self._around(numbers.host_busy_s),
            self._around(numbers.device_s),
            self._around(numbers.latency_s),
            self._around(numbers.latency_p90_s),
            Estimate(memory, memory * 0.85, memory * 1.15),
            _share(self._around(numbers.device_busy)),
        )

    def _ratio(self, numbers: Numbers, now: Numbers) -> float:
        """Return time over that of today: of the host for live sources, whose messages come at their own rate."""
        live = self.bounds.period_s is not None
        time_s, now_s = (numbers.host_s, now.host_s) if live else (numbers.period_s, now.period_s)
        return time_s / now_s if now_s > 0 else 1.0

    def _around(self, value: float) -> Estimate:
        return _within(value, self.machine.time_error)


def _within(value: float, error: float) -> Estimate:
    return Estimate(value, value / (1.0 + error), value * (1.0 + error))


def _share(estimate: Estimate) -> Estimate:
    return Estimate(estimate.value, estimate.low, min(1.0, estimate.high))


def _violated(alternatives: Sequence[Alternative], placement: Placement) -> tuple[str, ...]:
    return next((each.violates for each in alternatives if each.placement == placement), ())


MOST_PARETO = 12


def _undominated(tried: Tried) -> list[int]:
    """Return the safe rows that no other beats or equals in all of host time, latency and memory, the fastest first."""
    values = np.stack([tried.outcome.host_s, tried.outcome.latency_s, np.maximum(tried.memory, 1.0)], axis=1)
    rounded = np.round(np.log(np.maximum(values, 1e-12)), 2)
    rows = [int(row) for row in np.flatnonzero(tried.safe)]
    rows.sort(key=lambda row: (*rounded[row], int(tried.points[row]), row))
    kept: list[int] = []
    for row in rows:
        if not any((rounded[other] <= rounded[row]).all() for other in kept):
            kept.append(row)
    return kept[:MOST_PARETO]
