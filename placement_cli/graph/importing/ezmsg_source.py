"""The unit of an ezmsg system that messages come from, and what its settings tell about them."""

from __future__ import annotations

from placement_cli.graph.importing.ezmsg_behaviour import Settings
from placement_cli.graph.importing.ezmsg_unit import Unit, UnitGraph, is_sigproc
from placement_cli.graph.importing.imported import SourceFacts

SAMPLES = ("n_time", "n_samples", "block_size", "chunk_size")
CHANNELS = ("n_ch", "n_channels", "n_chans", "num_channels")
SAMPLE_RATE = ("fs", "sample_rate", "srate", "sampling_rate")
DISPATCH_RATE = ("dispatch_rate",)
"""What sources call these settings; `dispatch_rate` is in messages per second."""


def source_unit(system: UnitGraph) -> Unit | None:
    """Return the only unit that sends and receives nothing and is no processor; None when it is not clear."""
    receive = {wire.head for wire in system.wires} | system.external
    send = {wire.tail for wire in system.wires}
    found = [
        unit
        for unit in system.units
        if unit.address in send and unit.address not in receive and not is_sigproc(unit.kind)
    ]
    return found[0] if len(found) == 1 else None


def source_facts(unit: Unit) -> SourceFacts:
    """Return what the settings of a source, and the rate it was seen to send at, tell about its messages."""
    settings = Settings(unit.settings)
    samples, channels = _first(settings, SAMPLES), _first(settings, CHANNELS)
    sample_rate, dispatched = _first(settings, SAMPLE_RATE), _first(settings, DISPATCH_RATE)
    rate = dispatched or (sample_rate / samples if sample_rate and samples else None) or unit.rate_hz
    shaped = samples is not None and channels is not None and samples == int(samples) and channels == int(channels)
    return SourceFacts(
        samples=int(samples) if shaped and samples is not None else None,
        channels=int(channels) if shaped and channels is not None else None,
        rate=rate,
    )


def _first(settings: Settings, names: tuple[str, ...]) -> float | None:
    return next((number for name in names if (number := settings.number(name)) is not None), None)
