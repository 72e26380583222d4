"""The control: a second process of the base, which shows what identical code differs by."""

CONTROL = "control"
"""What it is called among samples, summaries and processes; it is no arm of a case."""
