"""The words of the sentences: arms, cases, ratios and quantities as people say them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from placement_cli.store.run_document import CaseRecord, Comparison, Estimate
from placement_cli.units import format_duration, format_ratio

_MODES = {
    "off": "no evaluation point",
    "async": "ASYNC",
    "sync": "SYNC",
}


def arm_phrase(arm: Mapping[str, Any], case: CaseRecord) -> str:
    """Return an arm in words, such as `ASYNC at every node` or `a window of 4 at the tail`; a placement by its name."""
    if arm.get("modes"):
        return f"the placement {arm['name']}"
    words = _mode_phrase(str(arm["mode"]))
    if arm["sites"]:
        words += f" at {_site_phrase(str(arm['name']))}"
    if arm["state"]:
        words += " with the carried state"
    if arm["values"]:
        words += " and a conversion to NumPy" if arm["sites"] else " before the conversion to NumPy"
    elif not arm["sites"] and case.reading == "stream" and not _ends_on_host(case):
        words += " until the end"
    return words


def _mode_phrase(mode: str) -> str:
    word, _, depth = mode.partition(":")
    if word == "window":
        return f"a window of {depth}"
    if word == "every":
        return f"SYNC once in {depth} messages"
    return _MODES[word]


def _site_phrase(name: str) -> str:
    """Return where the points of the arm called `name` are, in the words it was written in."""
    _, _, where = name.partition("@")
    sites = [site for site in where.split("+") if site not in ("", "state", "values")]
    if not sites or sites == ["tail"]:
        return "the tail"
    if sites == ["every-node"]:
        return "every node"
    return " and ".join(sites)


def _ends_on_host(case: CaseRecord) -> bool:
    return any(node["op"] == "values" for node in case.pipeline["nodes"])


def case_phrase(case: CaseRecord) -> str:
    """Return where a case stands on the axes, such as `chunk 30x256 depth 4`: no comma, since cases are listed."""
    return " ".join(f"{key} {value}" for key, value in case.params.items()) or "the one case"


def interval_phrase(low: float, high: float) -> str:
    """Return an interval of ratios."""
    return f"[{format_ratio(low)}, {format_ratio(high)}]"


def ratio_phrase(comparison: Comparison) -> str:
    """Return a ratio with its interval, such as `1.40 times [1.31, 1.49]`."""
    assert comparison.ratio is not None
    text = f"{format_ratio(comparison.ratio)} times"
    return f"{text} {interval_phrase(*comparison.ci)}" if comparison.ci else text


def seconds_phrase(estimate: Estimate) -> str:
    """Return a duration with its interval; one that is not clear of zero is not called a duration."""
    assert estimate.value is not None
    text = format_duration(estimate.value)
    if estimate.low is None or estimate.high is None:
        return f"{text} (too few blocks for an interval)"
    interval = f"[{format_duration(estimate.low)}, {format_duration(estimate.high)}]"
    if estimate.low <= 0 <= estimate.high:
        return f"nothing that can be told from zero ({text} {interval})"
    return f"{text} {interval}"


def listed(parts: Sequence[str]) -> str:
    """Join parts as a sentence does: `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
