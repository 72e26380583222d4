"""Evaluation points for a pipeline on a lazy array backend: all that it needs at run time.

MLX builds a graph of pending work and computes it when somebody asks. Where a pipeline asks is a decision
about the whole graph, not about one node. Everything here is a no-op for every other backend, and nothing
here imports MLX.

| call                      | what it does                                         | promise               |
|---------------------------|------------------------------------------------------|-----------------------|
| `materialize_array`       | one array, in one of the three modes                 | that of its mode      |
| `materialize`             | arrays, trees and messages, in one evaluation        | that of its mode      |
| `RunAheadWindow(depth)`   | submits this message, waits for the one `depth` back | `depth + 1` in flight |
| `EvaluateEvery(interval)` | waits on every `interval`-th message, else nothing   | graph `interval` deep |

The modes and their meaning follow `ezmsg.sigproc.materialize`. What MLX does in a call is cited from its
source by file and function, as of MLX 0.32.
"""

from placement_cli.materialize.arrays import NothingMaterialized
from placement_cli.materialize.evaluation import materialize, materialize_array
from placement_cli.materialize.every import EvaluateEvery
from placement_cli.materialize.mode import MaterializeMode
from placement_cli.materialize.window import RunAheadWindow

__all__ = [
    "EvaluateEvery",
    "MaterializeMode",
    "NothingMaterialized",
    "RunAheadWindow",
    "materialize",
    "materialize_array",
]
