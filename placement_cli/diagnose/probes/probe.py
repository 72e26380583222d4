"""What a probe is: a claim in one sentence, and what executes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from placement_cli.diagnose.probes.rig import Rig

Outcome = Literal["passed", "failed", "not-run"]
GROUPS = ("boundary", "ordering", "ownership", "back-pressure", "zero-size", "threads", "timing", "transforms")
"""Groups of probes, in the order they are shown; the id of a probe begins with its group."""
TIME_LIMIT_S = 30.0
"""A probe that is not done by then is ended, and reported as failed."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What executing a probe showed: whether its claim held, in a sentence with numbers.

    `numbers` have their unit in the key and hold what the sentence rests on. `differs` says in a sentence where a
    number is not what was measured before on this backend (see Probe.reference), also when the claim held.
    `not_run` is the reason when it could not be executed here; then `held` means nothing.
    """

    held: bool
    says: str
    numbers: Mapping[str, float | str | None] = field(default_factory=dict)
    differs: str | None = None
    not_run: str | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """A claim about MLX and what executes it in a process of its own.

    `claim` is one sentence in the present tense. `run` is given a fresh rig. `backends` are those the claim is about;
    elsewhere the probe is not run. `reference` says what was measured before and where (backend and version), or is
    empty; it is shown beside what is observed. `symptoms` are those that it bears on: timing, memory, ordering, crash.
    """

    id: str
    claim: str
    run: Callable[[Rig], Observed]
    symptoms: tuple[str, ...]
    backends: tuple[str, ...] = ("metal", "cuda", "cpu")
    reference: str = ""
    limit_s: float = TIME_LIMIT_S

    @property
    def group(self) -> str:
        """The group, from the id."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Result:
    """One probe with its outcome; `reason` says why it failed by accident or was not run, else None."""

    probe: Probe
    outcome: Outcome
    observed: str
    numbers: Mapping[str, Any]
    differs: str | None
    reason: str | None
    took_s: float
