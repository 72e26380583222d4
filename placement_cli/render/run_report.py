"""A whole run on the terminal: where it was measured, the tables, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from placement_cli.render.hanging import Hanging
from placement_cli.render.plain import plain
from placement_cli.render.run_tables import scenario_tables
from placement_cli.render.sayings import sayings, scenario_says
from placement_cli.store.run_document import RunDocument


def print_run(document: RunDocument, console: Console) -> None:
    """Print every scenario's tables, each followed by its sentences."""
    console.print(Hanging(machine_line(document.env.stable)))
    for scenario in document.scenarios:
        console.print()
        for line in scenario_tables(document, scenario, console.width):
            console.print(line)
        for part in sayings(scenario_says(document, scenario.name)):
            console.print(part)


def print_verdicts(document: RunDocument, console: Console) -> None:
    """Print the sentences alone, for `-q`."""
    for saying in document.says:
        console.print(plain(saying.text), soft_wrap=True)


def machine_line(stable: Mapping[str, Any]) -> Text:
    """Return one line that names the machine and MLX, with what is known of them."""
    ram = stable.get("ram_bytes")
    parts = [
        stable.get("chip"),
        f"{stable.get('cpu_logical')} cores" if stable.get("cpu_logical") else None,
        f"{ram / 2**30:.0f} GiB" if isinstance(ram, int) and 0 < ram < 2**63 else None,
        " ".join(str(stable[key]) for key in ("os", "os_version") if stable.get(key)),
        f"MLX {stable.get('mlx')} on {stable.get('backend')}",
        stable.get("python"),
    ]
    return plain(", ".join(str(part) for part in parts if part), "dim")
