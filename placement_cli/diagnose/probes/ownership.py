"""Probes of ownership: what holds a buffer, beside the array that a program sees."""

from __future__ import annotations

from placement_cli.diagnose.probes.donation import DONATION
from placement_cli.diagnose.probes.earlier import WHERE, Earlier, differing
from placement_cli.diagnose.probes.footprint import BUFFER_BYTES, SHAPE, fresh_array, settle
from placement_cli.diagnose.probes.memory_counters import COUNTERS
from placement_cli.diagnose.probes.probe import Observed, Probe
from placement_cli.diagnose.probes.rig import Rig
from placement_cli.units import format_duration, format_size

PARENT_SHAPE = (4096, 1024)
"""Shape of the array of which one row is kept."""
PARENT_BYTES, ROW_BYTES = 4096 * 1024 * 4, 1024 * 4
KEPT = 16
"""Outputs that are kept; with those dropped before them, all are evaluated one after the other."""
PAGE_BYTES = 16 * 1024
"""Allocators round an array up to so much at most."""


def _graph_references(rig: Rig) -> Observed:
    rig.quiet()
    result = rig.work()
    built = rig.pending_ops(result)
    submit_s = rig.timed(lambda: rig.mx.async_eval(result))
    left = rig.pending_ops(result)
    wait_s = rig.timed(lambda: rig.mx.eval(result))
    return Observed(
        built > 0 == left and rig.waited(wait_s),
        f"async_eval returned after {format_duration(submit_s)}; of {built} operations in the graph {left} were left,"
        f" and the result came {format_duration(wait_s)} later.",
        {"built_ops": built, "left_ops": left, "submit_s": submit_s, "wait_s": wait_s, "work_s": rig.work_s},
        differing(rig, (Earlier("The graph left after async_eval", 0, 0, "ops"), left)),
    )


def _numpy_view(rig: Rig) -> Observed:
    import numpy as np

    before = settle(rig)
    array = fresh_array(rig)
    view = np.asarray(array)
    del array
    pinned = int(rig.mx.get_active_memory()) - before
    del view
    after = int(rig.mx.get_active_memory()) - before
    return Observed(
        pinned >= BUFFER_BYTES and after < BUFFER_BYTES,
        f"{format_size(pinned)} stayed active after the array was deleted and its NumPy view kept, and"
        f" {format_size(after)} after the view was deleted too.",
        {"pinned_bytes": pinned, "after_bytes": after},
        differing(rig, (Earlier("What a NumPy view pinned", BUFFER_BYTES, BUFFER_BYTES, "bytes"), pinned)),
    )


def _slice_parent(rig: Rig) -> Observed:
    before = settle(rig)
    parent = fresh_array(rig, PARENT_SHAPE)
    row = parent[:1]
    rig.mx.eval(row)
    del parent
    viewed = int(rig.mx.get_active_memory()) - before
    copy = rig.mx.contiguous(row)
    rig.mx.eval(copy)
    del row
    copied = int(rig.mx.get_active_memory()) - before
    return Observed(
        viewed >= PARENT_BYTES and copied <= max(int(copy.nbytes), PAGE_BYTES),
        f"One row of {format_size(ROW_BYTES)} held {format_size(viewed)} after its array was deleted, its contiguous"
        f" copy {format_size(copied)}.",
        {"row_bytes": ROW_BYTES, "viewed_bytes": viewed, "copied_bytes": copied},
        differing(
            rig,
            (Earlier("What the row held", PARENT_BYTES, PARENT_BYTES, "bytes"), viewed),
            (Earlier("What the copy of the row held", ROW_BYTES, PAGE_BYTES, "bytes"), copied),
        ),
    )


def _kept_outputs(rig: Rig) -> Observed:
    source = fresh_array(rig)
    dropped, kept = _growth(rig, source, 1), _growth(rig, source, KEPT)
    each = (kept - dropped) / (KEPT - 1)
    return Observed(
        abs(each - BUFFER_BYTES) <= PAGE_BYTES and dropped <= BUFFER_BYTES + PAGE_BYTES,
        f"After {KEPT} evaluated outputs of {format_size(BUFFER_BYTES)} active memory had grown by {format_size(kept)}"
        f" with all of them kept, {format_size(each)} for each, and by {format_size(dropped)} with the last one kept.",
        {"kept_bytes": kept, "last_kept_bytes": dropped, "each_bytes": each},
        differing(rig, (Earlier("What each kept output held", BUFFER_BYTES, BUFFER_BYTES, "bytes"), each)),
    )


def _growth(rig: Rig, source: object, keep: int) -> int:
    """Return the bytes that are active more after KEPT outputs of which the last `keep` are kept."""
    before = settle(rig)
    outputs: list[object] = []
    for _ in range(KEPT):
        outputs = [*outputs, rig.mx.negative(source)][-keep:]
        rig.mx.eval(outputs[-1])
    return int(rig.mx.get_active_memory()) - before


OWNERSHIP = (
    Probe(
        "ownership.graph-references",
        "When async_eval returns, no operation is left in the graph although the work is still to be done.",
        _graph_references,
        ("timing", "memory"),
        reference=f"3 nodes before, none after 0.1 ms, with 348 ms of work to come ({WHERE})",
    ),
    *DONATION,
    Probe(
        "ownership.numpy-view",
        "A NumPy view of an array keeps its buffer after the array is deleted.",
        _numpy_view,
        ("memory",),
        reference=f"2 MiB stayed active ({WHERE})",
    ),
    Probe(
        "ownership.slice-parent",
        "A view of one row keeps the whole array's buffer, and mx.contiguous lets it go.",
        _slice_parent,
        ("memory",),
        reference=f"16 MiB stayed active until the row was copied ({WHERE})",
    ),
    *COUNTERS,
    Probe(
        "ownership.kept-outputs",
        "Keeping outputs makes active memory grow by the bytes of each.",
        _kept_outputs,
        ("memory",),
        reference=f"804 MiB at 400 kept outputs of {'x'.join(map(str, SHAPE))} float32, 2 MiB each ({WHERE})",
    ),
)
"""The probes of this group."""
