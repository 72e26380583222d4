"""The exit codes, each met as a person or a CI job meets it."""

from __future__ import annotations

import json
import re

import pytest

REPORT = "This is a fault of placement, not yours."

USAGE = {
    "unknown command": (["bensh"], "No such command 'bensh'"),
    "unknown option": (["bench", "--qick"], "--quick"),
    "option without its value": (["bench", "--set"], "requires an argument"),
    "number out of bounds": (["bench", "--min-effect", "7"], "'--min-effect'"),
    "negative seed": (["bench", "--seed", "-1"], "'--seed'"),
    "unknown scenario": (["bench", "chunk-siz"], "There is no scenario 'chunk-siz'. Did you mean 'chunk-size'?"),
    "scenario that is not there": (["bench", "nowhere.yaml"], "nowhere.yaml: cannot be read"),
    "scenario asked for twice": (["bench", "solo.yaml", "solo.yaml"], "solo.yaml:2:7"),
    "setting without values": (["bench", "solo.yaml", "--set", "chunk"], "--set 'chunk': expected KEY=VALUE"),
    "unknown setting": (["bench", "solo.yaml", "--set", "chunc=4x4"], "Did you mean 'chunk'?"),
    "value no axis has": (["bench", "solo.yaml", "--set", "chunk=huge"], "--set 'chunk=huge'"),
    "unknown arm": (["bench", "pair.yaml", "--set", "arms=asinc"], "Did you mean 'async'?"),
    "time that is none": (["bench", "solo.yaml", "--time-budget", "soon"], "--time-budget soon: 'soon' is not a"),
    "no time at all": (["bench", "solo.yaml", "--time-budget", "0s"], "--time-budget 0s: expected more than nothing"),
    "unknown format": (["bench", "solo.yaml", "-o", "run.txt"], "-o run.txt: no format has the ending '.txt'"),
    "format without ending": (["bench", "solo.yaml", "-o", "run"], "no format has the ending ''"),
    "results in a file": (["bench", "solo.yaml", "--out", "pair.yaml"], "--out pair.yaml: is no folder"),
    "unknown device": (["bench", "solo.yaml", "--device", "tpu"], "There is no device 'tpu'. Did you mean 'gpu'?"),
    "unknown workload": (["bench", "solo.yaml", "--workload", "esmg"], "Did you mean 'ezmsg'?"),
    "nothing to resume": (["bench", "--resume"], "There is no unfinished run in results"),
    "share that is none": (["selftest", "--inject", "lots"], "--inject lots: expected a share"),
    "no verdicts at all": (["selftest", "--aa", "0"], "'--aa'"),
}


