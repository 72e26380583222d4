"""`placement diagnose SCRIPT` as a person meets it: real programs, one a symptom, on the MLX that is installed."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest

from placement_cli.store.schema_files import FOLDER as SCHEMAS

FOLDER = Path(__file__).parents[2] / "examples" / "diagnose"


def read(path: Path) -> dict[str, Any]:
    """Return a document, checked against its schema."""
    document: dict[str, Any] = json.loads(path.read_bytes(), parse_constant=pytest.fail)
    jsonschema.validate(document, json.loads((SCHEMAS / "diagnosis-1.schema.json").read_text(encoding="utf-8")))
    return document


@pytest.mark.parametrize(
    ("name", "symptom", "kind", "code", "check", "against", "rests_on"),
    [
        (
            "timing_without_wait",
            "timing",
            "submission-only",
            "PL501",
            "# Call mx.eval on the outputs",
            "trace.clocks",
            "timing.submission-only",
        ),
        (
            "kept_outputs",
            "memory",
            "retained-references",
            "PL901",
            "outputs.clear()",
            "trace.references",
            "ownership.kept-outputs",
        ),
        ("wrong_stream", "ordering", "wrong-stream", "PL304", "# At ", "trace.streams", "boundary.synchronize-other"),
        (
            "lazy_across_threads",
            "crash",
            "thread-ownership",
            "PL302",
            "# Call mx.async_eval in the thread",
            "trace.threads",
            "threads.lazy-handed-over",
        ),
    ],
)
def test_a_symptom_ends_in_its_class_one_check_and_evidence(
    placement: Any,
    tmp_path: Path,
    name: str,
    symptom: str,
    kind: str,
    code: str,
    check: str,
    against: str,
    rests_on: str,
) -> None:
    """Decided by the trace and by the probe that it rests on, on a terminal in about 45 lines."""
    script = FOLDER / f"{name}_sick.py"
    done = placement("diagnose", "-o", "d.json", script, "--symptom", symptom, COLUMNS="100")
    assert done.returncode == 0, done.stderr
    document = read(tmp_path / "d.json")
    report = document["report"]
    found = report["symptom"]
    assert (found["class"], found["code"], found["file"], report["decided"]) == (kind, code, str(script), True)
    assert document["next_check"].startswith(check)
    evidence = {each["id"]: each["outcome"] for each in report["evidence"]}
    assert (evidence[against], evidence[rests_on]) == ("failed", "passed")
    assert {each["outcome"] for each in document["probes"]} <= {"passed", "failed", "not-run"}
    told = done.stdout.partition(f"Symptom {symptom}: ")[2]
    assert all(part in told for part in ("Chain", "Ownership", "Next check", "Evidence, for MLX"))
    assert len(told.splitlines()) <= 50
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_a_healthy_program_has_no_symptom(placement: Any) -> None:
    """With --json its output is on stderr, and the document alone on stdout."""
    done = placement("diagnose", "--json", FOLDER / "side_state_healthy.py", "--symptom", "memory")
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert "result: " in done.stderr
    report = document["report"]
    assert (report["symptom"]["class"], report["symptom"]["code"], report["decided"]) == ("not-seen", "PL902", False)
    assert "gc.get_objects" in document["next_check"]
    assert "failed" not in {each["outcome"] for each in report["evidence"] if each["source"] == "trace"}


def test_an_error_of_the_program_is_told_as_its_own(placement: Any) -> None:
    """With its traceback on stderr, its exit code in the report, and 0 for the diagnosis."""
    (placement.folder / "own.py").write_text("import mlx.core as mx\nmx.eval(mx.ones(3))\nraise KeyError('config')\n")
    done = placement("diagnose", "-q", "--probe", "timing.retrace", "own.py", "--symptom", "crash")
    assert done.returncode == 0
    assert "KeyError: 'config'" in done.stderr
    assert done.stdout.startswith("Symptom crash: program error, not of an evaluation of MLX at own.py:3: The program")


def test_a_module_that_is_stopped_is_reported_until_there(placement: Any) -> None:
    """Ctrl-C ends the program; what it did until then is told without probes, with the exit code 130."""
    text = "import mlx.core as mx, time\nmx.eval(mx.ones(3))\nprint('up', flush=True)\ntime.sleep(60)\n"
    (placement.folder / "endless.py").write_text(text)
    run = placement.start("diagnose", "-o", "d.json", "-m", "endless")
    assert run.stdout.readline() == "up\n"
    run.send_signal(signal.SIGINT)
    told, _ = run.communicate(timeout=60)
    document = read(placement.folder / "d.json")
    assert (run.returncode, document["exit"]["code"], document["probes"]) == (130, 130, [])
    assert document["trace"]["program"]["signal"] == signal.SIGINT
    assert "endless.py:2" in told


def test_a_script_that_is_not_there_is_a_usage_error(placement: Any) -> None:
    """Before any probe is run."""
    done = placement("diagnose", "nothing.py", "--symptom", "memory")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing.py: there is no such script." in done.stderr
