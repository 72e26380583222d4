"""Probes on the terminal: claims by group, each with its outcome as a word, what was observed and how it differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Protocol

from rich.console import Console, RenderableType
from rich.text import Text

from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.sayings import diagnostics
from placement_cli.store.diagnosis_document import BuildRecord, DiagnosisDocument, ProbeOutcome, ProbeRecord

OUTCOME_WORDS: Mapping[ProbeOutcome, str] = {"passed": "passed", "failed": "failed", "not-run": "not run"}
OUTCOME_STYLES: Mapping[ProbeOutcome, str] = {"passed": "green", "failed": "bold red", "not-run": "yellow"}
ROOM = 2 + max(map(len, OUTCOME_WORDS.values())) + 2
"""Columns before what is said of a probe: the outcome stands in them."""


class Listed(Protocol):
    """What `--list` shows of a probe."""

    @property
    def id(self) -> str:
        """The id; the group stands before its first dot."""

    @property
    def claim(self) -> str:
        """The claim in one sentence."""

    @property
    def symptoms(self) -> tuple[str, ...]:
        """The symptoms that it bears on."""


def print_probes(document: DiagnosisDocument, console: Console) -> None:
    """Print the build, all probes by group, what a reader should know, and the counts."""
    console.print(build_line(document.build))
    for part in probe_groups(document.probes):
        console.print(part)
    console.print()
    for line in diagnostics(document.diagnostics):
        console.print(line)
    console.print(counts_line(document.probes))


def print_outcomes(document: DiagnosisDocument, console: Console) -> None:
    """Print one line a probe, with the reason of one that did not come to its end, and the counts, for `-q`."""
    for probe in document.probes:
        reason = "" if probe.reason is None else f": {probe.reason}"
        console.print(_outcome(probe) + plain(f"{probe.id}{reason}"), soft_wrap=True)
    for line in diagnostics([each for each in document.diagnostics if each.level != "info"]):
        console.print(line)
    console.print(counts_line(document.probes))


def probe_list(probes: Sequence[Listed]) -> Iterator[RenderableType]:
    """Yield the ids of probes by group, each with its claim and its symptoms."""
    for number, (group, members) in enumerate(groupby(probes, key=lambda probe: probe.id.partition(".")[0])):
        if number:
            yield Text()
        yield plain(group, "italic")
        for probe in members:
            yield Hanging(plain(probe.id, "bold"), Text("  "))
            yield Hanging(plain(probe.claim), Text("    "))
            yield Hanging(plain(f"bears on: {', '.join(probe.symptoms)}", "dim"), Text("    "))


def build_line(build: BuildRecord) -> RenderableType:
    """Return what was probed, in a sentence."""
    packages = ", ".join(f"{name} {version}" for name, version in build.distributions.items())
    variables = ", ".join(f"{name}={value}" for name, value in build.variables.items())
    told = (
        f"MLX {build.mlx} on {build.backend} ({packages or 'not installed by pip'}), {build.platform}, {build.python}"
    )
    return Hanging(plain(f"{told}; {f'with {variables}' if variables else 'no variable set that alters MLX'}", "bold"))


def probe_groups(probes: Sequence[ProbeRecord]) -> Iterator[RenderableType]:
    """Yield the probes under the headings of their groups."""
    for group, members in groupby(probes, key=lambda probe: probe.group):
        yield Text("\n") + plain(group, "italic")
        for probe in members:
            yield from _lines(probe)


def counts_line(probes: Sequence[ProbeRecord]) -> RenderableType:
    """Return how many probes ended how."""
    counts = Counter(probe.outcome for probe in probes)
    told = ", ".join(f"{counts[outcome]} {word}" for outcome, word in OUTCOME_WORDS.items())
    total = "1 probe" if len(probes) == 1 else f"{len(probes)} probes"
    return Hanging(plain(f"{total}: {told}", "bold"))


def _lines(probe: ProbeRecord) -> Iterator[RenderableType]:
    yield Hanging(plain(probe.id, "bold") + plain(f": {probe.claim}"), _outcome(probe), ROOM)
    for text, style in _said(probe):
        yield Hanging(plain(text, style), Text(" " * ROOM))


def _said(probe: ProbeRecord) -> Iterable[tuple[str, str]]:
    """Yield what is said of a probe, with its style: observation, reason, and before what differs what was before."""
    if probe.observed:
        yield f"Observed: {probe.observed}", ""
    if probe.reason is not None:
        word = "Not run" if probe.outcome == "not-run" else "Failed"
        yield f"{word}: {probe.reason}", OUTCOME_STYLES[probe.outcome]
    if probe.reference and (probe.differs is not None or probe.outcome == "failed"):
        yield f"Before: {probe.reference}", "dim"
    if probe.differs is not None:
        yield f"Differs: {probe.differs}", "yellow"


def _outcome(probe: ProbeRecord) -> Text:
    word = OUTCOME_WORDS[probe.outcome]
    return Text("  ") + Text(word, style=OUTCOME_STYLES[probe.outcome]) + Text(" " * (ROOM - 2 - len(word)))
