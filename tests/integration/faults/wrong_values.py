"""An MLX whose absolute value is not quite one."""

from __future__ import annotations

import sys

if "placement_cli.measure.worker" in sys.orig_argv:
    import mlx.core as mx

    right = mx.abs
    mx.abs = lambda array: right(array) * 1.01
