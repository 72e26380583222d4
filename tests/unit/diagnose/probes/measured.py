"""What every observation of a measuring probe must have."""

import math

from placement_cli.diagnose.probes.probe import Observed

UNITS = ("_bytes", "_s", "_ops", "_calls", "_dispatches", "_buffers", "_messages", "messages")
"""How the key of a number ends: with its unit."""


def assert_measured(observed: Observed) -> None:
    """Assert that it was executed, with a sentence and finite numbers that have their unit in the key."""
    assert observed.not_run is None
    assert observed.says.endswith(".")
    assert observed.numbers
    for key, value in observed.numbers.items():
        assert key.endswith(UNITS), key
        assert isinstance(value, (int, float)), key
        assert math.isfinite(value), key
