"""PL301 cross-stream, PL302 cross-thread, PL303 too-long: what submissions may meet on their way."""

from __future__ import annotations

from collections.abc import Iterator

from placement_cli.advise.advice import Finding
from placement_cli.advise.findings.facts import Facts, finding, listed
from placement_cli.advise.flow import FlowNode, Link
from placement_cli.advise.thresholds import LONG_SUBMISSION_S
from placement_cli.units import format_duration


def cross_stream(facts: Facts) -> Iterator[Finding]:
    """Yield PL301 for every reader on another stream or device than what it reads."""
    for node in facts.flow.mlx_nodes:
        senders = [facts.flow.nodes[link.sender] for link in _between(facts, node) if _apart(facts, link)]
        if senders:
            yield _crossing(facts, node, senders)


def _between(facts: Facts, node: FlowNode) -> list[Link]:
    links = facts.flow.inputs.get(node.number, ())
    return [link for link in links if link.sender >= 0 and facts.flow.nodes[link.sender].mlx]


def _apart(facts: Facts, link: Link) -> bool:
    sender, reader = facts.flow.nodes[link.sender].node, facts.flow.nodes[link.reader].node
    return not facts.flow.crosses_process(link) and (
        sender.stream != reader.stream or (sender.device or "") != (reader.device or "")
    )


def _crossing(facts: Facts, node: FlowNode, senders: list[FlowNode]) -> Finding:
    wait_s = sum(facts.load(sender).device_s for sender in senders)
    names = listed(sender.name for sender in senders)
    says = f"{node.name} runs on another stream or device than {names}, which it reads: each waits for the other there."
    if facts.machine.kind == "cuda":
        says += (
            " On CUDA builds before 0.32.4 async_eval itself then blocks until that is done, "
            f"{format_duration(wait_s)} here: ASYNC gives no overlap."
        )
    elif facts.machine.kind == "metal":
        says += " Between CPU and GPU about 0.18 ms a crossing were reported with default settings."
    yield_from = "Keep one stream for a segment"
    return finding(
        "PL301",
        node.name,
        "warning",
        says,
        f"{yield_from}, or cross at one place only; never turn on MLX_METAL_FAST_SYNCH for it unseen.",
        device_s=wait_s,
    )


def cross_thread(facts: Facts) -> Iterator[Finding]:
    """Yield PL302 for every node whose lazy output is handed to another thread."""
    for node in facts.flow.mlx_nodes:
        readers = [
            facts.flow.nodes[link.reader]
            for link in facts.flow.readers.get(node.number, ())
            if facts.flow.crosses_thread(link)
        ]
        if not readers or facts.current[node.name].period == 1:
            continue
        says = (
            f"{node.name} is handed lazily to {listed(reader.name for reader in readers)} in another thread. Since MLX "
            "0.31.2 streams belong to their thread: evaluating there raises 'There is no Stream in current thread'."
        )
        yield finding(
            "PL302",
            node.name,
            "error",
            says,
            f"Evaluate {node.name} (ASYNC is enough) in the thread that builds it.",
        )


def too_long(facts: Facts) -> Iterator[Finding]:
    """Yield PL303 when one submission is so long that a watchdog or the latency limit is at risk."""
    longest, limit = facts.now.longest_s, facts.bounds.latency_s
    late = limit is not None and longest > limit
    if facts.machine.kind == "cpu" and not late:
        return
    if longest < LONG_SUBMISSION_S and not late:
        return
    says = f"One submission keeps the device busy for {format_duration(longest)}"
    if longest >= LONG_SUBMISSION_S and facts.machine.kind != "cpu":
        says += "; a system ends GPU work that lasts a few seconds, and nothing else gets its turn meanwhile"
    if late and limit is not None:
        says += f"; the values are due after {format_duration(limit)}"
    yield finding(
        "PL303",
        None,
        "error" if late else "warning",
        f"{says}.",
        "Split it: evaluate at interior nodes, or process fewer samples at a time.",
        longest_s=longest,
    )
