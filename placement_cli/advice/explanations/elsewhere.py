"""PL401 to PL902: what no placement can win, and what is not known."""

from __future__ import annotations

from placement_cli.advice.explanations.explanation import Explanation

ELSEWHERE = (
    Explanation(
        "PL401",
        "The work is too small for the device: the host would be faster.",
        "The arrays are so small that building, launching and reading back take longer than computing.",
        "Every operation has a price that does not depend on its size. No placement of evaluation points lowers it.",
        "Build, submission and round trip of a message against what the same arithmetic would take on the host, from "
        "the sizes of the arrays.",
        (
            "Compute this part with NumPy (backend: host).",
            "Put more samples into a message, or several messages into one.",
            "Let mx.compile join small operations.",
        ),
    ),
    Explanation(
        "PL402",
        "Hops between processes or units cost more than any placement can win.",
        "A message is handed on so often that the handing takes the time.",
        "Each unit in one process adds tens of microseconds, each process more: values are forced, copied or pickled, "
        "since shared memory cannot carry MLX arrays. That is time of the host, paid with any placement.",
        "Edges between processes and units with their costs, where known, against the difference between the best "
        "placement and today's.",
        (
            "Join units in a composite, and processes that need no separation.",
            "Evaluate inside a unit that is there, not in a unit of its own.",
            "Measure a hop before anything else.",
        ),
    ),
    Explanation(
        "PL403",
        "The device idles so long between messages that back-to-back costs do not hold.",
        "Messages come so rarely that the device rests most of the time.",
        "Clocks fall in a pause and memory may be unwired, so that the first work afterwards is slower than in a tight "
        "loop, where most costs were measured. Throughput is no question then, latency is.",
        "The busy share and the idle time that the model predicts at this rate, against those at which costs were "
        "measured. `device_after_idle` of a node, where given, is used instead.",
        (
            "Measure at the real rate (`placement bench` has a paced scenario) and state device_after_idle.",
            "Choose by latency, not by throughput.",
        ),
    ),
    Explanation(
        "PL404",
        "A weight matrix has block structure worth using.",
        "Many weights of a matrix are zero, and they lie in blocks, as they stand or after reordering channels.",
        "The dense product multiplies the zeros too. A product by blocks can be several times as fast, and more than "
        "any placement wins here.",
        "The structure found in the file under `weights`, or stated under `blocks`; then the predicted time of every "
        "way of computing for the samples of one message, by the costs of this machine where a profile has them.",
        (
            "Run `placement plan FILE --samples N` to see the ways, and --measure to be sure.",
            "Use placement_cli.plan_block_matmul in the pipeline.",
        ),
    ),
    Explanation(
        "PL405",
        "The first messages pay compilation or allocation.",
        "Kernels are made ready, functions compiled and memory taken on first use, each for its own shapes and types.",
        "A first message can take many times as long as later ones. In a live stream it comes late, and those "
        "behind it queue up.",
        "A live source with a latency limit, and nodes whose first run costs more than that limit leaves, as far as "
        "the profile and the operators tell.",
        (
            "Send a few messages of every shape through before going live, those of rare branches too, with sync.",
            "Evaluate weights and constants at the start.",
        ),
    ),
    Explanation(
        "PL901",
        "The symptom has another cause than evaluation points.",
        "What was observed cannot come from where the graph evaluates, by any placement of its points.",
        "Moving points would change nothing, and look like a cure where chance helped.",
        "The numbers under `observed` against what the model can produce with its intervals: a cache far above what "
        "is active, a device that idles through long steps, memory above all that the graph can hold.",
        (
            "A large cache is MLX's pool of free buffers: mx.set_cache_limit bounds it; clear it outside the loop.",
            "Slow steps on an idle device: see whether the weights stay wired (mx.set_wired_limit).",
            (
                "Growing active memory: look for references that are kept, and for compiled functions traced once for "
                "every new shape (pad to a few lengths)."
            ),
        ),
    ),
    Explanation(
        "PL902",
        "Too little is known to advise.",
        "The advice rests on assumptions, and within them another placement could be the better one.",
        "Wrong advice that sounds sure is worse than none.",
        "Costs that are neither stated nor in the profile, a profile that is published or assumed, and whether the "
        "interval of the gain includes none.",
        (
            "State the costs that the advice names as assumed, the largest first.",
            "Run `placement fit-costs` on the machine that will run the graph.",
            "Let `placement advise --verify` measure the candidates.",
        ),
    ),
)
