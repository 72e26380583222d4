"""What stands in the cells of tables: quantities, ratios and verdicts, told apart by words and not by colour alone."""

from __future__ import annotations

from rich.text import Text

from placement_cli.bench.figures import verdict_word
from placement_cli.bench.says import fault_reason
from placement_cli.store.run_document import ArmSummary, CaseRecord, Comparison
from placement_cli.units import format_duration, format_ratio, format_size

VERDICT_STYLES = {
    "faster": "green",
    "slower": "red",
    "same": "dim",
    "inconclusive": "yellow",
    "invalid": "bold red",
}


def quantity(summary: ArmSummary, metric: str) -> str:
    """Return the median of `metric` in `summary`, in its unit."""
    match metric:
        case "in_flight_bytes":
            return format_size(summary.in_flight_bytes.median)
        case "dispatch_s":
            return format_duration(summary.dispatch_s.median)
        case _:
            return format_duration(summary.complete_s.median)


def ratio_text(comparison: Comparison) -> str:
    """Return the ratio with its interval, such as `1.44x [1.38, 1.50]`; nothing where there is none."""
    if comparison.ratio is None:
        return ""
    text = f"{format_ratio(comparison.ratio)}x"
    if comparison.ci is None:
        return text
    low, high = comparison.ci
    return f"{text} [{format_ratio(low)}, {format_ratio(high)}]"


def verdict_text(comparison: Comparison) -> Text:
    """Return the verdict in the words of its metric; its colour is never the only signal."""
    return Text(verdict_word(comparison), style=VERDICT_STYLES[comparison.verdict])


def comparison_of(case: CaseRecord, arm: str, metric: str) -> Comparison | None:
    """Return how `arm` compares with the base in `metric`; None for the base itself."""
    found = (each for each in case.comparisons if each.new == arm and each.metric == metric)
    return next(found, None)


def against(case: CaseRecord, arm: str, metric: str) -> tuple[Text, Text] | None:
    """Return ratio and verdict of an arm; an arm that nothing is compared with is `invalid` or says nothing."""
    if comparison := comparison_of(case, arm, metric):
        return Text(ratio_text(comparison)), verdict_text(comparison)
    alone = not case.comparisons and fault_reason(case)
    return (Text(), Text("invalid", style=VERDICT_STYLES["invalid"])) if alone else None


def arm_cell(case: CaseRecord, arm: str, metric: str) -> Text:
    """Return quantity, ratio and verdict of an arm on lines of their own, the quantity alone for the base."""
    if arm not in case.arms:
        return Text("same as\nanother arm", style="dim")
    summary = case.summary.get(arm)
    middle = Text("not measured") if summary is None else Text(quantity(summary, metric), style="bold")
    return Text("\n").join([middle, *filter(None, against(case, arm, metric) or ())])