@pytest.mark.parametrize(("arguments", "told"), USAGE.values(), ids=USAGE.keys())
def test_a_wrong_command_line_exits_with_2_and_one_sentence(placement, arguments: list[str], told: str) -> None:
    """The sentence names what was wrong and what is allowed; nothing is measured and no traceback is shown."""
    done = placement(*arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (placement.folder / "results").exists()


def test_no_arguments_show_the_help_and_exit_with_2(placement) -> None:
    """A bare `placement` asks for nothing, and says what could be asked for."""
    done = placement()
    assert done.returncode == 2
    assert "bench" in done.stdout + done.stderr


def test_a_mistake_in_a_scenario_is_told_with_file_line_and_column(placement) -> None:
    """The place can be clicked in an editor, and the sentence names what is allowed."""
    text = (placement.folder / "solo.yaml").read_text().replace("{op: abs}", "{op: abz}")
    path = placement.write("mine.yaml", text)
    done = placement("bench", path)
    assert done.returncode == 2
    assert re.fullmatch(r"placement: mine\.yaml:9:17: .*'abz'.*Did you mean 'abs'\?\n", done.stderr)


def test_a_device_that_is_not_there_is_refused(placement) -> None:
    """Of the two devices the one that MLX lacks here is named, together with what to do."""
    import mlx.core as mx

    lacking = [name for name in ("gpu", "cpu") if not mx.is_available(getattr(mx, name))]
    for name in lacking or ["tpu"]:
        done = placement("bench", "solo.yaml", "--device", name)
        assert done.returncode == 2
        assert name in done.stderr.lower()
        assert "Traceback" not in done.stderr


def test_a_run_to_its_end_exits_with_what_its_document_says(whole_run) -> None:
    """The process and the document agree; only an invalid verdict, as on a very busy machine, is not 0."""
    document = whole_run.document
    invalid = any(each["verdict"] == "invalid" for each in document["cases"][0]["comparisons"])
    assert document["exit"]["code"] == whole_run.code == (5 if invalid else 0)
    assert document["run"]["complete"]


def test_a_run_that_its_time_budget_ends_says_so(placement, glimpse) -> None:
    """Running out of the time one gave is no failure, but the document is not complete."""
    assert placement("bench", "solo.yaml", "--time-budget", "1ms", "-q").returncode == 0
    assert not glimpse.document["run"]["complete"]
    assert "stopped early" in glimpse.err
    assert len(glimpse.document["cases"][0]["blocks"]) <= 1


JUDGED = {
    "slower": (lambda _block: 2.0, [], 0),
    "slower, strict": (lambda _block: 2.0, ["--fail-on-inconclusive"], 0),
    "same": (lambda _block: 1.0, ["--fail-on-inconclusive"], 0),
    "back and forth": (lambda block: 1.5 if block % 2 else 0.7, [], 0),
    "back and forth, strict": (lambda block: 1.5 if block % 2 else 0.7, ["--fail-on-inconclusive"], 3),
}


@pytest.mark.parametrize(("ratio", "options", "code"), JUDGED.values(), ids=JUDGED.keys())
def test_inconclusive_exits_with_3_only_where_that_was_asked_for(
    placement, unfinished, read, ratio, options: list[str], code: int
) -> None:
    """`faster`, `slower` and `same` are answers; the document carries the code that the process ends with."""
    read.retime(unfinished, ratio)
    done = placement("bench", "--resume", "--json", *options)
    assert done.returncode == code
    document = json.loads(done.stdout)
    assert document["exit"]["code"] == code
    verdicts = {each["verdict"] for each in document["cases"][0]["comparisons"]}
    assert ("inconclusive" in verdicts) == (ratio(0) != ratio(1))


def test_blocks_that_drift_exit_with_5(placement, unfinished, read) -> None:
    """When most blocks drift the case has no verdict, whatever its ratios say."""
    records = read.records(unfinished)
    for record in records:
        if record["kind"] == "block" and record["index"] < 4:
            record |= {"why": "drift", "reason": "samples change by +40 % over the block"}
    read.write_records(unfinished, records)
    done = placement("bench", "--resume", "--json", "--fail-on-inconclusive")
    assert done.returncode == 5
    document = json.loads(done.stdout)
    assert document["exit"] == {"code": 5, "name": "invalid-measurement"}
    assert {each["verdict"] for each in document["cases"][0]["comparisons"]} == {"invalid"}


def test_going_on_on_another_set_up_exits_with_4(placement, unfinished) -> None:
    """Blocks measured with another MLX are not mixed with new ones; the sentence names what changed."""
    header, *rest = unfinished.read_bytes().splitlines(keepends=True)
    changed = json.loads(header)
    was, changed["stable"]["mlx"] = changed["stable"]["mlx"], "0.0.1"
    before = json.dumps(changed).encode() + b"\n" + b"".join(rest)
    unfinished.write_bytes(before)
    done = placement("bench", "--resume")
    assert done.returncode == 4
    assert f"mlx was '0.0.1' and is '{was}'" in done.stderr
    assert unfinished.read_bytes() == before
    assert placement.documents() == []


def test_a_fence_that_does_not_wait_exits_with_5(placement, fault) -> None:
    """Times taken without a working fence are fiction: nothing is measured and nothing reported."""
    done = placement("bench", "solo.yaml", "--json", **fault("open_fence"))
    assert done.returncode == 5
    assert "fence" in done.stderr
    assert "Nothing is reported." in done.stderr
    assert done.stdout == ""
    assert placement.journals() == []


def test_workers_that_cannot_be_started_exit_with_5(placement, fault) -> None:
    """What the worker last said is passed on, because it names the cause."""
    done = placement("bench", "solo.yaml", **fault("worker_never_starts"))
    assert done.returncode == 5
    assert "the library is broken" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scenario_whose_workers_die_exits_with_6(placement, fault) -> None:
    """A crash is told and kept in the document, and nothing is said of a case that crashed each time."""
    done = placement("bench", "solo.yaml", "--set", "chunk=8x8", "--json", **fault("worker_dies"))
    assert done.returncode == 6
    document = json.loads(done.stdout)
    assert document["exit"] == {"code": 6, "name": "scenario-failed"}
    (case,) = document["cases"]
    assert {block["kind"] for block in case["blocks"]} == {"crash"}
    assert len(case["blocks"]) > 1
    assert all("exit status 9" in block["reason"] for block in case["blocks"])
    assert case["summary"] == {}


def test_a_scenario_whose_values_are_wrong_exits_with_6(placement, fault) -> None:
    """A fast wrong arm is no winner: its case is not timed at all."""
    done = placement("bench", "pair.yaml", "--quick", "--json", **fault("wrong_values"))
    assert done.returncode == 6
    (case,) = json.loads(done.stdout)["cases"]
    assert {block["kind"] for block in case["blocks"]} == {"disagreement"}
    assert all("computes other values than the NumPy reference" in block["reason"] for block in case["blocks"])
    assert not any(block["samples"] for block in case["blocks"])
    assert {each["verdict"] for each in case["comparisons"]} == {"invalid"}


DAMAGE = {
    "line that is no JSON": (1, lambda record: b"{" + record),
    "line that is no record": (1, lambda _record: b"[1, 2]"),
    "line of foreign shape": (1, lambda _record: b'{"kind": "block", "case": "pair[chunk=8x8]"}'),
    "block of an unknown case": (1, lambda record: record.replace(b"8x8", b"9x9")),
    "header of foreign shape": (0, lambda record: record.replace(b'"request"', b'"requests"')),
    "newer journal": (0, lambda record: record.replace(b'"major":1', b'"major":2')),
}


@pytest.mark.parametrize(("line", "damage"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_journal_that_cannot_be_read_exits_with_7(placement, unfinished, line: int, damage) -> None:
    """Damage is told and never guessed around; the journal stays as it was."""
    lines = unfinished.read_bytes().splitlines()
    lines[line] = damage(lines[line])
    content = b"".join(each + b"\n" for each in lines)
    unfinished.write_bytes(content)
    done = placement("bench", "--resume")
    assert done.returncode == 7
    assert "journal" in done.stderr
    assert "Traceback" not in done.stderr
    assert unfinished.read_bytes() == content


def test_a_fault_of_the_program_exits_with_70(placement, fault) -> None:
    """Never with 1, which means a regression; the traceback is there for the report that is asked for."""
    done = placement("operators", **fault("broken_console"))
    assert done.returncode == 70
    assert done.stdout == ""
    assert "ZeroDivisionError: the console has no columns" in done.stderr
    assert done.stderr.rstrip().splitlines()[-1].startswith(REPORT)
