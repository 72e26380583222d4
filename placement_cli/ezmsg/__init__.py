"""The bridge to ezmsg-sigproc: its planner with the constants of a profile, or with our planner in its place.

| call                             | what it does                                                       |
|----------------------------------|--------------------------------------------------------------------|
| `use_profile(*profiles)`         | sets the constants of its cost model in this process               |
| `use_profile(..., planner=True)` | has its transformers plan by the whole profile, with its executor  |
| `export_text(*profiles)`         | returns the same constants as a snippet of Python to keep          |
| `upstream_plan(W, samples, ...)` | returns what its own planner chooses                               |
| `installed_version()`            | tells which version is installed                                   |

Importing this package imports neither ezmsg-sigproc nor an array library. Names and meaning are those of
`ezmsg.sigproc.util.blockdiag` 3.11.
"""

from placement_cli.ezmsg.asking import upstream_plan
from placement_cli.ezmsg.installed import installed_version
from placement_cli.ezmsg.snippet import export_text
from placement_cli.ezmsg.using import Restore, use_profile

__all__ = ["Restore", "export_text", "installed_version", "upstream_plan", "use_profile"]
