"""What was a list in Python 2, and is used as one."""

import ast
from collections.abc import Collection, Iterator

from tfmigrate.resolve.block_sessions import SESSIONS
from tfmigrate.resolve.calls import argument, called, called_builtin, method_calls
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.origins import origins
from tfmigrate.tables import python_2

_Place = tuple[ast.AST, str]


def lists_of_python_2(module: Module) -> Iterator[_Place]:
    """Yields what is done with results that only Python 2 has as lists, each with its name."""
    yield from _lists(module)
    yield from _lists_of_dicts(module)
    yield from _lists_of_tensors(module)


def _list_function(module: Module, node: ast.AST, names: Collection[str] = python_2.LISTS) -> str:
    """Returns the name of the built-in function that a call is of, if its result was a list."""
    name = called_builtin(module, node)
    return name if name in names else ""


def _list_method(module: Module, node: ast.AST) -> str:
    """Returns the name of the method of dicts that a call is of, if its result was a list."""
    method = node.func if isinstance(node, ast.Call) and not (node.args or node.keywords) else None
    if not isinstance(method, ast.Attribute) or method.attr not in python_2.LISTS_OF_DICTS:
        return ""
    frames = any(b.qualified.partition(".")[0] == "pandas" for b in imports(module))
    is_index = method.attr == "keys" and frames  # a DataFrame's is an Index
    return "" if is_index or module.resolve(method) is not None else method.attr


def _lists(module: Module) -> Iterator[_Place]:
    """Yields the calls whose result is used as the list that it was, which raises TypeError."""
    for node in module.all(ast.Subscript):
        if name := _list_function(module, node.value, python_2.LISTS - {"range"}):
            yield node, f"{name}()[...]"
    for sum_ in module.all(ast.BinOp):
        sides = [sum_.left, sum_.right]
        names = [_list_function(module, side) for side in sides]
        # An array can be added to a range.
        lists = all(names) or any(isinstance(side, (ast.List, ast.ListComp)) for side in sides)
        if isinstance(sum_.op, ast.Add) and any(names) and (lists or max(names) != "range"):
            yield sum_, f"{max(names)}() + ..."


def _lists_of_dicts(module: Module) -> Iterator[_Place]:
    """Yields what is done with ``d.keys()`` and their like that only a list can do."""
    for call, function in method_calls(module, *python_2.LISTS_OF_DICTS):
        if not _list_method(module, call):
            continue
        around = module.parent(call)
        if isinstance(around, ast.Subscript) and around.value is call:
            yield around, f".{function.attr}()[...]"
        elif isinstance(around, ast.Attribute) and around.attr == "sort":
            yield around, f".{function.attr}().sort()"
        elif isinstance(around, ast.BinOp) and isinstance(around.op, ast.Add):
            yield around, f".{function.attr}() + ..."


def _lists_of_tensors(module: Module) -> Iterator[_Place]:
    """Yields what TensorFlow takes as a list or tuple only: `session.run(updates.values())`."""
    wanted = [call.args[0] for call in module.calls_of(*python_2.OF_LISTS) if call.args]
    for call, method in method_calls(module, "run"):
        fetches = argument(call, 0, "fetches")
        made = origins(module, method.value) if fetches is not None else None
        if fetches is not None and made and all(called(module, m) in SESSIONS for m in made):
            wanted += _fetched(fetches)
    own = {function.name for function in module.all(ast.FunctionDef)}
    for node in wanted:
        values = origins(module, node) or ()
        methods = [_list_method(module, value) for value in values]
        names = [_list_function(module, value, python_2.LISTS - {"range"}) for value in values]
        if values and all(names):
            yield node, f"{names[0]}() as a list"
        elif values and all(methods) and own.isdisjoint(methods):
            yield node, f".{methods[0]}() as a list"


def _fetched(node: ast.expr) -> Iterator[ast.expr]:
    """Yields what a session fetches, in lists and dicts that are written out, too."""
    inner = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", None)
    if inner is None:
        yield node
    for value in inner or ():
        yield from _fetched(value)
