"""The codes of findings and their names; both are stable.

PL304 and PL501 to PL503 are seen in running programs alone, the others in graphs too.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "PL101": "growth",
        "PL102": "side-state",
        "PL103": "withheld",
        "PL104": "run-ahead",
        "PL105": "peak",
        "PL201": "per-node",
        "PL202": "redundant",
        "PL203": "hidden-sync",
        "PL204": "blocking",
        "PL205": "deferred",
        "PL206": "fan-out",
        "PL207": "queue-stall",
        "PL301": "cross-stream",
        "PL302": "cross-thread",
        "PL303": "too-long",
        "PL304": "wrong-stream",
        "PL401": "host-is-faster",
        "PL402": "hops",
        "PL403": "low-duty",
        "PL404": "blocks",
        "PL405": "cold-start",
        "PL501": "clock-early",
        "PL502": "clock-setup",
        "PL503": "no-arrays",
        "PL901": "not-placement",
        "PL902": "unsure",
    }
)
"""Code to name, in the order of the table in docs/advise.md."""
