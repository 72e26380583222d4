"""Every worker ends without a word in its first sample, as one does that the system kills for its memory."""

from __future__ import annotations

import os
import sys

if "placement_cli.measure.worker" in sys.orig_argv:
    from placement_cli.measure.readings import stream

    stream.take_stream = lambda *_: os._exit(9)
