"""PL301 cross-stream, PL302 cross-thread, PL303 too-long: what submissions may meet on their way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placement_cli.advice.advice import Finding
from placement_cli.advice.findings.facts import Facts, finding, named
from placement_cli.advice.findings.versions import before
from placement_cli.advice.flow import FlowNode, Link
from placement_cli.advice.thresholds import CROSSING_S, LONG_SUBMISSION_S
from placement_cli.units import format_duration


def cross_stream(facts: Facts) -> Iterator[Finding]:
    """Yield PL301 for every reader on another stream or device than what it reads; copies of a node count once."""
    readers: dict[str, list[FlowNode]] = {}
    for link in _crossings(facts):
        readers.setdefault(facts.flow.nodes[link.reader].origin, []).append(facts.flow.nodes[link.sender])
    for reader, senders in readers.items():
        yield _crossing(facts, reader, senders)


def _crossings(facts: Facts) -> list[Link]:
    """Return the links between MLX nodes of one process that change the stream or the device."""
    nodes = facts.flow.nodes
    inside = [link for link in facts.flow.links if link.sender >= 0 and not facts.flow.crosses_process(link)]
    both = [link for link in inside if nodes[link.sender].mlx and nodes[link.reader].mlx]
    return [link for link in both if _place(facts, nodes[link.sender]) != _place(facts, nodes[link.reader])]


def _place(facts: Facts, node: FlowNode) -> tuple[str, str]:
    """Return stream and device of a node; one that names no device runs on that of the graph."""
    usual = facts.flow.graph.device or ("cpu" if facts.machine.kind == "cpu" else "gpu")
    return node.node.stream, node.node.device or usual


def _crossing(facts: Facts, reader: str, senders: Sequence[FlowNode]) -> Finding:
    wait_s = sum({sender.number: facts.load(sender).device_s for sender in senders}.values())
    says = f"{reader} runs on another stream or device than {named(senders)}, which it reads: one waits for the other."
    if facts.machine.kind == "cuda" and before(facts.flow.graph.platform.mlx, (0, 32, 4)):
        says += (
            " In CUDA builds before 0.32.4 async_eval itself blocks until the values are there, "
            f"{format_duration(wait_s)} here: ASYNC is no better than SYNC."
        )
    elif facts.machine.kind == "metal":
        says += f" About {format_duration(CROSSING_S)} a crossing were reported with the default settings of Metal."
    fix = "Keep one stream for a segment, or cross at one place only."
    if facts.machine.kind == "metal":
        fix += " MLX_METAL_FAST_SYNCH makes it cheaper, but such programs were seen to hang."
    return finding(
        "PL301",
        reader,
        "warning",
        says,
        fix,
        device_s=wait_s,
        crossing_s=CROSSING_S,
    )


def cross_thread(facts: Facts) -> Iterator[Finding]:
    """Yield PL302 for every node whose lazy output is handed to another thread."""
    readers: dict[str, list[FlowNode]] = {}
    for link in facts.flow.links:
        if facts.flow.crosses_thread(link) and facts.flow.nodes[link.sender].mlx:
            sender = facts.flow.nodes[link.sender]
            if facts.current[sender.name].period != 1:
                readers.setdefault(sender.origin, []).append(facts.flow.nodes[link.reader])
    old = before(facts.flow.graph.platform.mlx, (0, 31, 2)) and facts.flow.graph.platform.mlx is not None
    for sender_name, nodes in readers.items():
        says = f"{sender_name} is handed lazily to {named(nodes)} in another thread. "
        if old:
            says += "Builds before 0.31.2 evaluate it there, with races between the threads; later ones refuse."
        else:
            says += "Streams belong to their thread since MLX 0.31.2: evaluating there fails with 'There is no Stream'."
        fix = f"Evaluate {sender_name} (ASYNC is enough) in the thread that builds it."
        yield finding("PL302", sender_name, "warning" if old else "error", says, fix)


def too_long(facts: Facts) -> Iterator[Finding]:
    """Yield PL303 when one submission is so long that a watchdog or the latency limit is at risk."""
    longest, limit, period = facts.now.longest_s, facts.bounds.latency_s, facts.bounds.period_s
    late = limit is not None and longest > limit
    endangered = facts.machine.kind != "cpu" and _piece_s(facts) >= LONG_SUBMISSION_S
    if not late and not endangered:
        return
    says = f"One submission keeps the device busy for {format_duration(longest)}"
    if endangered:
        says += "; the system may end GPU work that takes a few seconds, and nothing else gets its turn meanwhile"
    if late and limit is not None:
        says += f"; the values are due after {format_duration(limit)}"
    fix = "Split it: evaluate at interior nodes, or process fewer samples at a time."
    if period is not None and facts.now.device_s > period:
        fix = (
            f"The device needs {format_duration(facts.now.device_s)} for a message that comes every "
            f"{format_duration(period)}: no placement changes that. Do less for each message, or send fewer."
        )
    yield finding("PL303", None, "error" if late else "warning", f"{says}.", fix, longest_s=longest)


def _piece_s(facts: Facts) -> float:
    """Return the device time of the longest piece that the system sees: MLX commits every so many ops by itself.

    Where streams wait for each other, the wait counts, and nothing is taken off.
    """
    ops, longest = facts.machine.costs.queue.buffer_ops, facts.now.longest_s
    if _crossings(facts):
        return longest
    kernels = sum(facts.load(node).kernels for node in facts.flow.mlx_nodes)
    return longest / max(1.0, kernels / ops)
