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
    return f"sha256:{hashlib.sha256(_plain(stable).encode()).hexdigest()[:24]}"


def differences(one: Mapping[str, Any], other: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Return what differs between two sets of stable facts, one sentence part a fact; nothing when they are equal.

    Equal are facts that JSON writes alike, so that facts of equal fingerprints never differ.
    """
    found: list[str] = []
    for key in sorted({*one, *other}):
        left, right = one.get(key), other.get(key)
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            found += differences(left, right, f"{prefix}{key}.")
        elif key not in one or key not in other or _plain(left) != _plain(right):
            found.append(f"{prefix}{key} was {_said(one, key)} and is {_said(other, key)}")
    return found


def _plain(facts: Any) -> str:
    return json.dumps(facts, sort_keys=True, allow_nan=False, separators=(",", ":"))


def _said(facts: Mapping[str, Any], key: str) -> str:
    return repr(facts[key]) if key in facts else "not there"
