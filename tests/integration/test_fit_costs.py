"""`placement fit-costs` as a person meets it: measured, kept, resumed, shown again and exported."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import jsonschema
import pytest

from placement_cli.store.schema_files import FOLDER

QUICK = ("fit-costs", "--backend", "numpy", "--threads", "1", "--quick")
PROFILE = "numpy-1-thread-float32"


@pytest.fixture(scope="module")
def fitted(placement_module) -> Path:
    """A folder of profiles that one quick run has filled."""
    done = placement_module(*QUICK, "--profiles", "kept", "-o", "profile.json")
    assert done.returncode == 0, done.stderr
    (placement_module.folder / "told.txt").write_text(done.stdout)
    return placement_module.folder


def test_the_profile_follows_its_schema_and_names_its_timings(fitted: Path) -> None:
    """What is saved is what `-o` wrote; the raw timings it names are there."""
    document = json.loads((fitted / "kept" / f"{PROFILE}.json").read_text())
    jsonschema.validate(document, json.loads((FOLDER / "profile-1.schema.json").read_text()))
    assert document == json.loads((fitted / "profile.json").read_text())
    assert document["confidence"] == "calibrated"
    assert (fitted / "kept" / document["observations"]).exists()
    assert {"weight_load_samples", "call_cost_macs", "gather_cost_macs"} <= document["blocks"].keys()


def test_the_report_shows_constants_regret_chart_and_map(fitted: Path) -> None:
    """Upstream's constants beside the shipped ones, rules beside the fit, and where blocks pay."""
    told = (fitted / "told.txt").read_text()
    for part in ("WEIGHT_LOAD_SAMPLES", "1.6e+06 MAC", "by this fit", "predicted (up)", "where blocks pay", "n=4096"):
        assert part in told


def test_plan_goes_by_what_was_saved(fitted: Path, placement_module) -> None:
    """A profile in the folder that PLACEMENT_PROFILES names is found by `plan`."""
    (fitted / "w.csv").write_text("1,0\n0,1\n")
    folder = str(fitted / "kept")
    done = placement_module("plan", "w.csv", "--json", PLACEMENT_PROFILES=folder)
    assert done.returncode == 0
    assert json.loads(done.stdout)["costs"]["profile"] == PROFILE


def test_saved_profiles_are_shown_and_exported_without_measuring(fitted: Path, placement_module) -> None:
    """`--saved` prints the same report again; `--export ezmsg` prints Python that runs."""
    saved = ("fit-costs", "--saved", "--backend", "numpy", "--threads", "1", "--profiles", "kept")
    assert placement_module(*saved).stdout == (fitted / "told.txt").read_text()
    done = placement_module(*saved, "--export", "ezmsg")
    assert done.returncode == 0
    compile(done.stdout, "snippet", "exec")
    assert "blockdiag.CALL_COST_MACS = " in done.stdout


def test_nothing_saved_is_nothing_comparable(placement) -> None:
    """Exit code 4, and what to run."""
    done = placement("fit-costs", "--saved", "--profiles", "none")
    assert done.returncode == 4
    assert "Nothing is saved" in done.stderr


def test_an_interrupted_run_is_resumed(placement) -> None:
    """After Ctrl-C what was timed is kept, and `--resume` times only the rest."""
    process = placement.start(*QUICK, "--profiles", "kept", "-q")
    raw = placement.folder / "kept" / "raw"
    while process.poll() is None and sum(path.read_text().count('"product"') for path in raw.glob("*/*.jsonl")) < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in told
    (path,) = raw.glob("*/*.jsonl")
    kept = path.read_text().splitlines()
    done = placement(*QUICK, "--profiles", "kept", "-q", "--resume")
    assert done.returncode == 0
    assert path.read_text().splitlines()[: len(kept)] == kept
    assert (placement.folder / "kept" / f"{PROFILE}.json").exists()


MISTAKES = {
    "an unknown backend": (["--backend", "numpi"], "Did you mean 'numpy'?"),
    "an unknown type": (["--dtype", "float3"], "'float3' products are not timed"),
    "an unknown export": (["--export", "esmg"], "Did you mean 'ezmsg'?"),
    "nothing to resume": (["--resume", "--profiles", "none"], "There is nothing to resume"),
    "a device that is not here": (["--backend", "mlx-gpu", "--profiles", "none"], "MLX has no GPU here"),
}


@pytest.mark.parametrize(("arguments", "told"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_sentence_and_exit_code_2(placement, arguments: list[str], told: str) -> None:
    """What was wrong is named, and nothing is measured."""
    done = placement("fit-costs", *arguments)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
