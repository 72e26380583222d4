"""From what a gate found to its document: the code, the verdict and what is told, without measuring anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import Any

import pytest

from placement_cli.bench.stages import Progress
from placement_cli.gate.document import Measuring, gate_document
from placement_cli.gate.judging import GateRule, compare, confirmed, unsupported
from placement_cli.gate.measuring import Measured, Outcome
from placement_cli.gate.side import Side
from placement_cli.gate.suite import GateCase
from placement_cli.measure.blocks import CaseBlock
from placement_cli.statistics.control import CONTROL
from placement_cli.store.run_document import Diagnostic, RunDocument, RunFacts, ToolRecord

MakeGateCase = Callable[..., GateCase]
RULE = GateRule()
Documented = Callable[..., RunDocument]


@pytest.fixture
def documented(make_blocks: Callable[..., list[CaseBlock]]) -> Documented:
    """Makes the document of a gate in which each case is so much slower at first, and so much when measured again."""

    def blocks(each: GateCase, ratio: float, count: int) -> list[CaseBlock]:
        wobble = [0.001 * (-1) ** number for number in range(count)]
        return make_blocks(each.case, {"new": [log(ratio) + step for step in wobble], CONTROL: wobble})

    def make(
        first: Sequence[tuple[GateCase, float]],
        again: float | None = None,
        *,
        lost: dict[str, CaseBlock] | None = None,
        stopped: str = "",
        **about: Any,
    ) -> RunDocument:
        cases = tuple(each for each, _ in first)
        measured = Measured(stopped=stopped)
        measured.first = Progress({each.id: blocks(each, ratio, 12) for each, ratio in first})
        measured.first.blocks |= {case_id: [block] * 2 for case_id, block in (lost or {}).items()}
        findings = unsupported(compare(cases, measured.first.blocks, RULE))
        if again is not None:
            flagged = [each.case for each in findings if each.flagged]
            measured.again = Progress({each.id: blocks(each, again, 12) for each in flagged})
            findings = confirmed(findings, compare(flagged, measured.again.blocks, GateRule((12, 20))))
        side = Side("main", "revision", "commit abc", "python", ())
        facts = Measuring(
            side,
            side,
            {"mlx": "1"},
            {"mlx": "2"},
            {"mlx": "2", "chip": "c"},
            {"empty_s": 1e-6},
            {"chain": "How?"},
            RULE,
            **about,
        )
        run = RunFacts(id="r", started="s", duration_s=1.0, argv=["check"], seed=0, complete=not stopped)
        return gate_document(
            run, ToolRecord(name="placement", version="1"), Outcome(cases, measured, tuple(findings), ""), facts
        )

    return make


@pytest.mark.parametrize(
    ("first", "again", "halted", "strict", "code", "verdict"),
    [
        (1.0, 1.0, 0, False, 0, "passed"),
        (1.2, 1.2, 0, False, 1, "regression"),
        (1.2, None, 0, False, 1, "regression"),
        (1.2, 1.0, 0, False, 0, "inconclusive"),
        (1.2, 1.0, 0, True, 3, "inconclusive"),
        (1.0, 1.0, 130, False, 130, "inconclusive"),
        (1.2, 1.2, 124, False, 124, "regression"),
        (1.2, 1.2, 0, True, 1, "regression"),
    ],
)
def test_the_code_follows_from_what_was_found(
    first: float,
    again: float | None,
    halted: int,
    strict: bool,
    code: int,
    verdict: str,
    documented: Documented,
    make_gate_case: MakeGateCase,
) -> None:
    """1 means a regression and nothing else; how a gate was halted decides its code, not its verdict."""
    document = documented([(make_gate_case(), first)], again, halted=halted, fail_on_inconclusive=strict)
    assert document.gate is not None
    assert (document.exit.code, document.gate.verdict) == (code, verdict)


def test_a_failed_scenario_wins_over_a_regression(
    documented: Documented, make_gate_case: MakeGateCase, make_lost: Callable[..., CaseBlock]
) -> None:
    """What crashed comes first, and what is slower is told with it."""
    slow, broken = make_gate_case(1), make_gate_case(2)
    lost = {broken.id: make_lost(broken.case, reason="new: it went wrong")}
    document = documented([(slow, 1.2), (broken, 1.0)], 1.2, lost=lost)
    assert document.gate is not None
    assert (document.exit.code, document.gate.verdict, document.gate.failed) == (6, "scenario-failed", [slow.id])
    assert document.gate.reason == (
        f"{broken.id} cannot be trusted: new: it went wrong. 1 of 2 comparisons with main is slower beyond the limit."
    )


def test_several_faults_are_counted(
    documented: Documented, make_gate_case: MakeGateCase, make_lost: Callable[..., CaseBlock]
) -> None:
    """The first is told in the reason, each of them in a diagnostic."""
    cases = [make_gate_case(number) for number in range(3)]
    document = documented([(each, 1.0) for each in cases], lost={each.id: make_lost(each.case) for each in cases[1:]})
    assert document.gate is not None
    assert document.gate.reason.startswith(f"{cases[1].id} (and 1 more) cannot be trusted: it went wrong. ")
    assert [item.case for item in document.diagnostics] == [each.id for each in cases[1:]]


def test_the_limit_of_a_comparison_stands_in_it(documented: Documented, make_gate_case: MakeGateCase) -> None:
    """As the relative change asked for, whatever the noise; what could not fail says so."""
    document = documented([(make_gate_case(limits={"complete_s": 0.05}), 1.0)])
    time, memory = document.cases[0].comparisons
    assert time.same_within == pytest.approx(0.05)
    assert (time.gated, memory.gated) == (True, False)
    assert document.gate is not None
    assert (document.gate.compared, document.gate.cases) == (1, 1)


def test_both_measurements_of_a_case_are_kept(documented: Documented, make_gate_case: MakeGateCase) -> None:
    """The fresh blocks are marked, and the medians shown are those of the first ones alone."""
    document = documented([(make_gate_case(), 1.2)], 1.5)
    (case,) = document.cases
    assert [block.confirms for block in case.blocks] == [False] * 12 + [True] * 12
    assert case.summary["new"].complete_s.median == pytest.approx(1.2e-3, rel=0.01)
    (comparison, _) = case.comparisons
    assert comparison.ratio == pytest.approx(1.2, rel=0.01)
    assert comparison.confirmation is not None
    assert comparison.confirmation.ratio == pytest.approx(1.5, rel=0.01)


def test_the_noise_of_a_scenario_is_that_of_its_cases(documented: Documented, make_gate_case: MakeGateCase) -> None:
    """One record for both cases, with the question that was asked."""
    document = documented([(make_gate_case(number), 1.0) for number in (1, 2)])
    (scenario,) = document.scenarios
    assert (scenario.name, scenario.question) == ("chain", "How?")
    assert scenario.noise_floor == pytest.approx(0.001, rel=0.2)


def test_what_the_sides_do_not_share_is_told(documented: Documented, make_gate_case: MakeGateCase) -> None:
    """The facts of the run are those of this set-up, as any run has them; what was known before is passed on."""
    known = Diagnostic(level="warning", code="mlx-builds", text="two backends")
    document = documented([(make_gate_case(), 1.0)], diagnostics=[known])
    assert document.gate is not None
    assert len(document.gate.differs) == 1
    assert document.env.stable == {"mlx": "2", "chip": "c"}
    assert (document.gate.base.stable, document.gate.new.stable) == ({"mlx": "1"}, {"mlx": "2"})
    assert len({document.env.fingerprint, document.gate.base.fingerprint, document.gate.new.fingerprint}) == 3
    assert document.diagnostics == [known]


def test_the_method_says_how_it_was_decided(documented: Documented, make_gate_case: MakeGateCase) -> None:
    """Who reads the document can judge its blocks again."""
    method = documented([(make_gate_case(), 1.0)]).method
    assert (method["stages"], method["alpha"], method["confirmation"]["stages"]) == ([6, 12, 20], 0.05, [12, 20])
    assert method["question"] == "is the new side slower?"
