"""A project in a folder of its own, and what holds in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from placement_cli.settings.loading import load_settings
from placement_cli.settings.settings import Settings


@dataclass(frozen=True)
class Project:
    """A folder that settings are written to, with a user's folder beside it."""

    folder: Path
    user: Path

    def write(self, name: str, text: str) -> Path:
        """Write a file of the project."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_user(self, text: str) -> None:
        """Write the file of the user."""
        self.user.mkdir(exist_ok=True)
        (self.user / "config.toml").write_text(text, encoding="utf-8")

    def load(self, env: Mapping[str, str] | None = None, cwd: str = ".") -> Settings:
        """Return the settings that hold in the folder `cwd` of the project."""
        return load_settings(self.folder / cwd, env or {}, self.user)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project without settings; nothing around it is looked at."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return Project(folder, tmp_path / "user")
