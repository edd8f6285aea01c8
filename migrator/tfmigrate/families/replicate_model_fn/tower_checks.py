"""Checks of a replicated model for the first or last tower, and their equivalents in a replica.

Towers had no index: programs identified the first one by the reuse of variables, which every later
tower sets. The scope of a replica happens to have the same flag, but nothing guarantees it, so it
is replaced by the index where the scope is the tower's own and the flag only a condition. The last
tower is that of the session hooks (semantics.md, 1.19); where summaries are written there as well
as something else, no one replica is right for both, and the check is reported.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.replicate_model_fn.model_code import VARIABLE_SCOPE, within_function
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import AssignBinding, OtherBinding
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name
from tfmigrate.tables.family_names import OPTIMIZER

_SCOPE = "tensorflow.variable_scope"
_STATE = "_graph_state"
_LAST = "is_the_last_tower"
_SUMMARIES = ("tensorflow.summary.", "tensorflow.contrib.summary.")


@dataclass(frozen=True)
class TowerCheck:
    """A place that identifies the tower.

    Attributes:
        node: the flag of a variable scope, or the state of a TowerOptimizer.
        by_reuse: whether it is the flag of a variable scope.
        edits: the edits that check the replica's index instead; empty if that is not equivalent.
    """

    node: ast.Attribute
    by_reuse: bool
    edits: tuple[Edit, ...] = ()


def tower_checks(module: Module) -> list[TowerCheck]:
    """Returns all checks of a file, in the order of the text."""
    checks = [*_of_scopes(module), *_of_optimizers(module)]
    return sorted(checks, key=lambda check: module.position(check.node))


def _of_scopes(module: Module) -> Iterator[TowerCheck]:
    if not module.mentions(".reuse"):
        return
    for flag in module.all(ast.Attribute):
        if flag.attr == "reuse" and _is_scope(module, flag.value):
            parent = module.parent(flag)
            if not _is_scope_of_tower(module, flag.value):
                yield TowerCheck(flag, by_reuse=True)
            elif isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
                yield TowerCheck(flag, True, _replaced(module, parent, "== 0"))
            elif _is_test(module, flag):
                yield TowerCheck(flag, True, _replaced(module, flag, "> 0"))
            else:
                yield TowerCheck(flag, by_reuse=True)


def _of_optimizers(module: Module) -> Iterator[TowerCheck]:
    for use in module.uses:
        if use.qualified.startswith(OPTIMIZER + ".") and isinstance(use.node, ast.Attribute):
            yield TowerCheck(use.node, by_reuse=False)
    if not module.mentions(_STATE):
        return
    for state in module.all(ast.Attribute):
        if state.attr != _STATE or (module.resolve(state) or "").startswith(OPTIMIZER):
            continue
        call = module.parent(state) if within_function(module, state) else None
        last = module.parent(call) if isinstance(call, ast.Call) else None
        edits: tuple[Edit, ...] = ()
        if isinstance(last, ast.Attribute) and last.attr == _LAST:
            which = _which(module, last)
            edits = _replaced(module, last, f"== {which}") if which else ()
        yield TowerCheck(state, False, edits)


def _replaced(module: Module, node: ast.expr, comparison: str) -> tuple[Edit, ...]:
    """Returns the edits that replace an expression with a comparison of the replica's index.

    The index is a constant tensor, so Python can read its value.
    """
    name = tensorflow_name(module, node)
    context = f"{name}.distribute.get_replica_context()"
    text = f"{name}.get_static_value({context}.replica_id_in_sync_group) {comparison}"
    parent = module.parent(node)
    # A comparison binds more loosely than these.
    is_operand = isinstance(parent, (ast.UnaryOp, ast.Compare, ast.BinOp))
    code = Code(f"({text})" if is_operand else text)
    return (ReplaceExpression(node, code), *tensorflow_import(module, node))


def _is_test(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is only used as a condition."""
    parent = module.parent(node)
    if isinstance(parent, ast.BoolOp):
        return _is_test(module, parent)
    return isinstance(parent, (ast.If, ast.IfExp)) and parent.test is node


def _which(module: Module, node: ast.expr) -> str:
    """Returns the index of the replica that replaces the last tower; "" for none.

    It is the last replica, whose hooks are used, except for summaries: the first one writes those.
    """
    last = f"{tensorflow_name(module)}.distribute.get_strategy().num_replicas_in_sync - 1"
    guard = next((n for n in module.ancestors(node) if isinstance(n, ast.stmt)), None)
    # The value is kept: it may guard anything in the function.
    if not isinstance(guard, ast.If) or node not in ast.walk(guard.test):
        return "" if _has_summaries(module, module.function(node)) else last
    writing = [statement for statement in guard.body if _has_summaries(module, statement)]
    if any(_has_summaries(module, statement) for statement in guard.orelse):
        return ""
    if not writing:
        return last
    only = writing == guard.body and all(isinstance(s, ast.Expr) for s in writing)
    return "0" if only and not guard.orelse else ""


def _has_summaries(module: Module, node: ast.AST) -> bool:
    inside = {id(n) for n in ast.walk(node)}
    uses = [use for use in module.uses if use.qualified.startswith(_SUMMARIES)]
    return any(id(use.node) in inside for use in uses)


def _sets_reuse(module: Module) -> bool:
    """Returns whether a file itself makes scopes reuse variables."""
    return any(node.attr == "reuse_variables" for node in module.all(ast.Attribute))


def _is_scope_of_tower(module: Module, node: ast.expr) -> bool:
    """Returns whether a scope is the one around the call of its function, whose flag towers set."""
    # A file that sets reuse itself has the flag in the first tower as well.
    if not within_function(module, node) or _sets_reuse(module):
        return False
    if isinstance(node, ast.Name):
        bindings = module.bindings(node)
        if len(bindings) != 1 or not isinstance(bindings[0], AssignBinding):
            return False
        node = bindings[0].value
    if called(module, node) != VARIABLE_SCOPE:
        return False
    function = module.function(node)
    for outer in module.ancestors(node):
        if outer is function:
            return True
        # In a scope of the program the flag may be that scope's `reuse=`.
        for item in getattr(outer, "items", ()):
            if called(module, item.context_expr) == _SCOPE:
                return False
    return False


def _is_scope(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is a variable scope, or a name bound to one."""
    if isinstance(node, ast.Call):
        return called(module, node) in (VARIABLE_SCOPE, _SCOPE)
    for binding in module.bindings(node):
        if isinstance(binding, AssignBinding) and isinstance(binding.value, ast.Call):
            if _is_scope(module, binding.value):
                return True
        elif isinstance(binding, OtherBinding):
            item = module.parent(binding.node)
            if isinstance(item, ast.withitem) and _is_scope(module, item.context_expr):
                return True
    return False
