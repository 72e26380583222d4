"""Small made-up runs, for whatever prints or exports one; and no test reads the profiles of who runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from placement_cli.profile.places import FOLDER_VARIABLE
from placement_cli.store.run_document import RunDocument

RUNS = Path(__file__).parents[1] / "data" / "runs"
NAMES = ("stream", "submitting", "burst", "queue", "pending", "paced")


@pytest.fixture(autouse=True, scope="session")
def no_profiles_of_this_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folder of profiles is one that does not exist, in this process and those it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(tmp_path_factory.getbasetemp() / "profiles"))
        yield


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
