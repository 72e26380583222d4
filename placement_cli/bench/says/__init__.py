"""*What this says*: sentences computed from the verdicts, never stronger than they are."""

from placement_cli.bench.says.faults import fault_reason
from placement_cli.bench.says.scenario import say_scenario

__all__ = ["fault_reason", "say_scenario"]
