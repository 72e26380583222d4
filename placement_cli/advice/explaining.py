"""The explanation of each finding, found by its code or its name."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from types import MappingProxyType

from placement_cli.advice.explanations.crossing import CROSSING
from placement_cli.advice.explanations.elsewhere import ELSEWHERE
from placement_cli.advice.explanations.explanation import Explanation
from placement_cli.advice.explanations.growing import GROWING
from placement_cli.advice.explanations.submitting import SUBMITTING
from placement_cli.advice.explanations.timing import TIMING
from placement_cli.codes import CODES
from placement_cli.errors import UsageError, did_you_mean

EXPLANATIONS: Mapping[str, Explanation] = MappingProxyType(
    {
        each.code: each
        for each in sorted((*GROWING, *SUBMITTING, *CROSSING, *TIMING, *ELSEWHERE), key=attrgetter("code"))
    }
)
"""Code to explanation, in the order of the codes."""
LONGEST = 40
"""Characters of a wrong code that a message repeats."""


def explanation(asked: str) -> Explanation:
    """Return the explanation of a code or a name of a finding, in capitals or not; raises UsageError for another."""
    wanted = asked.strip()
    code = {name: code for code, name in CODES.items()}.get(wanted.lower(), wanted.upper())
    if code in EXPLANATIONS:
        return EXPLANATIONS[code]
    if wanted[:2].upper() == "PL":
        nearest = did_you_mean(wanted[:LONGEST].upper(), tuple(CODES))
    else:
        nearest = did_you_mean(wanted[:LONGEST].lower(), tuple(CODES.values()))
    raise UsageError(f"{asked[:LONGEST]!r} is no code or name of a finding. {nearest}")
