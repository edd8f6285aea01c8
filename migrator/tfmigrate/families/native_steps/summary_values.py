"""Summaries that a program fills with numbers itself: ``tf.Summary(value=[...])``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import Conversion, called, reads, refuse
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module

_SUMMARY, _VALUE = "tensorflow.Summary", "tensorflow.Summary.Value"


def convert_values(plan: Conversion, module: Module) -> None:
    """Plans the edits of such summaries, which become results of an operation.

    Raises:
        Refusal: they have something else than numbers, or are used in another way.
    """
    for call in module.calls_of(_SUMMARY):
        root = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(root, ast.Name):
            refuse(
                call, f"`{ast.unparse(call.func)}` is not written as a name of TensorFlow itself"
            )
        operation = f"{root.id}.raw_ops.ScalarSummary"
        if call.args or call.keywords:
            _given(plan, module, call, operation)
        else:
            _filled(plan, module, call, operation)


def _given(plan: Conversion, module: Module, call: ast.Call, operation: str) -> None:
    """Replaces a summary whose values are written out."""
    held = argument(call, 9, "value")
    values = held.elts if isinstance(held, (ast.List, ast.Tuple)) else []
    pairs = [_number(v) for v in values if called(module, v) == _VALUE and isinstance(v, ast.Call)]
    if not pairs or len(pairs) != len(values) or len(call.keywords) != 1 or call.args:
        refuse(call, "the values of a summary are not written out")
    _check_written(module, call)
    parts = [part for pair in pairs for part in pair]
    tags = ", ".join(f"{{{2 * index}}}" for index in range(len(pairs)))
    numbers = ", ".join(_as_float(pair[1], 2 * i + 1) for i, pair in enumerate(pairs))
    plan.replace(
        module, call, Code(operation, tuple(parts), (f"tags=[{tags}]", f"values=[{numbers}]"))
    )


def _check_written(module: Module, call: ast.Call) -> None:
    """Refuses a summary that is used for something else than to write it."""
    statement = module.statement(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(target, ast.Name) and getattr(statement, "value", None) is call:
        uses: Sequence[ast.expr] = reads(module, target.id, module.function(call))
    else:
        uses = [call]
    for use in uses:
        if not _is_written(module, use):
            refuse(use, "a summary that is used for something else than to write it")


def _is_written(module: Module, node: ast.expr) -> bool:
    """Says whether an expression is what ``add_summary`` is given."""
    outer: ast.AST = module.parent(node)
    outer = module.parent(outer) if isinstance(outer, ast.keyword) else outer
    function = outer.func if isinstance(outer, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "add_summary"


def _filled(plan: Conversion, module: Module, call: ast.Call, operation: str) -> None:
    """Replaces an empty summary by a list, and what is added to it."""
    statement = module.statement(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name) or getattr(statement, "value", None) is not call:
        refuse(call, "an empty summary that is not held by a variable")
    plan.replace(module, call, Code("[]"))
    home = module.function(call)
    for node in module.all(ast.Name, home):
        if node.id != target.id or module.function(node) is not home or plan.is_removed(node):
            continue
        if isinstance(node.ctx, ast.Store):
            value = getattr(module.statement(node), "value", None)
            if called(module, value) != _SUMMARY:
                refuse(node, f"`{node.id}` is a summary here, and something else elsewhere")
        elif plan.first_time(node):
            _use(plan, module, node, operation)


def _use(plan: Conversion, module: Module, node: ast.Name, operation: str) -> None:
    """Converts ``summary.value.add(...)``, and a summary that is written."""
    parent, statement = module.parent(node), module.statement(node)
    if _is_written(module, node):
        tags, numbers = f"[tag for tag, _ in {node.id}]", f"[number for _, number in {node.id}]"
        plan.replace(module, node, Code(operation, (), (f"tags={tags}", f"values={numbers}")))
        return
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    adds = isinstance(function, ast.Attribute) and function.attr == "add"
    held = function.value if isinstance(function, ast.Attribute) else None
    if (
        not adds
        or held is not parent
        or not isinstance(held, ast.Attribute)
        or held.attr != "value"
    ):
        refuse(node, f"the summary `{node.id}` is used in another way")
    assert isinstance(call, ast.Call)
    tag, number = _number(call)
    added = Code(f"{node.id}.append(({{0}}, {_as_float(number, 1)}))", (tag, number))
    plan.rewrite(module, statement, added)


def _number(call: ast.Call) -> Sequence[ast.expr]:
    """Returns the tag and the number of a value."""
    tag, number = argument(call, 9, "tag"), argument(call, 9, "simple_value")
    if tag is None or number is None or call.args or len(call.keywords) != 2:
        refuse(call, "a value of a summary that is not a tag and a number")
    return tag, number


def _as_float(number: ast.expr, place: int) -> str:
    """Returns the code of a number, which was stored as a float."""
    function = number.func if isinstance(number, ast.Call) else None
    is_float = isinstance(function, ast.Name) and function.id == "float"
    return f"{{{place}}}" if is_float else f"float({{{place}}})"
