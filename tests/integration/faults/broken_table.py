"""A fault of the program itself: a table that cannot be made."""

from __future__ import annotations

import sys

if "placement_cli" in sys.orig_argv:
    from placement_cli.render import operator_list

    def operators_table(_operators: object) -> None:
        """Fail as only a fault of the program fails."""
        raise ZeroDivisionError("the table has no columns")

    operator_list.operators_table = operators_table
