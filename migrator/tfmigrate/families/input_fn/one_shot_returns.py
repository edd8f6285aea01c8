"""Returns of the next element of a one-shot iterator, and the Dataset behind it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.tf1.outer_datasets import is_outer
from tfmigrate.model.edits import Code, Edit, ReplaceStatement
from tfmigrate.resolve.calls import called_on
from tfmigrate.resolve.control_flow import block_of
from tfmigrate.resolve.module import Module

_METHOD = "make_one_shot_iterator"
_FUNCTION = "tensorflow.data.make_one_shot_iterator"
_NEXT = "get_next"


@dataclass(frozen=True)
class OneShotReturn:
    """A return statement that can return the Dataset instead.

    Attributes:
        statement: the return.
        function: the function around it.
        edits: the edits that return the Dataset.
    """

    statement: ast.Return
    function: ast.FunctionDef
    edits: tuple[Edit, ...]


def one_shot_returns(module: Module) -> Iterator[OneShotReturn]:
    """Yields the returns of an element that has no other use, in the order of the text."""
    for statement in sorted(module.all(ast.Return), key=module.position):
        function = module.function(statement)
        if isinstance(function, ast.FunctionDef) and statement.value is not None:
            edits = _Reading(module, function, statement).edits(statement.value)
            if edits:
                yield OneShotReturn(statement, function, tuple(edits))


class _Reading:
    """Where the value of one return comes from."""

    def __init__(self, module: Module, function: ast.FunctionDef, statement: ast.Return) -> None:
        self._module, self._function = module, function
        self._block = block_of(module, statement)
        self._statement = statement

    def edits(self, value: ast.expr) -> list[Edit]:
        """Returns the edits that return the Dataset, none for other values."""
        removed: list[ast.Assign] = []
        element: ast.expr | None = value
        if isinstance(value, (ast.Name, ast.Tuple)):
            if (assignment := self._assignment(value)) is None:
                return []
            removed.append(assignment)
            element = assignment.value
        iterator = _receiver(element, _NEXT)
        if isinstance(iterator, ast.Name):
            if (assignment := self._assignment(iterator)) is None:
                return []
            removed.append(assignment)
            iterator = assignment.value
        dataset = self._dataset(iterator)
        if dataset is None or not self._means_the_same(dataset, removed):
            return []
        if is_outer(self._module, dataset):
            return []  # the iterator copies it to the graph of the input function
        edits: list[Edit] = [ReplaceStatement(assignment) for assignment in removed]
        return [*edits, ReplaceStatement(self._statement, (Code("return {0}", (dataset,)),))]

    def _dataset(self, iterator: ast.expr | None) -> ast.expr | None:
        """Returns the Dataset of an expression that creates a one-shot iterator."""
        if isinstance(iterator, ast.Call) and self._module.resolve(iterator.func) == _FUNCTION:
            alone = len(iterator.args) == 1 and not iterator.keywords
            return iterator.args[0] if alone else None
        return _receiver(iterator, _METHOD)

    def _assignment(self, value: ast.Name | ast.Tuple) -> ast.Assign | None:
        """Returns the earlier assignment, in the block, of names that are bound and used once."""
        nodes = list(value.elts) if isinstance(value, ast.Tuple) else [value]
        names = [node.id for node in nodes if isinstance(node, ast.Name)]
        if len(names) != len(nodes) or not all(self._is_used_once(name) for name in names):
            return None
        for statement in self._block[: self._block.index(self._statement)]:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(value, ast.Name) and isinstance(target, ast.Name):
                    bound = [target]
                elif isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple):
                    bound = [node for node in target.elts if isinstance(node, ast.Name)]
                    bound = bound if len(bound) == len(target.elts) else []
                else:
                    continue
                if [node.id for node in bound] == names:
                    return statement
        return None

    def _is_used_once(self, name: str) -> bool:
        """Returns whether a name is local to the function, bound once and used once."""
        nodes = [n for n in self._module.all(ast.Name, self._function) if n.id == name]
        local = self._module.names.scope_of[self._statement].bindings.get(name, ())
        return len(nodes) == 2 and len(local) == 1

    def _means_the_same(self, dataset: ast.expr, removed: list[ast.Assign]) -> bool:
        """Returns whether the names in an expression have the same values at the return."""
        names = {node.id for node in self._module.all(ast.Name, dataset)}
        first = min((self._block.index(s) for s in removed), default=len(self._block))
        last = self._block.index(self._statement)
        between = [s for s in self._block[first:last] if s not in removed]
        return not any(
            isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load)
            for statement in between
            for node in ast.walk(statement)
        )


def _receiver(node: ast.expr | None, method: str) -> ast.expr | None:
    """Returns the object whose method of that name is called without arguments, else None."""
    plain = isinstance(node, ast.Call) and not node.args and not node.keywords
    return called_on(node, method) if plain else None
