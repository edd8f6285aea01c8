"""Synchrony behind a flag: the blocks of the flag are read as those of workers that step together.

The others, which TensorFlow 1.x let run on their own, raise an error when the program is started.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.model.edits import ReplaceStatement
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.path_conditions import Test, tests_around

SYNC = ("tensorflow.train.SyncReplicasOptimizer",)
_SETTER = "tensorflow.train.replica_device_setter"
_PURE = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop),
    *(ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator, ast.expr_context),
)


def is_pure(node: ast.expr) -> bool:
    """Says whether an expression only reads names and compares them."""
    return all(isinstance(inner, _PURE) for inner in ast.walk(node))


def flagged_blocks(module: Module) -> dict[ast.If, Sequence[ast.stmt]]:
    """Returns the ``if`` statements that ask for synchrony, with the branch of the answer yes."""
    tests = _tests(module)
    found: dict[ast.If, Sequence[ast.stmt]] = {}
    if len(tests) != 1:
        return found
    (test,) = tests
    asked = ast.dump(test.expression)
    negated = ast.dump(ast.UnaryOp(ast.Not(), test.expression))
    for block in module.all(ast.If):
        if ast.dump(block.test) == asked:
            found[block] = block.body if test.holds else block.orelse
        elif ast.dump(block.test) == negated:
            found[block] = block.orelse if test.holds else block.body
    return found


def _tests(module: Module) -> list[Test]:
    """Returns the conditions of the optimizers that synchronize, without those of the setter."""
    try:
        shared = [tests_around(module, call) for call in module.calls_of(_SETTER)]
        around = [tests_around(module, call) for call in module.calls_of(*SYNC)]
    except Refusal:
        return []
    known = {ast.dump(t.expression) for tests in shared for t in tests}
    left = {
        (ast.dump(t.expression), t.holds): t
        for tests in around
        for t in tests
        if ast.dump(t.expression) not in known and is_pure(t.expression)
    }
    return list(left.values())


def opposite(condition: str) -> str:
    """Returns the text of the opposite of a condition."""
    node = ast.parse(condition, mode="eval").body
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for one, other in ((ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)):
            for old, new in ((one, other), (other, one)):
                if isinstance(node.ops[0], old):
                    return ast.unparse(ast.Compare(node.left, [new()], node.comparators))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.unparse(node.operand)
    return (
        f"not {condition}" if isinstance(node, (ast.Name, ast.Attribute)) else f"not ({condition})"
    )


def check_other_way(
    module: Module, block: ast.If, taken: Sequence[ast.stmt], optimizers: set[str]
) -> None:
    """Refuses an ``if`` whose other branch does something else than the one that is taken.

    Args:
        module: the file.
        block: the ``if``.
        taken: the branch of workers that step together.
        optimizers: the names of the optimizer, with and without what synchronizes it.

    Raises:
        Refusal: it does.
    """
    other = block.orelse if taken is block.body else block.body
    made = {_targets(s): s for s in taken if isinstance(s, ast.Assign)}
    for statement in other:
        if isinstance(statement, ast.Pass):
            continue
        twin = made.get(_targets(statement)) if isinstance(statement, ast.Assign) else None
        if twin is None or not _means(module, statement, twin, optimizers):
            refuse(statement, "workers that do not step together do something else here")


def _targets(statement: ast.Assign) -> str:
    return ", ".join(ast.unparse(target) for target in statement.targets)


def _means(module: Module, statement: ast.stmt, twin: ast.Assign, optimizers: set[str]) -> bool:
    """Says whether two assignments are the same but for what synchronizes."""
    assert isinstance(statement, ast.Assign)
    one, two = statement.value, twin.value
    if not isinstance(one, ast.Call) or not isinstance(two, ast.Call):
        return False
    if called(module, one) == called(module, two) == "tensorflow.train.Supervisor":
        return _arguments(one) == _arguments(two)
    functions = [f for f in (one.func, two.func) if isinstance(f, ast.Attribute)]
    held = [f.value.id for f in functions if isinstance(f.value, ast.Name)]
    given = [[ast.dump(n) for n in (*call.args, *call.keywords)] for call in (one, two)]
    same = len({f.attr for f in functions}) == 1 and given[0] == given[1]
    return same and len(held) == 2 and set(held) <= optimizers


_OF_SYNCHRONY = ("local_init_op", "ready_for_local_init_op", "ready_op")


def _arguments(call: ast.Call) -> list[str]:
    return sorted(
        [ast.dump(n) for n in call.args]
        + [ast.dump(k) for k in call.keywords if k.arg not in _OF_SYNCHRONY]
    )


def drop_unused(plan: Conversion, module: Module, block: ast.If) -> None:
    """Removes the assignments of a block to names that nothing reads any more."""
    for leaf in sorted(module.all(ast.Assign, block), key=module.position, reverse=True):
        names = [t.id for t in leaf.targets if isinstance(t, ast.Name)]
        known = len(names) == len(leaf.targets) and is_pure(leaf.value)
        if known and not plan.is_removed(leaf) and not any(_reads(plan, module, leaf, names)):
            plan.remove(module, leaf)
    drop_empty(plan, module, block)


def _reads(
    plan: Conversion, module: Module, leaf: ast.Assign, names: Sequence[str]
) -> Iterator[bool]:
    scope = module.names.scope_of[leaf]
    for node in module.all(ast.Name, scope.node):
        if node.id in names and isinstance(node.ctx, ast.Load) and not plan.is_removed(node):
            yield (module.names.scope_of[node].lookup(node.id) or (None,))[0] is scope


def drop_empty(plan: Conversion, module: Module, place: ast.AST) -> None:
    """Removes the ``if`` statements below a place of which nothing is left."""
    edits = plan.edits[module]
    written = {e.statement for e in edits if isinstance(e, ReplaceStatement) and e.codes}
    for block in sorted(module.all(ast.If, place), key=module.position, reverse=True):
        inner = [*block.body, *block.orelse]
        if plan.is_removed(block) or not is_pure(block.test):
            continue
        if all(plan.is_removed(s) for s in inner) and written.isdisjoint(inner):
            nodes = [n for s in inner for n in module.walk(s) if not plan.is_removed(n)]
            plan.drop(module, block, nodes)
