"""Parameters and variables that only say whether a scope reuses its variables."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import NOT_WRITTEN_OUT, Conversion, called, literal, reads
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.graph import Graph, Kind, assigned
from tfmigrate.model.edits import ArrangeArguments, RemoveParameters
from tfmigrate.resolve.module import Module


def remove_reuse(plan: Conversion, graph: Graph, functions: Sequence[ast.FunctionDef]) -> None:
    """Removes what nothing reads any more, since variables are always reused.

    Args:
        plan: the conversion, in which the scopes of ``functions`` have no ``reuse``.
        graph: the graph.
        functions: the functions of the program that it calls.
    """
    module = graph.module
    changed = True
    gone: dict[ast.FunctionDef, set[str]] = {}
    left: set[ast.AST] = set()
    while changed:
        changed = False
        for function in functions:
            for parameter in _unread(plan, module, function, left):
                known = gone.setdefault(function, set())
                if parameter not in known and _leave_out(plan, module, function, parameter, left):
                    known.add(parameter)
                    changed = True
    for function, names in gone.items():
        if names:
            plan.edits[module].append(RemoveParameters(function, tuple(sorted(names))))
            for call in calls_of_function(plan, module, function):
                given = _arguments(function, call)
                kept = tuple(
                    ("" if value in call.args else name, value)
                    for name, value in given
                    if name not in names
                )
                plan.edits[module].append(ArrangeArguments(call, kept))
    _remove_values(plan, graph, left)


def _unread(
    plan: Conversion, module: Module, function: ast.FunctionDef, left: set[ast.AST]
) -> list[str]:
    """Returns the parameters of a function of which every use is removed."""
    found = []
    for argument in function.args.args:
        loads = reads(module, argument.arg, function)
        if loads and all(_is_gone(plan, module, node, left) for node in loads):
            found.append(argument.arg)
    return found


def _is_gone(plan: Conversion, module: Module, node: ast.Name, left: set[ast.AST]) -> bool:
    """Says whether the code around a name is removed, and not only written in another way."""
    if not plan.is_removed(node):
        return False
    for outer in (node, *module.ancestors(node)):
        if outer in left or called(module, outer) == "tensorflow.get_collection":
            return True
        if isinstance(outer, ast.keyword) and outer.arg == "reuse":
            return True
        if isinstance(outer, ast.stmt):
            return plan.is_removed(outer)
    return False


def calls_of_function(
    plan: Conversion, module: Module, function: ast.FunctionDef
) -> list[ast.Call]:
    """Returns the calls of a function of the program."""
    found = []
    for call in module.all(ast.Call):
        meant = definition(plan, module, call.func)
        if meant is not None and meant[1] is function:
            found.append(call)
    return found


def _arguments(function: ast.FunctionDef, call: ast.Call) -> list[tuple[str, ast.expr]]:
    names = [a.arg for a in function.args.args]
    return [
        *zip(names, call.args, strict=False),
        *((keyword.arg or "", keyword.value) for keyword in call.keywords),
    ]


def _leave_out(
    plan: Conversion,
    module: Module,
    function: ast.FunctionDef,
    parameter: str,
    left: set[ast.AST],
) -> bool:
    """Leaves out the argument of a parameter in all calls; says whether it could."""
    calls = calls_of_function(plan, module, function)
    uses = reads(module, function.name, module.tree)
    known = {call.func for call in calls}
    if any(use not in known for use in uses):
        return False
    for call in calls:
        if any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        ):
            return False
    for call in calls:
        for name, value in _arguments(function, call):
            if name == parameter:
                plan.leave_out(module, value)
                left.add(value)
    return True


def _remove_values(plan: Conversion, graph: Graph, left: set[ast.AST]) -> None:
    """Removes the assignments of names that only scopes read."""
    module = graph.module
    for leaf in graph.of(Kind.PLAIN):
        names = assigned(module, leaf)
        loads = [n for name in names for n in reads(module, name, graph.home)]
        if names and loads and all(_is_gone(plan, module, node, left) for node in loads):
            plan.remove(module, leaf)


def remove_device_functions(plan: Conversion, module: Module) -> None:
    """Removes functions that only chose devices, and the values that only they read."""
    for function in module.all(ast.FunctionDef):
        uses = reads(module, function.name, module.tree)
        around = [a for use in uses for a in module.ancestors(use) if isinstance(a, ast.withitem)]
        if uses and len(around) == len(uses) and all(plan.is_removed(use) for use in uses):
            plan.remove(module, function)
            read = {n.id for n in module.all(ast.Name, function) if isinstance(n.ctx, ast.Load)}
            for statement in module.tree.body:
                if isinstance(statement, ast.Assign) and read & set(assigned(module, statement)):
                    loads = [
                        n
                        for name in assigned(module, statement)
                        for n in reads(module, name, module.tree)
                    ]
                    if literal(statement.value) is not NOT_WRITTEN_OUT and all(
                        plan.is_removed(node) for node in loads
                    ):
                        plan.remove(module, statement)
