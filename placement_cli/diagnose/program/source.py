"""What the source of a program tells that running it does not: what is subtracted, and where things are assigned."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

GROWING_METHODS = frozenset({"append", "appendleft", "add", "extend", "insert", "setdefault", "update"})
"""Methods by which lists, sets, deques and dictionaries grow."""
LONGEST = 2_000_000
"""Characters of a source file that is parsed; longer ones are generated."""


@dataclass(frozen=True)
class Source:
    """The parsed source of one file."""

    tree: ast.Module

    def subtracts(self, opened: int, closed: int) -> bool:
        """Tell whether the clock read at line `closed` minus that read at line `opened` is computed anywhere.

        What two functions have in common is the attribute of an object, not a name of their own.
        """
        together = self._function_at(opened) is self._function_at(closed)
        starts = {each for each in self._targets(opened) if together or each.startswith("Attribute(")}
        ends = set(self._targets(closed))
        return any(
            ast.dump(each.right) in starts and (ast.dump(each.left) in ends or _calls_at(each.left, closed))
            for each in self._differences
        )

    def growing_line(self, name: str, near: int) -> int | None:
        """Return the line that lets the container `name` grow, the nearest to line `near`; None where none does.

        A name with dots is known by its last part, wherever that is: `self.outputs` by `.outputs`.
        """
        return min(self._growing(name), key=lambda line: abs(line - near), default=None)

    def assigned_line(self, name: str, near: int) -> int | None:
        """Return the line that assigns to the variable `name`, the nearest to line `near`, of two as near the later."""
        lines = [line for line, target in self._assignments if _last(target) == _last_of(name)]
        return min(lines, key=lambda line: (abs(line - near), -line), default=None)

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def _differences(self) -> list[ast.BinOp]:
        return [each for each in self._nodes if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Sub)]

    @cached_property
    def _assignments(self) -> list[tuple[int, ast.expr]]:
        return [(target.lineno, target) for each in self._nodes for target in _targets_of(each)]

    def _targets(self, line: int) -> Iterator[str]:
        for each in self._nodes:
            if isinstance(each, ast.stmt) and each.lineno <= line <= (each.end_lineno or each.lineno):
                for target in _targets_of(each):
                    yield ast.dump(_as_value(target))
            elif isinstance(each, ast.NamedExpr) and each.lineno == line:
                yield ast.dump(_as_value(each.target))

    def _function_at(self, line: int) -> ast.AST | None:
        """Return the innermost function that a line is in; None for those of none."""
        functions = (each for each in self._nodes if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
        around = [each for each in functions if each.lineno <= line <= (each.end_lineno or each.lineno)]
        return max(around, key=lambda each: each.lineno, default=None)

    def _growing(self, name: str) -> list[int]:
        last = _last_of(name)
        return [each.lineno for each in self._nodes if isinstance(each, ast.expr | ast.stmt) and _grows(each, last)]


def parsed(text: str) -> Source | None:
    """Return the parsed source; None for what is no Python, or too long."""
    if len(text) > LONGEST:
        return None
    try:
        return Source(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _targets_of(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return [name for target in node.targets for name in _names_in(target)]
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return [node.target]
    return []


def _names_in(target: ast.expr) -> list[ast.expr]:
    """Return the single targets of an assignment, which may be nested."""
    if isinstance(target, ast.Tuple | ast.List):
        return [name for each in target.elts for name in _names_in(each)]
    return [target.value] if isinstance(target, ast.Starred) else [target]


def _as_value(target: ast.expr) -> ast.expr:
    """Return a target as it is written where it is read."""
    value = ast.parse(ast.unparse(target), mode="eval")
    return value.body


def _calls_at(node: ast.expr, line: int) -> bool:
    return any(
        isinstance(each, ast.Call) and each.lineno <= line <= (each.end_lineno or each.lineno)
        for each in ast.walk(node)
    )


def _grows(node: ast.AST, last: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in GROWING_METHODS and _last(node.func.value) == last
    if isinstance(node, ast.AugAssign):
        return _last(node.target) == last
    if isinstance(node, ast.Assign):
        return any(isinstance(each, ast.Subscript) and _last(each.value) == last for each in node.targets)
    return False


def _last(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _last(node.value)
    return ""


def _last_of(name: str) -> str:
    """Return the last name in a path such as `self.parts[0].outputs`, without what is in brackets."""
    return name.partition("[")[0].rpartition(".")[2] if name.endswith("]") else name.rpartition(".")[2]
