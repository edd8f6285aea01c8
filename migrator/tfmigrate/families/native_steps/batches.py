"""The Dataset that a graph reads: its elements become the arguments of a step."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import Conversion, called, free_name, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.asynchronous import AsynchronousCluster
from tfmigrate.families.native_steps.graph import Graph
from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module

_METHOD = "make_one_shot_iterator"


def convert_batches(
    plan: Conversion,
    graph: Graph,
    leaves: Sequence[ast.stmt],
    workers: AsynchronousCluster | None = None,
) -> str:
    """Replaces ``get_next`` by an iterator; returns its name.

    Asynchronous workers have an iterator each, and the name is that of their list.

    Raises:
        Refusal: the Dataset may end, or is not read in a known form.
    """
    module = graph.module
    if len(leaves) != 1 or not isinstance(leaves[0], ast.Assign):
        refuse(leaves[-1], "the graph reads several Datasets")
    leaf = leaves[0]
    target = leaf.targets[0]
    if not isinstance(target, ast.Tuple) or not all(isinstance(t, ast.Name) for t in target.elts):
        refuse(leaf, "the next element of a Dataset is not taken apart into names")
    name = free_name(module, "batches", "iterator")
    value = leaf.value
    dataset = _dataset(graph, module, value)
    made = (
        f"{name} = iter({{0}})" if workers is None else f"{name} = {workers.for_each('iter({0})')}"
    )
    if dataset is None:
        found = definition(plan, module, value.func) if isinstance(value, ast.Call) else None
        if found is None or found[0] is not module:
            refuse(leaf, "the Dataset of this element is not found")
        _, function = found
        (returned,) = [
            r for r in module.all(ast.Return, function) if module.function(r) is function
        ]
        assert returned.value is not None
        dataset = _dataset(graph, module, returned.value)
        if dataset is None:
            refuse(returned, "the Dataset of this element is not found")
        _check_endless(module, function, dataset)
        plan.replace(module, returned.value, Code("{0}", (dataset,)))
        plan.replace_statement(module, leaf, Code(made, (value,)))
        if workers is not None:
            assert isinstance(value, ast.Call)
            workers.give_task(value, function)
        return name
    _check_endless(module, graph.home, dataset)
    plan.replace_statement(module, leaf, Code(made, (dataset,)))
    if workers is not None:
        workers.give_task(dataset)
    return name


def _dataset(graph: Graph, module: Module, node: ast.expr) -> ast.expr | None:
    """Returns the Dataset of which an expression is the next element."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr != "get_next" or node.args or node.keywords:
        return None
    made = node.func.value
    if not isinstance(made, ast.Call):
        return None
    if called(module, made) == f"tensorflow.data.{_METHOD}" and len(made.args) == 1:
        return made.args[0]
    if isinstance(made.func, ast.Attribute) and made.func.attr == _METHOD and not made.args:
        return made.func.value
    return None


def _check_endless(module: Module, function: ast.AST, dataset: ast.expr) -> None:
    """Refuses a Dataset that may end: a session raised OutOfRangeError then."""
    for place in (dataset, function):
        for call in module.all(ast.Call, place):
            if (
                isinstance(call.func, ast.Attribute)
                and call.func.attr == "repeat"
                and not call.args
                and not call.keywords
            ):
                return
    refuse(dataset, "the Dataset may end: it has no `repeat()`")
