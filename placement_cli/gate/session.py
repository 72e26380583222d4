"""A gate from its cases and its two sides to its document."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from placement_cli.bench.session import Surroundings
from placement_cli.bench.stages import Halt
from placement_cli.bench.surroundings import environment_of, probe
from placement_cli.errors import Interrupted, InvalidMeasurement, NothingComparable, PlacementError, TimeLimitReached
from placement_cli.gate.document import Measuring, gate_document
from placement_cli.gate.judging import GateRule
from placement_cli.gate.measuring import Gate
from placement_cli.gate.side import TOLD, Side
from placement_cli.gate.suite import GateCase
from placement_cli.store.fingerprint import differences
from placement_cli.store.run_document import Diagnostic, RunDocument, RunFacts

INTERRUPTED = "interrupted"
ALIKE = Diagnostic(
    level="warning",
    code="sides-alike",
    text="the sides share every fact that is known of them, their code included: nothing but noise can differ.",
)
FIRST_SHARE = 0.7
"""Of a time budget the first measurement may use this share: what it flags must still be confirmed."""


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What a gate is asked to do.

    `questions` are those of the scenarios, by name. `time_budget_s` leaves what is undecided inconclusive,
    `timeout_s` ends the gate with its own exit code; None is no bound.
    """

    run_id: str
    argv: Sequence[str]
    cases: tuple[GateCase, ...]
    questions: Mapping[str, str]
    rule: GateRule
    seed: int
    device: str | None
    confirm: bool = True
    fail_on_inconclusive: bool = False
    time_budget_s: float | None = None
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Probed:
    """A side that answered: what its workers run on, as facts that may be compared."""

    side: Side
    stable: Mapping[str, Any]
    harness: Mapping[str, Any]


def probed(side: Side, device: str | None) -> Probed:
    """Return `side` with the facts of the machine as its own workers and interpreter see them.

    Raises InvalidMeasurement where its fence does not wait or no worker starts, whatever error a worker meets.
    """
    try:
        found, harness = probe(side.spawn(device))
    except PlacementError as error:
        raise type(error)(f"{side.given}: {error}") from None
    except (KeyError, TypeError) as error:
        raise NothingComparable(f"{side.given}: its workers answer something else than those here ({error}).") from None
    facts = side.facts
    versions = facts.get("packages", {})
    stable = {
        **environment_of(found).stable,
        "numpy": versions.get("numpy"),
        "python": facts.get("python"),
        "packages": {name: version for name, version in versions.items() if name.startswith("ezmsg")},
    }
    return Probed(side, stable, harness)


def same_protocol(base: Probed, new: Probed) -> None:
    """Refuse sides whose workers do not speak alike; raises NothingComparable."""
    spoken = [each.harness.get("protocol") for each in (base, new)]
    if spoken[0] != spoken[1]:
        raise NothingComparable(
            f"{base.side.given}: its workers speak protocol {spoken[0]}, those here {spoken[1]}: they would not be "
            f"asked for the same work."
        )


def differing(one: Probed, other: Probed) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the stable facts of two sides, with the digests of their code and every package that differs."""
    versions = [each.side.facts.get("packages", {}) for each in (one, other)]
    names = {*versions[0], *versions[1]}
    told = sorted(name for name in names if versions[0].get(name) != versions[1].get(name) or name in TOLD)
    left, right = (
        {
            **each.stable,
            "placement": each.side.facts.get("placement"),
            "packages": {name: own.get(name) for name in told if name in own},
        }
        for each, own in zip((one, other), versions, strict=True)
    )
    return left, right


def run_gate(request: GateRequest, base: Probed, new: Probed, around: Surroundings) -> RunDocument:
    """Measure both sides, decide, confirm, and return the document; an interrupt or a limit ends it early.

    Raises InvalidMeasurement when the sides run on different backends, ScenarioFailed when host work cannot be
    calibrated.
    """
    if base.stable.get("backend") != new.stable.get("backend"):
        sides = [f"{each.side.given} on {each.stable.get('backend')}" for each in (base, new)]
        raise InvalidMeasurement(f"The sides run on different backends ({', '.join(sides)}): no builds to compare.")
    same_protocol(base, new)
    began, started = around.now(), datetime.now(UTC).isoformat(timespec="seconds")
    deadlines = Deadlines(request.time_budget_s, request.timeout_s, around.now, around.interrupted)
    with tempfile.TemporaryDirectory(prefix="placement-") as scratch:
        gate = Gate(
            request.cases,
            request.rule,
            replace(around.bench, seed=request.seed),
            base.side.spawn(request.device),
            new.side.spawn(request.device),
            around.watcher,
            Halt(partial(deadlines.reason, FIRST_SHARE if request.confirm else 1.0)),
            Path(scratch),
            request.confirm,
            Halt(deadlines.reason),
        )
        outcome = gate.run()
    facts = RunFacts(
        id=request.run_id,
        started=started,
        duration_s=around.now() - began,
        argv=list(request.argv),
        seed=request.seed,
        complete=not outcome.measured.stopped,
    )
    base_stable, new_stable = differing(base, new)
    diagnostics = [*around.diagnostics, *([ALIKE] if not differences(base_stable, new_stable) else [])]
    about = Measuring(
        base=base.side,
        new=new.side,
        base_stable=base_stable,
        new_stable=new_stable,
        env_stable=around.stable,
        harness=new.harness,
        questions=request.questions,
        rule=request.rule,
        fail_on_inconclusive=request.fail_on_inconclusive,
        halted=deadlines.code if outcome.measured.stopped else 0,
        diagnostics=diagnostics,
    )
    return gate_document(facts, around.tool, outcome, about)


class Deadlines:
    """Says why measuring should stop now, and which exit code that has: 0 where what is undecided just stays so."""

    def __init__(
        self,
        time_budget_s: float | None,
        timeout_s: float | None,
        now: Callable[[], float],
        interrupted: Callable[[], bool],
    ) -> None:
        self._time_budget_s, self._timeout_s = time_budget_s, timeout_s
        self._now, self._interrupted, self._began = now, interrupted, now()
        self.code = 0

    def reason(self, share: float = 1.0) -> str:
        """Return why to stop, an empty string to go on; no more than `share` of the time budget may be used up."""
        spent = self._now() - self._began
        if self._interrupted():
            self.code = Interrupted.exit_code
            return INTERRUPTED
        if self._timeout_s is not None and spent >= self._timeout_s:
            self.code = TimeLimitReached.exit_code
            return f"the limit of {self._timeout_s:g} s is reached"
        if self._time_budget_s is not None and spent >= share * self._time_budget_s:
            part = "" if share == 1.0 else f"{100 * share:.0f} % of "
            return f"{part}the time budget of {self._time_budget_s:g} s is used up"
        return ""
