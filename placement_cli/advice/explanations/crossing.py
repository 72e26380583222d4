"""PL301 to PL304: streams, threads and submissions that are too long."""

from __future__ import annotations

from placement_cli.advice.explanations.explanation import Explanation

CROSSING = (
    Explanation(
        "PL301",
        "An edge between two streams or devices.",
        "A node reads what was computed on another stream or another device.",
        "The two are kept in order by events or fences, which cost many times the launch of a kernel. Some builds of "
        "the CUDA backend wait for the other stream on the host: async is then a sync, and overlaps nothing.",
        "Every edge whose ends name different streams or devices, times what a change costs by the profile, where it "
        "knows; and whether the backend is one that waits on the host.",
        (
            "Keep a segment on one stream.",
            "Where it must change, change once a message, and submit the work before the change with async first.",
            "MLX_METAL_FAST_SYNCH makes changes cheaper, and has been seen to hang with several streams.",
        ),
    ),
    Explanation(
        "PL302",
        "A lazy array is handed to another thread.",
        "One thread builds an array, another one uses it, and it was not evaluated in between.",
        "Since MLX 0.31.2 every thread has streams of its own. To evaluate there what was built here raises a "
        "RuntimeError about a stream that is not in this thread; before, it could crash. An array that is evaluated, "
        "or in flight, may be used anywhere.",
        "Every edge between nodes of different `thread` in one process whose value is still lazy when it is handed "
        "over, on every message or on some.",
        (
            "Set async on the output, in the thread that builds it: that is enough, the other thread waits if needed.",
            "The same for what is made at the start: taps of filters, zeros, weights.",
        ),
    ),
    Explanation(
        "PL303",
        "One submission is so long that the latency limit or a watchdog is at risk.",
        "Between two evaluation points lies more device work than should go off in one piece.",
        "There is one event for each call: whoever waits for an early value of it waits for all of it, and what other "
        "work queues on this stream waits behind. Systems end work of a GPU that runs for seconds.",
        "The device time from one point to the next, against the latency limit and against the time after which "
        "systems are known to end GPU work.",
        (
            "Split it with async inside, so that each part is short.",
            "Evaluate what is wanted early in a call of its own.",
        ),
    ),
    Explanation(
        "PL304",
        "A synchronize that waits for another stream than the one at work.",
        "mx.synchronize() waits for one stream: the default stream of the calling thread, or the one it is given. "
        "Work that was submitted to another stream goes on.",
        "A clock stopped after it stops too early, and memory that is given back or counted after it is still in use.",
        "Every synchronize in a traced program, against the streams to which work was submitted since they were last "
        "waited for; and how long the next wait took.",
        (
            "Evaluate the outputs themselves: mx.eval(outputs) waits for whatever computes them.",
            "Or call mx.synchronize(stream) for every stream in use.",
        ),
    ),
)
