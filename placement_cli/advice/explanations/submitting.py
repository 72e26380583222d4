"""PL201 to PL207: what evaluation points cost, and what they could win."""

from __future__ import annotations

from placement_cli.advice.explanations.explanation import Explanation

SUBMITTING = (
    Explanation(
        "PL201",
        "Evaluating at every node costs more host time than it hides.",
        "Several nodes of one segment are each evaluated by themselves, although the last one covers them all.",
        "Every point is a submission: the host walks the graph, encodes and commits. It also takes from MLX the reuse "
        "of buffers between the nodes, so that more memory is in use.",
        "The submission cost of every point, from the profile, against the device work that it starts earlier. "
        "Starting early is worth something only where the host has enough left to do before its next submission; that "
        "needs large arrays.",
        (
            "Keep the point at the end of the segment and set the others to off.",
            "Keep points inside where a memory limit needs them, or correctness (pinned: true).",
        ),
    ),
    Explanation(
        "PL202",
        "A boundary or another point makes this evaluation point void.",
        "What is evaluated here is forced right after anyway: by a host node, by the way to another process, or by "
        "another point that depends on it.",
        "The point costs a submission, with sync a whole round trip, and starts nothing earlier that could be hidden.",
        "Whether something else forces the same values on every message on which this point does, and whether host "
        "work lies in between that the device could overlap. A point that covers a state on more messages is not void.",
        ("Set it to off. With nothing to overlap, leaving it to the boundary is the fastest.",),
    ),
    Explanation(
        "PL203",
        "A node reads values on the host in the middle of a segment.",
        "item(), tolist(), float() or bool() of an array, print, np.asarray, or an `if` on an array: each of them "
        "evaluates and waits, in the middle of work that could have stayed lazy.",
        "The host waits for everything queued so far and for a round trip, and builds nothing meanwhile; then the "
        "device waits for the host. What was meant to overlap comes one after the other.",
        "From `forces` of the node or of its operator, where device work depends on it or follows it. What it costs is "
        "the wait that the model predicts at this place, against the same graph without it.",
        (
            "Keep the decision on the device (mx.where), or keep the value on the host from the beginning.",
            "Read the value of the message before (lag: 1), which as a rule is done by then.",
            "Move the reading to the end of the segment, behind its evaluation point.",
        ),
    ),
    Explanation(
        "PL204",
        "A SYNC where ASYNC or a window gives the same guarantee for less.",
        "The host waits here for values that nobody reads here.",
        "sync pays the round trip and gives away the time in which the host could build the next message. async "
        "detaches the graph all the same, at once.",
        "Whether anything on the host needs the values at this place; whether limits of memory and latency hold "
        "without the wait; and whether time per message falls by more than the error of the prediction.",
        (
            "Set async; where memory has to be bounded, window:K.",
            (
                "Keep sync, and pin it, where the values are read at once, where work may fail and the error must show "
                "here, or where the next message is made from this one."
            ),
        ),
    ),
    Explanation(
        "PL205",
        "Evaluation is left to a boundary although host work stands in between.",
        "The device segment is built and stays lazy. The host then works on something else, and only the boundary "
        "behind it sets the device to work.",
        "The device idles while the host works, and then the host waits for the device: times add up that could have "
        "overlapped.",
        "The device work pending at the boundary and the host work before it: the smaller of the two is what overlap "
        "can win, against the price of one submission. Work of the host that takes all cores hardly overlaps where "
        "MLX itself runs on the CPU.",
        ("Set async at the end of the segment, before the host work.",),
    ),
    Explanation(
        "PL206",
        "Branches are evaluated one by one instead of once where they join.",
        "A segment splits, every branch has a point of its own, and the branches meet again.",
        "Each branch costs a submission. One point at the join covers all branches and their states.",
        "Points on two or more branches from one node, where a later node depends on all of them and is or can be "
        "evaluated on every message; their submissions against the one at the join.",
        (
            "Set one point at the join and the branches to off.",
            "Where branches do not meet, evaluate their outputs in one call.",
        ),
    ),
    Explanation(
        "PL207",
        "async blocks the host here.",
        "The call of mx.async_eval itself waits, because the backend takes no more work.",
        "The CPU backend bounds the operations it holds, Metal the command buffers of a queue and those that fill up "
        "during an evaluation. At the bound the host waits inside the call, and host time becomes device time.",
        "Ops, kernels and evaluations per message and messages in flight, against the rules of the queue of this "
        "backend; and whether the host submits faster than the device works.",
        (
            "Nothing is lost in the long run where the device sets the pace; what suffers is the host's other work.",
            "Set window:K to wait at a place of your choice, with the memory bounded as well.",
            "Have fewer ops per message (mx.compile joins elementwise ones) and fewer points.",
        ),
    ),
)
