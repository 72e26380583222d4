"""Which symptom was seen: the best supported one that was asked for, and no guess where nothing decides."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placement_cli.codes import CODES
from placement_cli.diagnose.finding import SEVERITIES, Finding
from placement_cli.diagnose.program.running import Ran
from placement_cli.diagnose.report.observing import observed, with_probes
from placement_cli.tracing.raw import RawEvent

SYMPTOMS = (None, "timing", "memory", "ordering", "crash")


@pytest.fixture
def calm(seen: Any) -> Ran:
    """A program that ended well."""
    return seen.ran(seen.process(points=(seen.point("eval", 5),), memory=seen.memory(1, 1)))


def test_a_finding_that_bears_on_what_was_asked_decides(seen: Any, calm: Ran) -> None:
    """The first one: findings come with the most important first."""
    findings = [seen.finding("PL203", evidence={"blocked_s": 0.3}), seen.finding("PL102", line=20)]
    found = observed(calm, findings, "memory", "run.py")
    assert (found.kind, found.code, found.line, found.decided) == ("side-state", "PL102", 20, True)
    assert observed(calm, findings, None, "run.py").kind == "hidden-synchronization"


def test_what_bears_on_another_symptom_is_pointed_to(seen: Any, calm: Ran) -> None:
    """The question that was asked has no answer in what was seen, another one has."""
    found = observed(calm, [seen.finding("PL501")], "memory", "'my run.py' --fast")
    assert (found.kind, found.code, found.decided) == ("not-seen", "PL902", False)
    assert "What was seen bears on timing: PL501 clock-early." in found.says
    assert found.next_check == "placement diagnose --symptom timing 'my run.py' --fast"


@pytest.mark.parametrize(("symptom", "code"), [(None, None), ("timing", "PL902"), ("ordering", "PL902")])
def test_nothing_seen_is_said_so_with_what_would_decide(calm: Ran, symptom: Any, code: str | None) -> None:
    """And what it was judged by; without a question there is nothing to be unsure of."""
    found = observed(calm, [], symptom, "run.py")
    assert (found.kind, found.code, found.decided) == ("not-seen", code, False)
    assert found.says.startswith("100 calls at 1 point and 2 samples of memory in 1 process were judged.")
    assert found.next_check


def test_a_program_without_mlx_has_nothing_to_judge_by(seen: Any) -> None:
    """Then the question is which interpreter it ran with."""
    found = observed(seen.ran(), [], "timing", "run.py")
    assert "nothing to judge by" in found.says
    assert "import mlx.core" in found.next_check


def test_a_note_decides_only_what_was_asked_and_only_where_it_weighs(seen: Any, calm: Ran) -> None:
    """A full queue for a third of the run answers a question of timing; a note on growth leaves it open."""
    stalled = seen.finding("PL207", "note", evidence={"excess_s": 0.33})
    assert observed(calm, [stalled], "timing", "run.py").kind == "run-ahead-stall"
    assert observed(calm, [stalled], None, "run.py").kind == "not-seen"
    small = observed(calm, [seen.finding("PL102", "note")], "memory", "run.py")
    assert (small.kind, small.code, small.decided) == ("side-state", "PL902", False)
    assert small.says.startswith("Nothing above a note was seen; the nearest is PL102 side-state")


def test_growth_without_a_cause_is_undecided(seen: Any, calm: Ran) -> None:
    """PL902 says by itself what would decide."""
    found = observed(calm, [seen.finding("PL902", "note", file=None, line=None)], "memory", "run.py")
    assert (found.kind, found.code, found.decided) == ("unexplained-growth", "PL902", False)
    assert (found.says, found.next_check) == ("It was seen.", "mx.eval(total)")


def test_memory_that_a_wait_gave_back_was_in_flight(seen: Any) -> None:
    """Completion is the evidence: without a wait where it fell, or with a fall that is small, nothing is said."""
    points = (seen.point("async_eval", 8), seen.point("eval", 9, count=1))
    events = (RawEvent(0.25, 0.2, 1),)
    process = seen.process(points=points, memory=seen.memory(2, 30, 66, 64, 60, 2), events=events)
    found = observed(seen.ran(process), [], "memory", "run.py")
    assert (found.kind, found.code, found.line) == ("in-flight-memory", "PL104", 8)
    assert "66.0 MiB" in found.says
    assert "mx.eval at run.py:9 had waited 200 ms" in found.says
    for other in ({"events": ()}, {"memory": seen.memory(60, 66, 64)}, {"points": points[1:] * 2}):
        assert observed(seen.ran(replace(process, **other)), [], "memory", "run.py").kind == "not-seen"


@pytest.mark.parametrize("symptom", [None, "crash"])
def test_an_error_of_the_program_is_none_of_an_evaluation(seen: Any, calm: Ran, symptom: Any) -> None:
    """It is said what is not known: an operation that is refused when it is built is not recorded."""
    found = observed(replace(calm, exit_code=1), [], symptom, "-m pkg.run")
    assert (found.kind, found.code, found.decided) == ("program-error", None, True)
    assert "exit code 1, and no evaluation, read or wait of MLX raised" in found.says
    assert "last recorded call of MLX was mx.eval at run.py:5" in found.says
    assert found.next_check.startswith("python -m pkg.run  #")


def test_an_error_that_mlx_raised_is_told_at_its_line(seen: Any) -> None:
    """Where no finding explains it."""
    errors = (seen.error(30, "early", at_s=0.1), seen.error(31, "[concatenate] no.", count=2))
    found = observed(seen.ran(seen.process(errors=errors), exit_code=1), [], "crash", "run.py")
    assert (found.kind, found.line, found.decided) == ("mlx-error", 31, True)
    assert "RuntimeError 2 times: [concatenate] no" in found.says


def test_a_signal_is_certain_and_its_cause_is_not(seen: Any, calm: Ran) -> None:
    """With what the trace knows where it was recorded; nothing is recorded of a program that is killed at once."""
    told = seen.finding("PL902", "note", file=None, line=None, evidence={"signal": "SIGKILL"})
    killed = replace(calm, exit_code=137, signal=9)
    found = observed(killed, [told], None, "run.py")
    assert (found.kind, found.name, found.code, found.says) == (
        "killed-by-signal",
        "killed by SIGKILL",
        "PL902",
        "It was seen.",
    )
    found = observed(seen.ran(exit_code=139, signal=11), [], "crash", "run.py")
    assert (found.name, found.decided) == ("killed by SIGSEGV", True)
    assert found.says.startswith("The program was ended by SIGSEGV after 1.10 s.")


def test_an_error_finding_comes_before_all_else_in_a_crash(seen: Any, calm: Ran) -> None:
    """And a late error, whose operation is not known, before what it would look like."""
    late = seen.finding("PL902", "note", evidence={"times": 1})
    foreign = seen.finding("PL302", "error", line=19)
    assert observed(calm, [foreign, late], "crash", "run.py").kind == "thread-ownership"
    found = observed(replace(calm, exit_code=1), [late], None, "run.py")
    assert (found.kind, found.decided) == ("late-error", False)


def test_who_interrupts_a_program_wants_to_know_what_it_did(seen: Any, calm: Ran) -> None:
    """Ctrl-C is no crash of the program, unless that was asked for."""
    stopped = replace(calm, exit_code=130, signal=signal.SIGINT)
    assert observed(stopped, [seen.finding("PL102")], None, "run.py").kind == "side-state"
    assert observed(stopped, [], "crash", "run.py").name == "killed by SIGINT"


def test_a_claim_that_does_not_hold_here_takes_the_class_away(seen: Any, calm: Ran) -> None:
    """A probe that crashed has seen nothing, and one that has nothing to do with it does not matter."""
    found = observed(calm, [seen.finding("PL304")], "ordering", "run.py")
    for result in (
        seen.result("boundary.synchronize-other"),
        seen.result("boundary.synchronize-other", "failed", "it hung"),
        seen.result("ordering.fifo", "failed"),
    ):
        assert with_probes(found, [result]) == found
    unsure = with_probes(found, [seen.result("boundary.synchronize-other", "failed")])
    assert (unsure.kind, unsure.code, unsure.decided) == ("wrong-stream", "PL902", False)
    assert unsure.says.endswith("does not hold on this build: It waited 120 ms.")
    assert unsure.next_check == "placement diagnose --probe boundary.synchronize-other"


FINDINGS = st.builds(
    lambda code, severity, key: Finding(code, severity, "a.py", 1, None, "s", "f", "n", {key: 0.5} if key else {}),
    st.sampled_from(sorted(CODES)),
    st.sampled_from(SEVERITIES),
    st.sampled_from(["", "blocked_s", "kept_bytes", "sizes", "times", "signal", "excess_s"]),
)


@settings(deadline=None)
@given(st.lists(FINDINGS, max_size=6), st.sampled_from(SYMPTOMS), st.sampled_from([(0, None), (1, None), (137, 9)]))
def test_whatever_is_found_there_is_an_answer(
    findings: list[Finding], symptom: Any, end: tuple[int, int | None]
) -> None:
    """With a class, one next check, and PL902 exactly where a question is left open, or the reason of a signal."""
    ran = Ran(("run.py",), end[0], end[1], 1.0, ())
    found = observed(ran, findings, symptom, "run.py")
    assert found.name
    assert len(found.next_check.splitlines()) in {1, 2, 3}
    if not found.decided and found.kind != "not-seen":
        assert found.code == "PL902"
    if symptom and found.kind != "not-seen":
        assert symptom in found.bears_on or found.kind == "other"
