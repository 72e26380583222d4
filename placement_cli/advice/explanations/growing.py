"""PL101 to PL105: what grows, or does not fit."""

from __future__ import annotations

from placement_cli.advice.explanations.explanation import Explanation

GROWING = (
    Explanation(
        "PL101",
        "A carried state, or the whole graph, is never evaluated by anything that runs every cycle.",
        "Every message adds its operations to a graph that is only written down. Nothing that runs every cycle asks "
        "for a value that depends on the newest state, so the graph reaches back to the first message and keeps the "
        "inputs of all of them.",
        "Memory of the host grows with every message, and on Metal the number of buffers, until MLX refuses with its "
        "resource limit. The first read pays for the whole backlog at once. MLX's counters show the buffers, not the "
        "graph itself.",
        "For each carried state: how many messages pass until something evaluated depends on its newest value, in the "
        "worst pattern of output. Where that has no end, ops, bytes and buffers of one message give the number of "
        "messages until a limit is reached.",
        (
            "Set async on an output that depends on the newest state and comes on every message.",
            "Where no output depends on the state, pass the state to an evaluation that is there.",
            "In a long loop of tiny steps use every:K: the graph is then at most K messages deep.",
        ),
    ),
    Explanation(
        "PL102",
        "A carried value that no evaluated output depends on.",
        "A state is carried from message to message and nothing evaluated reads its newest value: a sum of metrics, an "
        "unused half of a cache, statistics for later.",
        "All seems to be evaluated, yet the graph behind this one value grows by a step a message and holds what each "
        "step read. Where steps are small the bytes look harmless and the count of buffers runs out first.",
        "For every evaluation point and every boundary: whether its value depends on the newest value of the state. "
        "A point before the state, or on another branch, does not.",
        (
            "Pass the state to an evaluation that is there: placement_cli.materialize(output, state, mode=...).",
            "Do not carry what nobody reads, or read it on every message.",
        ),
    ),
    Explanation(
        "PL103",
        "An evaluation point, or the only cover of a state, lies behind a node that withholds output.",
        "A node gives no output on some messages: a bin that is not full, a window that has not moved on. Behind it, "
        "nothing is evaluated on those messages.",
        "The next unit is not called at all, or gets an empty array made afresh, which hangs on nothing and forces "
        "nothing. States before the node pile up until the next output, and longer where output is left to chance.",
        "From `emits` of the nodes: the longest run of messages without output at the point, and the states for which "
        "nothing else is evaluated in that time. Output by chance has no longest run.",
        (
            "Put the point at or after every carried state and before the node that withholds.",
            "A state carried by that node or behind it is not reached from there: evaluate it inside the node.",
        ),
    ),
    Explanation(
        "PL104",
        "The host can run ahead until the bytes in flight pass the limit.",
        "With async the host goes on as soon as a message is submitted. Where it builds messages faster than the "
        "device finishes them, each one keeps its buffers until its turn comes.",
        "Memory rises to many times that of one message: in a replay with no reader to slow it down, far more than the "
        "same work needs with sync. mx.set_memory_limit does not brake streams of small messages on Metal.",
        "Messages that can be in flight (what the queue of the backend takes, the length of a recording, or the K of a "
        "window) times the bytes that one message keeps until it is done, against the stated limit or a share of "
        "memory. A live source that the device keeps up with never gets there.",
        (
            "Set window:K: it overlaps as async does, with at most K+1 messages in flight on every backend.",
            "sync bounds it too, for the price of the overlap.",
        ),
    ),
    Explanation(
        "PL105",
        "One message alone passes the memory limit.",
        "What a single message needs at its widest is more than the limit allows, whatever happens at its end.",
        "All that lies before an evaluation point is one submission, whose inputs, outputs and temporaries can be "
        "alive together for longer than the values are needed. A point at the end comes too late.",
        "The bytes that are alive at once, along the order of the nodes and from one point to the next, against the "
        "limit. Bytes are what counts: a rule by number of nodes puts too many points, and in the wrong places.",
        (
            "Set points inside the graph, each where the bytes since the last one reach what the limit leaves.",
            "Drop references to intermediates early, so that MLX reuses their buffers.",
            "Make messages smaller.",
        ),
    ),
)
