"""Tensors that the graph computes of the global step."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.tensors import CASTS
from tfmigrate.families.native_steps.graph import STEPS, Graph, Kind
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.families.native_steps.training import Training
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument


def check_counts(graph: Graph, training: Training, step: ast.expr) -> None:
    """Refuses a global step that the training operation does not count.

    Raises:
        Refusal: it does not.
    """
    assert isinstance(training.leaf.value, ast.Call)
    counted = argument(training.leaf.value, 1, "global_step")
    if counted is None or graph.value_of(counted) is not graph.value_of(step):
        refuse(step, "the training operation does not count this global step")


def read_steps(graph: Graph, functions: Sequence[ast.FunctionDef]) -> list[ast.Name]:
    """Returns where tensors are computed of the global step."""
    places: list[ast.AST] = [*graph.of(Kind.TENSOR, Kind.COLLECTED), *functions]
    return [
        node
        for place in places
        for node in graph.module.all(ast.Name, place)
        if isinstance(node.ctx, ast.Load) and graph.kind_of(node) is Kind.STEP
    ]


def convert_steps(plan: Conversion, steps: Steps, functions: Sequence[ast.FunctionDef]) -> bool:
    """Replaces the global step by the count of the optimizer; says whether tensors read it.

    Raises:
        Refusal: the training operation does not count it.
    """
    graph, module = steps.graph, steps.graph.module
    found = [node for node in read_steps(graph, functions) if not plan.is_removed(node)]
    for node in found:
        check_counts(graph, steps.training, node)
        if steps.workers or (steps.strategy and module.calls_of("tensorflow.train.Server")):
            refuse(node, f"a tensor of several workers reads `{node.id}`")
        count = f"{steps.optimizer}.iterations"
        parent = module.parent(node)
        if called(module, parent) not in CASTS or node not in getattr(parent, "args", ()):
            count = f"tf.cast({count}, tf.{_type_of(graph, node)})"
        plan.replace(module, node, Code(count))
    return bool(found)


def _type_of(graph: Graph, node: ast.Name) -> str:
    """Returns the type of a global step."""
    made = graph.value_of(node)
    name = called(graph.module, made)
    if name in STEPS:
        return "int64"
    place = 2 if name.endswith("get_variable") else 4
    dtype = argument(made, place, "dtype") if isinstance(made, ast.Call) else None
    if dtype is not None:
        written = graph.module.resolve(dtype) or ""
        if written not in [f"tensorflow.{t}" for t in ("int32", "int64", "float32")]:
            refuse(dtype, "the type of the global step")
        return written.removeprefix("tensorflow.")
    if name.endswith("get_variable"):
        start = argument(made, 3, "initializer") if isinstance(made, ast.Call) else None
    else:
        start = argument(made, 0, "initial_value") if isinstance(made, ast.Call) else None
    whole = isinstance(start, ast.Constant) and isinstance(start.value, int)
    if not whole and not name.endswith("get_variable"):
        refuse(node, f"the type of `{node.id}` is not written out")
    return "int32" if whole else "float32"
