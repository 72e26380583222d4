"""PL501 to PL503: clocks that measure something else, and evaluations of nothing."""

from __future__ import annotations

from placement_cli.advice.explanations.explanation import Explanation

TIMING = (
    Explanation(
        "PL501",
        "A clock is stopped before the work it should measure is done.",
        "Between two reads of a clock arrays are built or submitted, and nothing waits for them.",
        "Building takes a microsecond for each operation, whatever its size. The time of the work is charged to "
        "whoever waits for it later, and two programs measured this way compare nothing.",
        "Pairs of reads of a clock in one function of a traced program: what was built or submitted between them, "
        "whether anything waited before the second one, and how long the next wait took. A pair is left alone where a "
        "later read of the clock takes in that wait.",
        (
            "Call mx.eval on the outputs before the second read.",
            "To measure submission on purpose, read the clock once more after the wait.",
        ),
    ),
    Explanation(
        "PL502",
        "A clock runs while inputs are made.",
        "Random or other input is built lazily before or after the clock starts, and computed while it runs.",
        "What is lazy is computed by the first evaluation that needs it: the generator is then measured together with "
        "the work, in every trial where the input is made anew, else in the first one.",
        "Pairs of reads of a clock in one function of a traced program: generators called in that function between "
        "them, and generated arrays that were still lazy when the clock was started.",
        (
            "Build the inputs before the clock starts, and evaluate them there with mx.eval.",
            "Leave out the first trials.",
        ),
    ),
    Explanation(
        "PL503",
        "An evaluation receives no array.",
        "mx.eval and mx.async_eval look into lists, tuples and dictionaries. What else they are given, such as a "
        "dataclass, a set or a message object, they pass over without an error.",
        "The call does nothing: nothing is computed, nothing waited for, and the graph grows as if it were not there.",
        "Every evaluation in a traced program whose arguments hold no array, and whether an argument has fields that "
        "do.",
        (
            "Name the arrays: mx.eval(message.data, message.state).",
            "Or evaluate a tuple or dictionary of its fields.",
        ),
    ),
)
