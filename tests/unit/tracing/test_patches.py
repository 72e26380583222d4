"""What is replaced for a while looks as before, and is put back as it was."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

from placement_cli.tracing.patches import Patches


class Parent:
    def told(self, number: int = 1) -> int:
        """Return a number."""
        return number


class Child(Parent):
    pass


def around(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a hook that changes nothing."""

    def hook(*arguments: Any, **options: Any) -> Any:
        return original(*arguments, **options)

    return hook


def module_with(**names: Any) -> ModuleType:
    """Return a module that holds names."""
    module = ModuleType("held")
    vars(module).update(names)
    return module


def test_a_replaced_method_looks_and_does_as_before() -> None:
    """Name, documentation, signature, and how it is found again when it is pickled."""
    patches, original = Patches(), Parent.told
    patches.replace(Parent, "told", around)
    hooked = Parent.told
    assert hooked is not original
    assert (hooked.__name__, hooked.__qualname__, hooked.__doc__) == ("told", "Parent.told", "Return a number.")
    assert inspect.signature(hooked) == inspect.signature(original)
    assert pickle.loads(pickle.dumps(hooked)) is hooked
    assert Parent().told(number=3) == 3
    patches.restore()
    assert vars(Parent)["told"] is original


def test_what_was_inherited_is_inherited_again() -> None:
    """No attribute stays behind in the class."""
    patches = Patches()
    patches.replace(Child, "told", around)
    assert "told" in vars(Child)
    patches.restore()
    assert "told" not in vars(Child)


def test_what_is_not_there_is_not_replaced() -> None:
    """As with a function that this build of MLX does not have."""
    patches, module = Patches(), module_with()
    patches.replace(module, "absent", around)
    assert not hasattr(module, "absent")
    assert patches.pairs() == []


def test_an_attribute_is_added_only_where_there_is_none() -> None:
    """And is gone afterwards."""
    patches = Patches()
    patches.add(Child, "told", None)
    patches.add(Child, "added", 7)
    assert (Child().told(), Child.added) == (1, 7)  # type: ignore[attr-defined] # Just added.
    patches.restore()
    assert not hasattr(Child, "added")


def test_names_taken_before_are_exchanged_and_put_back() -> None:
    """`from module import told as mine` meant the same function."""
    patches, original = Patches(), Parent().told
    module, taker = module_with(told=original), module_with(mine=original, other=1)
    patches.replace(module, "told", around)
    patches.exchange(vars(taker), patches.pairs())
    assert taker.mine is module.told is not original
    patches.restore()
    assert taker.mine is module.told is original


def test_names_taken_meanwhile_are_put_back_too() -> None:
    """A module that is imported inside gets the original for what it took."""
    patches, original = Patches(), Parent().told
    module = module_with(told=original)
    patches.replace(module, "told", around)
    taker = module_with(mine=module.told)
    patches.restore([vars(taker)])
    assert taker.mine is original


def test_what_is_replaced_twice_ends_as_it_began() -> None:
    """The last one is put back first."""
    patches, original = Patches(), Parent().told
    module = module_with(told=original)
    patches.replace(module, "told", around)
    patches.replace(module, "told", around)
    patches.restore()
    assert module.told is original
