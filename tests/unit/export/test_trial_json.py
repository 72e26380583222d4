"""A trial of the planner as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from placement_cli.export.trial_json import trial_document
from placement_cli.planning.trial import Trial


def trial(name: str, milliseconds: Sequence[float], theirs: int | None) -> Trial:
    """A trial of two ways and the dense product, the first of them chosen, in eight equal rounds."""
    rounds = np.array([milliseconds] * 8) * 1e-3
    return Trial(name, 30, ("batch", "loop", "dense"), rounds, (0, 1), 2, theirs)


DRAWN = (trial("uniform 64", [1.0, 2.0, 4.0], 2), trial("shuffled 96", [2.0, 1.0, 4.0], 0))
HARD = (trial("W4", [1.1, 1.0, 4.4], 2),)


def test_everything_is_there() -> None:
    """How each way of choosing did, and every product with its plans, as plain JSON without NaN."""
    document = json.loads(json.dumps(trial_document(DRAWN, HARD, "Costs: by hand."), allow_nan=False))
    assert (document["schema"], document["schema_version"]) == ("placement.planner-trial", "1.0.0")
    assert document["costs"] == "Costs: by hand."
    assert document["estimate"] == pytest.approx({"mean": 0.5, "p95": 0.95, "most": 1.0})
    assert document["measured"] == document["noise"] == pytest.approx({"mean": 0.0, "p95": 0.0, "most": 0.0})
    assert document["dense"]["most"] == pytest.approx(3.0)
    assert document["theirs_over_ours"] == pytest.approx([2.0, 1.0, 4.0])
    assert [each["name"] for each in document["drawn"]] == ["uniform 64", "shuffled 96"]
    (hard,) = document["hard"]
    assert hard["plans"][1] == {"name": "loop", "seconds": pytest.approx(1e-3)}
    assert (hard["samples"], hard["rounds"]) == (30, 8)
    assert [hard["plans"][hard[place]]["name"] for place in ("chosen", "dense", "theirs")] == [
        "batch",
        "dense",
        "dense",
    ]
    assert hard["estimate_regret"] == pytest.approx(0.1)
    assert hard["measured_regret"] == pytest.approx(0.0)
    assert hard["theirs_over_ours"] == pytest.approx(4.0)


def test_another_planner_that_is_not_here_is_null() -> None:
    """Of each product and of the whole."""
    document = trial_document([trial("uniform 64", [1.0, 2.0, 4.0], None)], [], "")
    assert document["theirs_over_ours"] is None
    assert (document["drawn"][0]["theirs"], document["drawn"][0]["theirs_over_ours"]) == (None, None)
    assert document["hard"] == []
