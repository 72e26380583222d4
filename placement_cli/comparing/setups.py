"""Where stored runs were measured, and whether that is the same: pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from placement_cli.comparing.recorded import Recorded
from placement_cli.store.fingerprint import differences, fingerprint


def setup_of(run: Recorded) -> str:
    """Return what runs of one set-up share: the fingerprint, or that of the few facts another tool wrote down.

    Empty where nothing is known.
    """
    return run.fingerprint or (fingerprint(run.stable) if run.stable else "")


def differing_facts(base: Recorded, new: Recorded) -> tuple[str, ...]:
    """Return which facts two runs do not share, one sentence part each; nothing where they may be compared.

    Runs whose files say nothing of where they were measured differ in nothing that is known.
    """
    if setup_of(base) == setup_of(new):
        return ()
    found = differences(base.stable, new.stable)
    return tuple(found) or (f"fingerprint was {base.fingerprint!r} and is {new.fingerprint!r}",)


def flat_facts(stable: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Return facts by dotted name, as text; lists are written as JSON."""
    return dict(_flat(stable, prefix))


def _flat(stable: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in stable.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, str):
            yield f"{prefix}{key}", value
        else:
            yield f"{prefix}{key}", json.dumps(value, sort_keys=True)
