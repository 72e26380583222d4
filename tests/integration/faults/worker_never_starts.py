"""No worker gets as far as its first answer."""

from __future__ import annotations

import os
import sys

if "placement_cli.measure.worker" in sys.orig_argv:
    sys.stderr.write("the library is broken\n")
    sys.stderr.flush()
    os._exit(9)
