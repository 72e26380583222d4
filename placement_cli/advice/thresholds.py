"""From where on something is said: every threshold of the findings, named once."""

from __future__ import annotations

NOTICEABLE = 0.03
"""Share of the time per message below which a change is no finding: the smallest effect that `bench` claims."""
BLOCKING_GAIN = 0.01
"""A SYNC that could be a window is reported from this gain on: the change costs nothing."""
ROUNDING = 1e-6
"""Shares below this are rounding."""
SHORTEST_S = 1e-6
"""Gains below a microsecond a message are no finding either."""
MUCH_MORE_MEMORY = 1.1
"""A placement that needs so much more memory than today's is not the same for less."""
MOST_OF_THE_WORK = 0.8
"""A placement with less than this share of the device work leaves some of it out: idling explains no more."""
MANY_OUTPUTS = 4
"""From so many outputs on their separate calls are more than a note."""
MOST_OF_A_CODE = 5
"""Of more findings of one code and severity the rest are told as one."""
MOST_JUDGED = 100
"""Up to so many points are judged one by one, each with a play of the whole graph."""
LARGE_BYTES = 1 << 30
"""Bytes in flight that are reported where no limit was stated."""
STALL_SHARE = 0.1
"""Share of the time per message that the host stands before a full queue before it is reported."""
LONG_SUBMISSION_S = 2.0
"""Work in one piece for longer than this is in danger: watchdogs end GPU work after about five seconds (mlx issue
3830), and times vary by a factor of two."""
CROSSING_S = 0.18e-3
"""From one stream or device to another on Metal, with default settings: 150 to 200 us (mlx issues 1979 and 4438)."""
HOST_FASTER = 0.5
"""The host is called faster when its estimated time is below this share of the device's way."""
HOST_OP_S = 1.5e-6
"""One NumPy operation on a few elements, read off the call cost of NumPy ufuncs."""
HOST_BYTE_S = 4e-11
"""One byte that a NumPy operation moves: 25 GB/s, one core of today's machines (600 x 600 float32 are summed in 54 us,
mlx issue 2132)."""
HOST_FLOP_S = 2e-11
"""One floating-point operation of a matrix product on one core: 50 GFLOP/s."""
HOST_FLOP_METAL_S = 1e-12
"""The same with the matrix units of Apple's CPUs: about 1 TFLOP/s (512 x 512 in 0.21 ms and 2048 x 2048 in 19 ms, C-ML
pull request 9)."""
LONG_IDLE_S = 0.2
"""Idling for longer than this changes what device work takes: 56 ms became 63 ms with pauses of 0.2 to 1 s, and 320 ms
beyond (llama.cpp pull request 10119)."""
SLOW_AFTER_IDLE = 1.2
"""A device time after idling that is so much longer is reported."""
FIRST_USE_S = 0.01
"""What the first use of a kernel takes on a GPU, compiling included: 10 to 26 ms were reported (mlx issue 1192)."""
BLOCK_GAIN = 1.2
"""A block structure is reported when it makes a product so much faster."""
FAR_OFF = 3.0
"""An observed step so much longer than any placement explains has another cause."""
FAR_OFF_BYTES = 4.0
"""Active memory so much larger than what is in flight is held by something else."""
LITTLE_KERNEL_S = 1e-3
"""Work of unknown kernels has at least one for so much of its device time."""
CACHE_SHARE = 2.0
"""A buffer cache so much larger than what is active, and than LARGE_BYTES, is a matter of its own."""
UNSURE_RATIO = 1.1
"""Where unknown costs change the gain by more than this, they must be measured first."""
NEAR_LIMIT = 0.8
"""Share of the time between messages from which on a live graph has no reserve (cost-models.md 4.1)."""
BACKLOG_MESSAGES = 10_000
"""Growth is shown for so many messages where their number is not known."""
