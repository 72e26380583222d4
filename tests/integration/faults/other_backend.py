"""A build of MLX for another backend, as far as it says itself."""

from __future__ import annotations

import sys

if "placement_cli.measure.worker" in sys.orig_argv:
    from placement_cli.device import mlx_device

    mlx_device._backend = lambda _core, _name: "another"
