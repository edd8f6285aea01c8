"""The Dataset that a graph reads: its elements become the arguments of a step."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import (
    Conversion,
    called,
    free_name,
    local_values,
    refuse,
)
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.asynchronous import AsynchronousCluster
from tfmigrate.families.native_steps.batch_iterator import Batches
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.pipelines import convert_pipeline
from tfmigrate.families.native_steps.tensor_code import TensorCode
from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module

_METHOD = "make_one_shot_iterator"
_MERGED = ("tensorflow.summary.merge_all", "tensorflow.merge_all_summaries")
_FULL = "TensorFlow's summaries of how full a queue is are not written"


def convert_batches(
    plan: Conversion,
    graph: Graph,
    code: TensorCode,
    workers: AsynchronousCluster | None = None,
    replicated: bool = False,
) -> Batches | None:
    """Replaces what gives a graph its batches by an iterator; None where it has placeholders.

    Asynchronous workers have an iterator each, and the name is that of their list.

    Args:
        plan: the conversion.
        graph: the graph.
        code: converts code of tensors.
        workers: the asynchronous workers of the program; None for none.
        replicated: whether towers or workers run the graph.

    Raises:
        Refusal: the batches are not read in a known form.
    """
    leaves = graph.of(Kind.BATCH)
    if not leaves:
        return None
    if len(leaves) != 1 or not isinstance(leaves[0], ast.Assign):
        refuse(leaves[-1], "the graph reads several Datasets")
    leaf = leaves[0]
    parted = _is_parted(leaf)
    if graph.pipeline is not None:
        if replicated:
            refuse(leaf, "several workers or towers read a queue")
        name = free_name(graph.module, "batches", "iterator")
        convert_pipeline(plan, code, graph.pipeline, name)
        found = Batches(name, parted, graph.pipeline.ends)
        _check_reads(graph, code)
        for call in graph.module.calls_of(*_MERGED) if not plan.unwritten else ():
            plan.unsafe.append((graph.module, call, _FULL))
    else:
        found = _of_dataset(plan, graph, leaf, parted, workers)
    if found.ends and (replicated or not _is_plain(graph)):
        what = "the Dataset may end: it has no `repeat()`"
        refuse(leaf, what if graph.pipeline is None else "a queue with `num_epochs` may end")
    return found


def _check_reads(graph: Graph, code: TensorCode) -> None:
    """Refuses to compute what a queue gives with tensors or variables of the graph."""
    module = graph.module
    assert graph.pipeline is not None
    places: list[ast.AST] = [*code.functions]
    waiting = [graph.pipeline]
    while waiting:
        pipeline = waiting.pop()
        places += pipeline.statements()
        waiting += [stage.inner for stage in pipeline.stages if stage.inner is not None]
    batches = {name for leaf in graph.of(Kind.BATCH) for name in graph.assigned(leaf)}
    names = [node for place in places for node in module.all(ast.Name, place)]
    for node in sorted(names, key=module.position):
        own = isinstance(node.ctx, ast.Store) or node.id in batches
        if not own and graph.kind_of(node) is not Kind.PLAIN:
            refuse(node, f"the rows of a queue are computed with `{node.id}` of the graph")


def _is_parted(leaf: ast.Assign) -> bool:
    """Says whether an element is taken apart into names, and not held by one."""
    target = leaf.targets[0]
    if len(leaf.targets) == 1 and isinstance(target, ast.Name):
        return False
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    names = [element.id for element in elements if isinstance(element, ast.Name)]
    if len(leaf.targets) != 1 or len(names) != len(elements) or len(set(names)) != len(names):
        refuse(leaf, "the next element of a Dataset is not taken apart into names")
    return True


def _is_plain(graph: Graph) -> bool:
    """Says whether the session raises the error of a Dataset that ends: others catch it."""
    made = graph.session
    value = made.value if isinstance(made, ast.Assign) else None
    if isinstance(made, ast.With):
        value = made.items[0].context_expr
    return called(graph.module, value) == "tensorflow.Session"


def _of_dataset(
    plan: Conversion,
    graph: Graph,
    leaf: ast.Assign,
    parted: bool,
    workers: AsynchronousCluster | None,
) -> Batches:
    """Replaces ``get_next`` of a Dataset."""
    module = graph.module
    value = leaf.value
    held = _held_iterator(graph, value) if workers is None else None
    if held is not None:
        name, made = held
        dataset = _iterated(module, made)
        assert dataset is not None
        ends = _may_end(module, graph.home, dataset)
        plan.replace(module, made, Code("iter({0})", (dataset,)))
        plan.remove(module, leaf)
        return Batches(name, parted, ends)
    name = free_name(module, "batches", "iterator")
    dataset = _dataset(module, value)
    text = (
        f"{name} = iter({{0}})" if workers is None else f"{name} = {workers.for_each('iter({0})')}"
    )
    put = plan.rewrite if isinstance(module.parent(leaf), ast.With) else plan.replace_statement
    if dataset is not None:
        ends = _may_end(module, graph.home, dataset)
        put(module, leaf, Code(text, (dataset,)))
        if workers is not None:
            workers.give_task(dataset)
        return Batches(name, parted, ends)
    found = definition(plan, module, value.func) if isinstance(value, ast.Call) else None
    if found is None or found[0] is not module:
        refuse(leaf, "the Dataset of this element is not found")
    _, function = found
    (returned,) = [r for r in module.all(ast.Return, function) if module.function(r) is function]
    assert returned.value is not None
    dataset = _dataset(module, returned.value)
    if dataset is None:
        refuse(returned, "the Dataset of this element is not found")
    ends = _may_end(module, function, dataset)
    plan.replace(module, returned.value, Code("{0}", (dataset,)))
    put(module, leaf, Code(text, (value,)))
    if workers is not None:
        assert isinstance(value, ast.Call)
        workers.give_task(value, function)
    return Batches(name, parted, ends)


def _taken(node: ast.expr) -> ast.expr | None:
    """Returns the iterator of which an expression is the next element."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr != "get_next" or node.args or node.keywords:
        return None
    return node.func.value


def _iterated(module: Module, made: ast.expr | None) -> ast.expr | None:
    """Returns the Dataset of which an expression is an iterator."""
    if not isinstance(made, ast.Call):
        return None
    if called(module, made) == f"tensorflow.data.{_METHOD}" and len(made.args) == 1:
        return made.args[0]
    if isinstance(made.func, ast.Attribute) and made.func.attr == _METHOD and not made.args:
        return made.func.value
    return None


def _dataset(module: Module, node: ast.expr) -> ast.expr | None:
    """Returns the Dataset of which an expression is the next element."""
    return _iterated(module, _taken(node))


def _held_iterator(graph: Graph, node: ast.expr) -> tuple[str, ast.expr] | None:
    """Returns the variable that holds an iterator and nothing else, and what makes that."""
    module = graph.module
    held = _taken(node)
    if not isinstance(held, ast.Name) or not graph.is_here(held):
        return None
    values = local_values(module, held) or []
    reads = [n for n in module.all(ast.Name) if n.id == held.id and isinstance(n.ctx, ast.Load)]
    if len(values) != 1 or len(reads) != 1 or _iterated(module, values[0]) is None:
        return None
    return held.id, values[0]


def _may_end(module: Module, function: ast.AST, dataset: ast.expr) -> bool:
    """Says whether a Dataset may end."""
    calls: Sequence[ast.Call] = [*module.all(ast.Call, dataset), *module.all(ast.Call, function)]
    return not any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "repeat"
        and not call.args
        and not call.keywords
        for call in calls
    )
