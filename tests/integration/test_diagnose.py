"""`placement diagnose` as a person meets it: claims executed on the MLX that is installed."""

from __future__ import annotations

import json
import signal

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest

from placement_cli.store.schema_files import FOLDER

QUICK = ("--probe", "threads.lazy-handed-over", "--probe", "timing.retrace", "--device", "cpu")


def test_a_probe_by_id_is_executed_and_told(placement) -> None:
    """Its claim, its outcome in a word, what was observed, the build it holds for, and the counts."""
    done = placement("diagnose", "--probe", "threads.lazy-handed-over", "--device", "cpu", COLUMNS="60")
    assert done.returncode == 0
    assert all(len(line) <= 60 for line in done.stdout.splitlines())
    told = " ".join(done.stdout.split())
    assert "on cpu" in told
    assert "passed threads.lazy-handed-over" in told
    assert "RuntimeError (There is no Stream(cpu, 0) in current thread)" in told
    assert told.endswith("1 probe: 1 passed, 0 failed, 0 not run")


def test_the_document_follows_its_schema(placement) -> None:
    """`--json` prints it alone, `-o` writes the same."""
    done = placement("diagnose", *QUICK, "--json", "-o", "found/d.json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout, parse_constant=pytest.fail)
    jsonschema.validate(document, json.loads((FOLDER / "diagnosis-1.schema.json").read_text(encoding="utf-8")))
    assert [probe["id"] for probe in document["probes"]] == ["threads.lazy-handed-over", "timing.retrace"]
    assert document["build"]["backend"] == "cpu"
    assert document["trace"] is None
    assert (placement.folder / "found" / "d.json").read_text(encoding="utf-8") == done.stdout


def test_variables_that_alter_mlx_are_on_record(placement) -> None:
    """What was found holds with them."""
    done = placement("diagnose", "--probe", "timing.retrace", "--device", "cpu", "--json", MLX_DISABLE_COMPILE="1")
    document = json.loads(done.stdout)
    assert document["build"]["variables"]["MLX_DISABLE_COMPILE"] == "1"
    (probe,) = document["probes"]
    assert (probe["outcome"], done.returncode, document["exit"]["code"]) == ("not-run", 5, 5)
    assert "MLX_DISABLE_COMPILE" in probe["reason"]
    assert "not a single probe could be executed" in done.stderr


def test_an_unknown_probe_is_a_usage_error(placement) -> None:
    """One sentence with the nearest one, and nothing is started."""
    done = placement("diagnose", "--probe", "threads.lazy-handed")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean 'threads.lazy-handed-over'?" in done.stderr


def test_the_list_starts_nothing(placement) -> None:
    """Ids, claims and symptoms; a group or a symptom narrows it."""
    done = placement("diagnose", "--list", "--probe", "threads", "--symptom", "timing", COLUMNS="60")
    assert (done.returncode, done.stderr) == (0, "")
    assert "threads.gil-released" in done.stdout
    assert "threads.lazy-returned" not in done.stdout
    assert all(len(line) <= 60 for line in done.stdout.splitlines())


def test_ctrl_c_keeps_what_is_done(placement) -> None:
    """The probe in hand is finished, the document is written, and the exit code says that it was stopped."""
    run = placement.start("diagnose", "--probe", "threads", "--device", "cpu", "-o", "d.json")
    assert run.stderr.readline() == "threads.lazy-handed-over\n"
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=60)
    document = json.loads((placement.folder / "d.json").read_text(encoding="utf-8"))
    assert run.returncode == 130
    assert "Stopping after this probe" in told
    assert document["exit"] == {"code": 130, "name": "interrupted"}
    assert len(document["probes"]) < 9
    assert document["diagnostics"][0]["code"] == "stopped"
