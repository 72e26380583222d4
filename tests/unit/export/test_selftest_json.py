"""A self-test as JSON."""

from __future__ import annotations

import json

from placement_cli.bench.harness import LIMIT, HarnessCost
from placement_cli.bench.selftest import SelfTest
from placement_cli.export.selftest_json import selftest_document
from placement_cli.statistics.order_statistics import Interval
from placement_cli.statistics.rates import rate


def test_everything_is_there() -> None:
    """Costs with their limit, and rates with their exact bounds, as plain JSON without NaN."""
    costs = [
        HarnessCost("chunk-size", 1.5e-4, 1.49e-4, 1.0067, Interval(0.998, 1.012, 0.96)),
        HarnessCost("call-cost", 2e-5, 1.9e-5, 1.053, None),
    ]
    tests = [SelfTest(0.05, ["slower", "same"], rate(1, 2), 9.0, ["because"])]
    document = selftest_document(costs, tests)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["schema"], document["schema_version"]) == ("placement.selftest", "1.0.0")
    assert [(entry["scenario"], entry["ok"], entry["ci"]) for entry in document["harness"]] == [
        ("chunk-size", True, [0.998, 1.012]),
        ("call-cost", False, None),
    ]
    assert {entry["limit"] for entry in document["harness"]} == {LIMIT}
    (test,) = document["tests"]
    assert (test["inject"], test["verdicts"], test["flagged"], test["rate"]) == (0.05, ["slower", "same"], 1, 0.5)


def test_a_self_test_of_nothing_is_a_document_too() -> None:
    """Without parts both lists are empty."""
    document = selftest_document([], [])
    assert (document["harness"], document["tests"]) == ([], [])
