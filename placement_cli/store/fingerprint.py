"""One short name for a set-up: equal for runs that may be compared, different where something stable differs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def fingerprint(stable: Mapping[str, Any]) -> str:
    """Return a digest of the stable facts of an environment, such as `sha256:4f1c...`.

    Only facts that stay the same between runs belong in `stable`: no load, clock reading or free memory.
    """
    plain = json.dumps(stable, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(plain.encode()).hexdigest()[:24]}"


def differences(one: Mapping[str, Any], other: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Return what differs between two sets of stable facts, one sentence part a fact."""
    found: list[str] = []
    for key in sorted({*one, *other}):
        left, right = one.get(key), other.get(key)
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            found += differences(left, right, f"{prefix}{key}.")
        elif left != right:
            found.append(f"{prefix}{key} was {left!r} and is {right!r}")
    return found
