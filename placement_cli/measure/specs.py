"""What is measured: cases and the arms that compete in them, as plain values that travel to the workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from placement_cli.graph.mode import OFF, Mode, ModeKind, parse_mode
from placement_cli.graph.pipeline import ParameterValue, Pipeline


class Reading(StrEnum):
    """How the messages of one sample are fed and what is read off them."""

    STREAM = "stream"
    """Messages back to back, then the fence: time per message, bytes in flight."""
    BURST = "burst"
    """A few messages, the fence, and again: the host's price of building and submitting, with no queue."""
    QUEUE = "queue"
    """Messages behind work that holds the device: the call at which the host stalls."""
    PENDING = "pending"
    """Messages with the ops and bytes still pending after each, then the cost of evaluating the rest."""
    PACED = "paced"
    """Messages that arrive at a fixed rate: the latency of each, and the host time left free."""


class Workload(StrEnum):
    """Whose implementation of the operators runs; host work is this program's own in either."""

    BUILTIN = "builtin"
    """The operators' own."""
    EZMSG = "ezmsg"
    """The processors of ezmsg-sigproc."""


ArmMode = ModeKind
"""What the evaluation points of an arm do."""
MIXED = "mixed"
"""The label of an arm whose points do not all have one mode."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One competitor: which mode, at the outputs of which nodes.

    `name` is the arm as the user writes it (`async@every-node`, `window:4`). `sites` are node names of the
    case's pipeline, in its order. `depth` is the K of `window:K` and `every:K`. With `state` the carried state
    of all nodes is evaluated too; with `values` every message ends in a conversion of its output to NumPy.
    `inject` makes every sample longer by this share, which a self-test uses to see whether that is noticed.
    `modes` is empty but for a placement, an arm in which every node has a mode of its own; see `placed`.
    """

    name: str
    mode: ArmMode
    sites: tuple[str, ...] = ()
    depth: int = 0
    state: bool = False
    values: bool = False
    inject: float = 0.0
    modes: Mapping[str, Mode] = field(default_factory=dict, hash=False)

    @classmethod
    def placed(cls, name: str, modes: Mapping[str, Mode], *, state: bool = False, values: bool = False) -> Arm:
        """Return the placement that gives each node the mode in `modes`, which are in the pipeline's order.

        Its sites are the nodes that do not have `off`; `mode` and `depth` are those of the last of them.
        """
        points = {site: mode for site, mode in modes.items() if mode.submits}
        last = next(reversed(points.values()), OFF)
        return cls(name, last.kind, tuple(points), last.depth, state, values, modes=dict(modes))

    @property
    def points(self) -> dict[str, Mode]:
        """The mode at each site."""
        return {site: self.modes.get(site) or Mode(self.mode, self.depth) for site in self.sites}

    @property
    def label(self) -> str:
        """The mode as graph.yaml writes it, `mixed` where the sites do not all have one."""
        if len(set(self.points.values())) > 1:
            return MIXED
        return f"{self.mode}:{self.depth}" if self.depth else str(self.mode)

    def to_json(self) -> dict[str, Any]:
        """Return the arm as plain JSON values; `modes` is there for a placement alone."""
        modes = {"modes": {node: str(mode) for node, mode in self.modes.items()}} if self.modes else {}
        return {
            "name": self.name,
            "mode": str(self.mode),
            "sites": list(self.sites),
            "depth": self.depth,
            "state": self.state,
            "values": self.values,
            "inject": self.inject,
            **modes,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Arm:
        """Read what `to_json` wrote; raises ValueError for modes that are none."""
        return cls(
            data["name"],
            ArmMode(data["mode"]),
            tuple(data["sites"]),
            data["depth"],
            data["state"],
            data["values"],
            data["inject"],
            {node: parse_mode(mode) for node, mode in data.get("modes", {}).items()},
        )


@dataclass(frozen=True, slots=True)
class Case:
    """One point of a scenario's grid and the arms compared there.

    `params` are the values of the axes. `messages` is how many one sample holds (0: chosen so that a sample is
    long enough); `rate` in messages per second and `duration_s` belong to paced readings alone.
    `base` names the arm every other is compared with, `workload` says whose operators run.
    """

    id: str
    scenario: str
    reading: Reading
    pipeline: Pipeline
    arms: tuple[Arm, ...]
    base: str
    params: Mapping[str, ParameterValue] = field(default_factory=dict)
    messages: int = 0
    rate: float = 0.0
    duration_s: float = 0.0
    workload: Workload = Workload.BUILTIN

    def arm(self, name: str) -> Arm:
        """Return the arm called `name`; raises KeyError when there is none."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise KeyError(name)

    @property
    def others(self) -> Sequence[Arm]:
        """The arms that are compared with the base."""
        return [arm for arm in self.arms if arm.name != self.base]

    def to_json(self) -> dict[str, Any]:
        """Return the case as plain JSON values."""
        return {
            "id": self.id,
            "scenario": self.scenario,
            "reading": str(self.reading),
            "pipeline": self.pipeline.to_json(),
            "arms": [arm.to_json() for arm in self.arms],
            "base": self.base,
            "params": dict(self.params),
            "messages": self.messages,
            "rate": self.rate,
            "duration_s": self.duration_s,
            "workload": str(self.workload),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Case:
        """Read what `to_json` wrote, also before there was a choice of workloads."""
        return cls(
            data["id"],
            data["scenario"],
            Reading(data["reading"]),
            Pipeline.from_json(data["pipeline"]),
            tuple(Arm.from_json(arm) for arm in data["arms"]),
            data["base"],
            data["params"],
            data["messages"],
            data["rate"],
            data["duration_s"],
            Workload(data.get("workload", Workload.BUILTIN)),
        )
