"""Versions of MLX: what is known to hold only before one."""

from __future__ import annotations

import re


def before(version: str | None, first: tuple[int, ...]) -> bool:
    """Return whether `version`, such as `0.32.4`, comes before `first`; also when it is not stated or no version."""
    match = re.match(r"\d+(?:\.\d+)*", version or "")
    return match is None or tuple(int(part) for part in match[0].split(".")[:8]) < first
