"""Clocks that one method reads first and another one reads again."""

from __future__ import annotations

import pytest

from placement_cli.diagnose.program.source import parsed

TIMER = """\
class Timer:
    def __enter__(self):
        self.began = began = clock()
        return self
    def __exit__(self, *_):
        self.took = clock() - {subtracted}
"""


@pytest.mark.parametrize(("subtracted", "measured"), [("self.began", True), ("began", False)])
def test_two_functions_share_attributes_and_no_names(subtracted: str, measured: bool) -> None:
    """A name of the one is another one in the other."""
    source = parsed(TIMER.format(subtracted=subtracted))
    assert source is not None
    assert source.subtracts(3, 6) is measured
