"""`placement plan` as a person meets it: a file in, a plan out, and one sentence for every mistake."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from placement_cli.store.schema_files import FOLDER

LENGTHS = ("--samples", "1,30,300")


@pytest.fixture
def weights(placement) -> Path:
    """Eight shuffled banks of 16 in a file."""
    generator = np.random.default_rng(0)
    matrix = np.kron(np.eye(8), np.ones((16, 16))) * generator.standard_normal((128, 128))
    path = placement.folder / "weights.npy"
    np.save(path, matrix[generator.permutation(128)][:, generator.permutation(128)].astype(np.float32))
    return path


def test_the_document_is_whole_and_follows_its_schema(placement, weights: Path) -> None:
    """`--json` prints the document alone: structure, formulation, alternatives and crossovers."""
    done = placement("plan", weights, *LENGTHS, "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads((FOLDER / "plan-1.schema.json").read_text()))
    assert document["schema"] == "placement.plan"
    assert document["structure"]["kind"] == "permuted"
    assert document["structure"]["blocks"] == 8
    assert [plan["samples"] for plan in document["plans"]] == [1, 30, 300]
    assert document["crossovers"][-1]["samples_to"] is None
    assert document["exit"] == {"code": 0, "name": "ok"}


def test_without_a_profile_it_says_whose_costs_it_goes_by(placement, weights: Path) -> None:
    """Shipped costs of another machine are named as such, and what would measure this one."""
    done = placement("plan", weights, *LENGTHS)
    assert done.returncode == 0
    told = " ".join(done.stdout.split())
    assert "not on this machine" in told
    assert "placement fit-costs" in told


def test_measured_times_come_with_intervals_and_decide(placement, weights: Path) -> None:
    """`--measure` times every way, the fastest first, and compares each with the dense product."""
    done = placement("plan", weights, "--samples", "300", "--measure", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)["alternatives"]
    times = [each["measured_s"] for each in found]
    assert times == sorted(times)
    assert all(low <= each["measured_s"] <= high for each in found for low, high in [each["measured_ci"]])
    assert all(each["ratio"] == 1 for each in found if each["kind"] == "dense")


def test_it_measures_on_mlx_too(placement, weights: Path) -> None:
    """On MLX's CPU the same matrix is planned and timed by MLX."""
    done = placement("plan", weights, "--samples", "30", "--backend", "mlx-cpu", "--measure", "-q")
    assert done.returncode == 0
    assert "30 samples: " in done.stdout
    assert "(measured)" in done.stdout


def test_it_compares_with_ezmsg_sigproc(placement, weights: Path) -> None:
    """`--against ezmsg` asks the real planner, which knows no permuted blocks in so small a matrix."""
    done = placement("plan", weights, "--samples", "300", "--against", "ezmsg", "--json")
    assert done.returncode == 0
    theirs = json.loads(done.stdout)["plans"][0]["upstream"]
    assert theirs["name"] == "dense"
    assert theirs["version"].startswith("3.")
    assert theirs["predicted_over_plan"] > 1


def test_files_are_written_where_asked(placement, weights: Path) -> None:
    """`-o` keeps the document and `--plot` draws the matrix."""
    done = placement("plan", weights, *LENGTHS, "-q", "-o", "plan.json", "--plot", "plan.svg")
    assert done.returncode == 0
    assert json.loads((placement.folder / "plan.json").read_text())["schema"] == "placement.plan"
    assert "<svg" in (placement.folder / "plan.svg").read_text()


def test_a_file_with_outputs_first_can_be_turned(placement) -> None:
    """`--transpose` swaps inputs and outputs."""
    np.save(placement.folder / "w.npy", np.ones((3, 5), np.float32))
    assert json.loads(placement("plan", "w.npy", "--json").stdout)["shape"] == [3, 5]
    assert json.loads(placement("plan", "w.npy", "--json", "--transpose").stdout)["shape"] == [5, 3]


def test_complex_weights_are_planned_and_not_timed(placement) -> None:
    """`--measure` refuses them in one sentence; without it they are planned by the costs."""
    np.save(placement.folder / "w.npy", np.eye(64) * 1j)
    assert placement("plan", "w.npy", "-q").returncode == 0
    done = placement("plan", "w.npy", "-q", "--measure")
    assert done.returncode == 2
    assert "complex weights are planned but not timed" in done.stderr


MISTAKES = {
    "no length": (["weights.npy", "--samples", ""], 2, "is no number of samples"),
    "a length of nothing": (["weights.npy", "--samples", "0"], 2, "'0' is no number of samples"),
    "a length that is a word": (["weights.npy", "--samples", "30,many"], 2, "'many' is no number of samples"),
    "an unknown backend": (["weights.npy", "--backend", "mlx"], 2, "Did you mean 'mlx-"),
    "an unknown type": (["weights.npy", "--dtype", "float3"], 2, "Did you mean 'float32'?"),
    "an unknown rival": (["weights.npy", "--against", "esmg"], 2, "Did you mean 'ezmsg'?"),
    "an unknown plot": (["weights.npy", "--plot", "plan.bmp"], 2, ".bmp"),
    "a file that is not there": (["nothing.npy"], 2, "nothing.npy"),
    "a file of an unknown kind": (["weights.doc"], 2, ".doc"),
    "a damaged file": (["damaged.npy"], 7, "damaged.npy"),
    "a profile that is none": (["weights.npy", "--profile", "damaged.npy"], 7, "damaged.npy"),
    "a share above one": (["weights.npy", "--tolerance", "2"], 2, "'--tolerance'"),
}


@pytest.mark.parametrize(("arguments", "code", "told"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_sentence(placement, weights: Path, arguments: list[str], code: int, told: str) -> None:
    """The exit code is the documented one; what was wrong is named, nothing else is printed."""
    (placement.folder / "damaged.npy").write_bytes(weights.read_bytes()[:90])
    (placement.folder / "weights.doc").write_bytes(b"?")
    done = placement("plan", *arguments)
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
