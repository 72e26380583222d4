"""An operator that raises: in a process that measures there is no absolute value."""

from __future__ import annotations

import sys

if "placement_cli.measure.worker" in sys.orig_argv:
    import mlx.core as mx

    def abs(_array: object) -> None:  # noqa: A001 - it takes the place of mx.abs
        """Fail as an operator of a broken build does."""
        raise RuntimeError("this build has no abs")

    mx.abs = abs
