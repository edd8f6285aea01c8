"""Datasets that a function makes a one-shot iterator of, and that were made before it is called."""

import ast

from tfmigrate.resolve.calls import called, method_calls
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.scopes import AssignBinding, Binding, ImportBinding, OtherBinding
from tfmigrate.resolve.settled_values import passed_by_callers

_METHOD = "make_one_shot_iterator"
_FUNCTION = "tensorflow.data.make_one_shot_iterator"
_GRAPH = "tensorflow.Graph"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@asked_once
def iterates_outer_dataset(module: Module) -> bool:
    """Returns whether a function makes a one-shot iterator of a Dataset that it did not make.

    TensorFlow 1.x copied such a Dataset to the graph of the iterator, as of an input function.
    """
    if not module.mentions(_METHOD):
        return False
    return any(is_outer(module, dataset) for dataset in _iterated(module))


def is_outer(module: Module, dataset: ast.expr) -> bool:
    """Returns whether a Dataset may have been made outside of the function that names it."""
    function = next((a for a in module.ancestors(dataset) if isinstance(a, _FUNCTIONS)), None)
    return function is not None and _is_outer(module, dataset, function, set())


def iterated_in_own_graph(module: Module) -> list[ast.Name]:
    """Returns the Datasets that are iterated in a graph of the program, and made outside of any."""
    if not module.mentions(_METHOD):
        return []
    names = [dataset for dataset in _iterated(module) if isinstance(dataset, ast.Name)]
    return [name for name in names if _is_of_another_graph(module, name, set())]


def _is_of_another_graph(module: Module, node: ast.expr, seen: set[ast.expr]) -> bool:
    """Returns whether a Dataset is used in a graph's block, by all callers, and not made in it."""
    if any(_is_graph(module, graph) for graph in _graphs(module, node)):
        return _is_made_outside(module, node, set())
    passed = [value for b in _bindings(module, node) for value in _passed(module, b)]
    return bool(passed) and all(
        value not in seen and _is_of_another_graph(module, value, {*seen, node}) for value in passed
    )


def _bindings(module: Module, node: ast.expr) -> list[Binding]:
    return module.bindings(node) if isinstance(node, ast.Name) else []


def _passed(module: Module, binding: Binding) -> list[ast.expr]:
    """Returns what the file's calls pass for a name, if that is a parameter."""
    if not isinstance(binding, OtherBinding) or not isinstance(binding.node, ast.arg):
        return []
    return [value for _, value in passed_by_callers([module], module, binding.node)]


def _is_made_outside(module: Module, node: ast.expr, seen: set[Binding]) -> bool:
    """Returns whether a Dataset is made outside of any graph's block, here or by all callers."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Call) and not _graphs(module, node)
    bindings = module.bindings(node)
    for binding in bindings:
        values = _passed(module, binding)
        if isinstance(binding, AssignBinding) and isinstance(binding.value, ast.Call):
            values = [binding.value]
        if not values or binding in seen:
            return False
        if not all(_is_made_outside(module, value, {*seen, binding}) for value in values):
            return False
    return bool(bindings)


def _graphs(module: Module, node: ast.AST) -> list[ast.expr]:
    """Returns what the blocks around a node make the default: graphs, or sessions."""
    items = [item for a in module.ancestors(node) if isinstance(a, ast.With) for item in a.items]
    methods = [i.context_expr.func for i in items if isinstance(i.context_expr, ast.Call)]
    return [m.value for m in methods if isinstance(m, ast.Attribute) and m.attr == "as_default"]


def _is_graph(module: Module, node: ast.expr) -> bool:
    values = [node, *module.values(node)]
    return any(called(module, value) == _GRAPH for value in values)


def _iterated(module: Module) -> list[ast.expr]:
    calls = [call.args[0] for call in module.calls_of(_FUNCTION) if call.args]
    return calls + [method.value for _, method in method_calls(module, _METHOD)]


def _is_outer(module: Module, node: ast.expr, function: ast.AST, seen: set[ast.expr]) -> bool:
    if node in seen or module.resolve(node) is not None:
        return False
    seen.add(node)
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Attribute)
    scope = module.scope(node)
    bindings = module.bindings(node)
    if scope is None or any(isinstance(b, ImportBinding) for b in bindings):
        return False
    # Methods of Datasets (`data = data.repeat()`) take none of another graph.
    values = [b.value for b in bindings if isinstance(b, AssignBinding)]
    if scope.node is not function or not values:
        return True
    return any(_is_outer(module, value, function, seen) for value in values)
