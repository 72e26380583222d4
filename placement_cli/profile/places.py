"""Where the profiles of this machine are kept."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER_VARIABLE = "PLACEMENT_PROFILES"
"""Names another folder."""


def profile_folder() -> Path:
    """Return the folder of profiles: PLACEMENT_PROFILES, or the user's own data folder of this system."""
    from platformdirs import user_data_path

    named = os.environ.get(FOLDER_VARIABLE, "")
    return Path(named) if named else user_data_path("placement", appauthor=False) / "profiles"


def raw_folder(profiles: Path) -> Path:
    """Return the folder of the raw timings behind the profiles in `profiles`."""
    return profiles / "raw"
