"""Small made-up runs, for whatever prints or exports one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from placement_cli.store.run_document import RunDocument

RUNS = Path(__file__).parents[1] / "data" / "runs"
NAMES = ("stream", "submitting", "burst", "queue", "pending", "paced")


@pytest.fixture(params=NAMES)
def document(request: pytest.FixtureRequest) -> RunDocument:
    """Each of the small runs."""
    return load(request.param)


@pytest.fixture
def load_run_of() -> Callable[[str], RunDocument]:
    """Loads the small run of this name."""
    return load


def load(name: str) -> RunDocument:
    """Read one of the small runs."""
    return RunDocument.model_validate_json((RUNS / f"{name}.json").read_bytes())
