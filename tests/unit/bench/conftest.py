"""Plans and requests of runs; the fake workers that carry them out are those of all unit tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from placement_cli.bench.run import Method, ScenarioPlan
from placement_cli.bench.session import Request
from placement_cli.measure.specs import Case


@pytest.fixture
def make_plan() -> Callable[..., ScenarioPlan]:
    """Makes the plan of a scenario; its first case carries the control where arms are compared."""

    def make(*cases: Case, control: bool = True) -> ScenarioPlan:
        first = next((case.id for case in cases if case.others), None)
        return ScenarioPlan(cases[0].scenario, "How much?", cases, first if control else None)

    return make


@pytest.fixture
def make_request() -> Callable[..., Request]:
    """Makes the request of a run; 6, 12, 20 blocks unless `stages` says otherwise."""

    def make(*plans: ScenarioPlan, stages: Sequence[int] = (6, 12, 20), budget_s: float | None = None) -> Request:
        return Request("a-run", ["bench"], plans, Method(0.03, tuple(stages)), 0, None, budget_s)

    return make
