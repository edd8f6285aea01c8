"""The replicate_model_fn family in one module: its sites, its imports, its copies.

What served the family alone is removed with it: imports, aliases, an ``if`` around nothing else. An
import of tf.contrib that stayed would fail on TensorFlow 2, even unused. An ``if`` whose condition
may do something stays, around ``pass``.
"""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceStatement
from tfmigrate.resolve.family_members import serves_only_the_family
from tfmigrate.resolve.module import Module, Use, aliases, imports
from tfmigrate.resolve.python_2_files import is_string
from tfmigrate.tables.family_names import FAMILY, OPTIMIZER, WRAPPER


@dataclass(frozen=True)
class References:
    """The uses of one name of the family, by kind.

    Attributes:
        calls: its calls, which the rules rewrite.
        aliases: plain assignments of it to another name, which are removed.
        others: all other uses, which cannot be resolved.
    """

    calls: list[ast.Call]
    aliases: list[ast.Assign | ast.AnnAssign]
    others: list[Use]


def references(module: Module, qualified: str) -> References:
    """Returns the uses of the wrapper or of the optimizer in a module."""
    alias_values = {id(s.value): s for s, name in aliases(module) if name == qualified}
    calls: list[ast.Call] = []
    statements: list[ast.Assign | ast.AnnAssign] = []
    others: list[Use] = []
    for use in module.uses_of(qualified):
        if call := module.call_of(use.node):
            calls.append(call)
        elif id(use.node) in alias_values:
            statements.append(alias_values[id(use.node)])
        else:
            others.append(use)
    return References(calls, statements, others)


def removed_imports(module: Module) -> Iterator[Edit]:
    """Yields the edits that remove imports and aliases used only for the family."""
    for statement, qualified in aliases(module):
        if qualified in (FAMILY, WRAPPER, OPTIMIZER):
            yield ReplaceStatement(statement)
    for binding in imports(module):
        if serves_only_the_family(module, binding):
            yield ChangeImport(binding.statement, binding.alias, "")


def has_side_effects(test: ast.expr) -> bool:
    """Returns whether a condition may have side effects: calls other than ``x.get(key)``."""
    for node in ast.walk(test):
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
            return True
        if isinstance(node, ast.Call):
            is_get = isinstance(node.func, ast.Attribute) and node.func.attr == "get"
            keys = (ast.Name, ast.Attribute)
            by_key = [isinstance(a, keys) or is_string(a) for a in node.args[:1]]
            if not is_get or by_key != [True]:  # `queue.get()` removes an item
                return True
    return False


def remove_statement(
    module: Module, statement: ast.stmt, removed: Collection[ast.stmt] = ()
) -> ReplaceStatement:
    """Returns the edit that removes a statement, with an ``if`` that contains nothing else.

    Args:
        removed: statements that other edits remove, which may be in the same ``if``.
    """
    parent = module.parent(statement)
    if isinstance(parent, ast.If) and not parent.orelse:
        alone = all(s is statement or s in removed for s in parent.body)
        holder = module.parent(parent)
        is_elif = isinstance(holder, ast.If) and holder.orelse == [parent]
        if alone and not has_side_effects(parent.test) and not is_elif:
            return remove_statement(module, parent, removed)
    blocks = [getattr(parent, name, None) for name in ("body", "orelse", "finalbody")]
    if [statement] in blocks:
        return ReplaceStatement(statement, (Code("pass"),))
    return ReplaceStatement(statement)
