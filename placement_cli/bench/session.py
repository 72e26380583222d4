"""A whole run: its journal, its scenarios one after the other, and the document at the end; or the rest of one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from placement_cli.bench.document import Finished, build_document
from placement_cli.bench.duration import budget_shares, estimate_duration
from placement_cli.bench.journal_records import block_from_record, block_to_record
from placement_cli.bench.run import Method, ScenarioPlan, run_scenario
from placement_cli.bench.stages import Halt, Progress
from placement_cli.bench.watch import Watcher
from placement_cli.errors import NothingComparable, UnreadableInput
from placement_cli.measure.blocks import Bench, CaseBlock
from placement_cli.measure.specs import Case
from placement_cli.store.fingerprint import differences, fingerprint
from placement_cli.store.journal import Journal
from placement_cli.store.run_document import Diagnostic, Environment, RunDocument, RunFacts, ToolRecord


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be run. `time_budget_s` bounds all of it (None: no bound)."""

    run_id: str
    argv: Sequence[str]
    plans: tuple[ScenarioPlan, ...]
    method: Method
    seed: int
    device: str | None
    time_budget_s: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the request as the journal's header keeps it."""
        return {
            "run_id": self.run_id,
            "argv": list(self.argv),
            "seed": self.seed,
            "device": self.device,
            "time_budget_s": self.time_budget_s,
            "method": {"min_effect": self.method.min_effect, "stages": list(self.method.stages)},
            "plans": [
                {
                    "name": plan.name,
                    "question": plan.question,
                    "control_case": plan.control_case,
                    "cases": [case.to_json() for case in plan.cases],
                    "notes": list(plan.notes),
                }
                for plan in self.plans
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Request:
        """Read what `to_json` wrote, also before plans had notes."""
        plans = tuple(
            ScenarioPlan(
                plan["name"],
                plan["question"],
                tuple(Case.from_json(case) for case in plan["cases"]),
                plan["control_case"],
                tuple(map(str, plan.get("notes", ()))),
            )
            for plan in data["plans"]
        )
        method = Method(data["method"]["min_effect"], tuple(data["method"]["stages"]))
        return cls(data["run_id"], data["argv"], plans, method, data["seed"], data["device"], data["time_budget_s"])


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a session needs from outside: how to drive blocks, the clock, where it runs, who watches, who interrupts.

    `now` is a monotonic clock in seconds, `stable` the stable facts of the environment, `harness` the costs of the
    harness itself, `interrupted` tells whether the user asked to stop.
    """

    bench: Bench
    now: Callable[[], float]
    stable: Mapping[str, Any]
    harness: Mapping[str, Any]
    tool: ToolRecord
    watcher: Watcher
    interrupted: Callable[[], bool]
    diagnostics: Sequence[Diagnostic] = ()


INTERRUPTED = "interrupted"
"""Why a scenario stopped early when the user asked for it."""

Keep = Callable[[RunDocument], None]
"""Puts the document of a run where it is safe; only then does the journal say that the run is over."""


def _nowhere(_: RunDocument) -> None:
    """Keep no document."""


def start_run(request: Request, journal_path: Path, around: Surroundings, keep: Keep = _nowhere) -> RunDocument:
    """Run `request` from the beginning, keeping its journal at `journal_path` and its document with `keep`."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    header = {"started": started, "stable": dict(around.stable), "request": request.to_json()}
    progress = {plan.name: Progress() for plan in request.plans}
    with Journal.create(journal_path, header) as journal:
        return _Session(request, started, progress, journal, around, spent_s=0.0, resumed=0).run(keep)


def request_of(records: Sequence[Mapping[str, Any]]) -> Request:
    """Return what the run of a journal was asked to do; raises UnreadableInput when its header does not say it."""
    with _as_written("header"):
        return Request.from_json(records[0]["request"])


def resume_run(
    journal: Journal, records: Sequence[Mapping[str, Any]], around: Surroundings, keep: Keep = _nowhere
) -> RunDocument:
    """Go on with the run of a reopened journal; every finished block in it counts.

    Raises NothingComparable when the set-up is no longer the one the run began on, UnreadableInput when a record
    does not hold what this program writes.
    """
    header = records[0]
    with _as_written("header"):
        started, changed = header["started"], differences(header["stable"], around.stable)
    if changed:
        raise NothingComparable(
            f"{journal.path}: this run began on another set-up ({'; '.join(changed)}). Start a new one."
        )
    request = request_of(records)
    progress, spent_s, resumed = replay(request, records)
    session = _Session(request, started, progress, journal, around, spent_s, resumed + 1)
    return session.run(keep)


@contextmanager
def _as_written(record: str) -> Iterator[None]:
    """Turn what a record of foreign shape provokes into the error that says so."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnreadableInput(f"The journal's {record} does not hold what placement writes ({error!r}).") from None


def replay(request: Request, records: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Progress], float, int]:
    """Return what the records hold: progress by scenario, seconds spent, and how often the run was resumed."""
    scenario_of = {case.id: plan.name for plan in request.plans for case in plan.cases}
    progress = {plan.name: Progress() for plan in request.plans}
    spent_s, resumed = 0.0, 0
    for line, record in enumerate(records[1:], start=2):
        with _as_written(f"line {line}"):
            if record["kind"] == "block":
                block = block_from_record(record)
                progress[scenario_of[block.case_id]].blocks.setdefault(block.case_id, []).append(block)
                spent_s = max(spent_s, record["spent_s"])
            elif record["kind"] == "amounts":
                progress[scenario_of[record["case"]]].amounts[record["case"]] = record["amounts"]
            elif record["kind"] == "resumed":
                resumed += 1
    return progress, spent_s, resumed


class _Session:
    """One stretch of a run, from its start or a resume to its end or an interrupt."""

    def __init__(
        self,
        request: Request,
        started: str,
        progress: dict[str, Progress],
        journal: Journal,
        around: Surroundings,
        spent_s: float,
        resumed: int,
    ) -> None:
        self._request, self._started, self._progress = request, started, progress
        self._journal, self._around = journal, around
        self._began, self._spent_s, self._resumed = around.now(), spent_s, resumed
        if resumed:
            journal.append({"kind": "resumed"})

    def block(self, block: CaseBlock) -> None:
        """Write a finished block into the journal."""
        self._journal.append({**block_to_record(block), "spent_s": self._elapsed_s()})

    def amounts(self, case_id: str, amounts: Mapping[str, int]) -> None:
        """Write the calibrated host work of a case into the journal."""
        self._journal.append({"kind": "amounts", "case": case_id, "amounts": dict(amounts)})

    def run(self, keep: Keep) -> RunDocument:
        """Run every scenario, keep the document and return it."""
        request, around = self._request, self._around
        durations = [estimate_duration(plan, request.method) for plan in request.plans]
        finished: list[Finished] = []
        with tempfile.TemporaryDirectory(prefix="placement-") as scratch:
            for plan, share in zip(request.plans, budget_shares(durations), strict=True):
                stopped = self._scenario(plan, share, Path(scratch))
                finished.append(Finished(plan, self._progress[plan.name], stopped))
        interrupted = around.interrupted()
        document = self._document(finished, interrupted)
        keep(document)
        # Last of all: a run killed before this goes on when it is resumed, and its document is written then.
        self._journal.append({"kind": "stopped" if interrupted else "finished", "spent_s": self._elapsed_s()})
        return document

    def _scenario(self, plan: ScenarioPlan, share: float, scratch: Path) -> str:
        """Measure one scenario and return why it stopped early; after an interrupt no further one is begun."""
        around = self._around
        if around.interrupted():
            return INTERRUPTED
        return run_scenario(
            plan,
            self._progress[plan.name],
            self._request.method,
            around.bench,
            self,
            around.watcher,
            self._halt(share),
            scratch,
        )

    def _halt(self, share: float) -> Halt:
        """Return what stops a scenario: the user, or having used its share of what is left of the budget."""
        budget = self._request.time_budget_s
        deadline = None if budget is None else self._elapsed_s() + share * max(0.0, budget - self._elapsed_s())

        def reason() -> str:
            if self._around.interrupted():
                return INTERRUPTED
            if deadline is not None and self._elapsed_s() >= deadline:
                return f"its share of the time budget of {budget:g} s is used up"
            return ""

        return Halt(reason)

    def _elapsed_s(self) -> float:
        return self._spent_s + self._around.now() - self._began

    def _document(self, finished: Sequence[Finished], interrupted: bool) -> RunDocument:
        request, around = self._request, self._around
        run = RunFacts(
            id=request.run_id,
            started=self._started,
            duration_s=self._elapsed_s(),
            argv=list(request.argv),
            seed=request.seed,
            complete=not any(each.stopped for each in finished),
            resumed=self._resumed,
        )
        env = Environment(
            fingerprint=fingerprint(around.stable), stable=dict(around.stable), harness=dict(around.harness)
        )
        return build_document(run, env, around.tool, request.method, finished, around.diagnostics, interrupted)
