"""From where on something is said: every threshold of the findings of a trace, named once, with its reason."""

from __future__ import annotations

LOOKS = 4
"""A rise is called growth from so many different values on: four in order by chance are one case in 24."""
GREW_TIMES = 4.0
"""The last look at something that grows is so many times the first: with even looks that is one rise for each."""
GREW_OPS = 50
"""Fewer pending operations than this are what one message of an ordinary pipeline may well have."""
STEADY = 4.0
"""Growth from look to look is within this factor of its mean: what falls between two looks would not be so even."""
SAME_CHAIN = 0.9
"""Variables whose pending operations differ by less are taken to stand on the same chain."""
JUST_COUNTED = 0.1
"""A graph that grew by no more than this share since it was last counted is not told again."""
TICK_S = 1e-3
"""Looks at variables are no closer together."""
MANY_OPS = 1000
"""So many pending operations keep about a megabyte of the host (one kilobyte each was measured), and still grow."""
BUFFERS = 499_000
"""Buffers at which Metal refuses to make more: its `resource_limit` on today's machines (mlx issue 2676)."""
BACKLOG_OPS = 5000
"""Operations in one evaluation from which on it is a backlog: models of today have hundreds a step."""
LARGE_BACKLOG_OPS = BUFFERS // 10
"""A backlog that fails when the program runs ten times as long."""
LOOPED_OPS = 1000
"""A line that built so many operations for one evaluation is in a loop without an evaluation: no model is so deep."""
REPEATED = 8
"""What happened so often is what the program does each time, not what it did on its way there."""
MAJORITY = 0.5
"""What holds for more than half of the cases is the rule."""
MOST = 0.75
"""Share of looks that have to be even: the first ones come so fast that little happens between them."""
WORTH_S = 0.02
"""Seconds below which no change is worth it in a run: the noise of starting a process is larger."""
RUN_SHARE = 0.05
"""Share of a run that is worth a change: what rerunning a program differs by is less."""
BLOCKED_SHARE = 0.2
"""Share of all the time spent waiting from which on one place matters even where the program mostly does other work."""
OVERLAP_SHARE = 0.25
"""Share of a cycle that overlap has to save: host work that competes for memory and cores loses some of it again."""
FEW_OPS = 4
"""A cast, an index and a reduction: so few operations are made for reading itself, and are no part of the work."""
LOOP_S = 0.05
"""An asyncio loop that stands longer than this is late for what a person notices or a stream of 20 messages a second
brings."""
STALL_S = 0.001
"""A submission takes microseconds; one that takes a millisecond has waited."""
STALLS = 3
"""Fewer long submissions are kernels that were used for the first time."""
STALL_TIMES = 5.0
"""A submission so much longer than the short ones has waited: graphs of one program do not differ so."""
STALL_SHARE = 0.1
"""Share of a run spent in long submissions that is worth knowing: as in advice on graphs (STALL_SHARE there)."""
SHORT_CALLS = 0.1
"""The short calls are those below this quantile: behind a full queue most calls are long."""
COLD_TIMES = 5.0
"""A first call so much longer than the later median is no noise: timings of one thing differ by less than half that."""
COLD_CALLS = 4
"""Later calls, and the first, that a median needs."""
RETRACES = 8
"""Traces of one function from which on they come with the messages: dtypes and a last, shorter batch make a few."""
MISSED_S = 0.001
"""A wait shorter than this after a synchronize is that of a call, not of work that was missed."""
MISSED_TIMES = 5.0
"""The wait after a synchronize that missed the work is so much longer than the synchronize itself."""
CLOCK_TIMES = 2.0
"""The wait after a clock was stopped is so much longer than what it showed: more than half was left out."""
CLOCK_S = 0.001
"""Waits below a millisecond in all are what evaluating the rest of a message costs."""
GENERATED_LAZY = 2
"""Inputs that were still lazy at the start of so many pairs are made anew for each trial."""
KEPT_BYTES = 16 << 20
"""Bytes from which on keeping arrays is no small matter: half of the cache that MLX itself keeps on a CPU (32 MiB)."""
KEPT_SHARE = 0.5
"""Share of the growth of active memory that what is named has to explain."""
CACHE_BYTES = 64 << 20
"""A cache below twice what MLX keeps on a CPU by itself (32 MiB) is no finding."""
CACHE_TIMES = 2.0
"""A cache so much larger than what was ever in use holds buffers that nothing asks for again."""
CACHE_GREW = 1.1
"""Growth through the second half of a run that is more than the last odd buffer."""
SIZES = 8
"""So many different sizes at one point are messages of changing length."""
CLEARS = 10
"""Clearing the cache so often is part of a loop."""
NAMES = 3
"""So many names are told; the others are counted."""
