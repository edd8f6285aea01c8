"""``tf.summary.FileWriter`` becomes a writer of TensorFlow 2, in the same place."""

from __future__ import annotations

import ast

from tfmigrate.families.native.conversion import Conversion, refuse, root_of_tensorflow
from tfmigrate.families.native_steps.graph import Graph
from tfmigrate.families.native_steps.summary_values import convert_values
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module

WRITERS = ("tensorflow.summary.FileWriter", "tensorflow.train.SummaryWriter")
_ADD = "add_summary"
_ATOMS = (ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_SAME = ("flush", "close")
_GRAPH = "add_graph"
_ARGUMENTS = ("logdir", "graph", "max_queue", "flush_secs", "graph_def", "filename_suffix")


def writer_names(module: Module) -> set[str]:
    """Returns the names of the variables that hold writers."""
    names = set()
    for call in module.calls_of(*WRITERS):
        statement = module.statement(call)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Name):
            names.add(target.id)
    return names


def convert_writers(plan: Conversion, graph: Graph) -> None:
    """Plans the edits of writers and of what uses them.

    Raises:
        Refusal: a writer is used for something else than to write summaries.
    """
    module = graph.module
    for call in module.calls_of(*WRITERS):
        statement = module.statement(call)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if (
            not isinstance(target, ast.Name)
            or not isinstance(statement, ast.Assign)
            or statement.value is not call
            or module.function(call) is not graph.home
        ):
            refuse(call, "a writer of summaries that is not held by a variable")
        _convert_writer(plan, module, call)
    names = writer_names(module)
    if names:
        convert_values(plan, module)
    for node in module.all(ast.Name):
        if node.id in names and isinstance(node.ctx, ast.Load):
            _convert_use(plan, module, node)


def _convert_writer(plan: Conversion, module: Module, call: ast.Call) -> None:
    """Replaces the call that makes a writer. The graph is not written."""
    if has_star_arguments(call) or len(call.args) > len(_ARGUMENTS):
        refuse(call, "the arguments of a writer of summaries")
    for keyword in call.keywords:
        if keyword.arg not in _ARGUMENTS:
            refuse(keyword.value, f"`{keyword.arg}` of a writer of summaries")
    folder, queue, seconds, suffix = (
        argument(call, _ARGUMENTS.index(name), name)
        for name in ("logdir", "max_queue", "flush_secs", "filename_suffix")
    )
    if folder is None:
        refuse(call, "the arguments of a writer of summaries")
    parts, texts = [folder], ["{0}"]
    millis = "1000 * {}" if isinstance(seconds, _ATOMS) else "1000 * ({})"
    for value, name, text in (
        (queue, "max_queue", "{}"),
        (seconds, "flush_millis", millis),
        (suffix, "filename_suffix", "{}"),
    ):
        if value is not None:
            texts.append(f"{name}={text.format(f'{{{len(parts)}}}')}")
            parts.append(value)
    made = f"{root_of_tensorflow(module, call.func)}.summary.create_file_writer"
    plan.replace(module, call, Code(made, tuple(parts), tuple(texts)))


def _convert_use(plan: Conversion, module: Module, node: ast.Name) -> None:
    """Converts one call of a method of a writer."""
    parent, statement = module.parent(node), module.statement(node)
    call = module.parent(parent)
    attribute = parent.attr if isinstance(parent, ast.Attribute) else ""
    if plan.is_removed(node):
        return
    if not isinstance(call, ast.Call) or call.func is not parent:
        refuse(node, "a writer of summaries that is used in another way")
    if attribute == _GRAPH and isinstance(statement, ast.Expr) and statement.value is call:
        plan.remove(module, statement)
        return
    if attribute in _SAME:
        return
    if attribute != _ADD or has_star_arguments(call):
        refuse(node, f"`{attribute}` of a writer of summaries")
    summary, step = argument(call, 0, "summary"), argument(call, 1, "global_step")
    if summary is None or module.names.bindings_of(_ADD):
        refuse(call, "the arguments of `add_summary`")
    parts = (node, summary) if step is None else (node, summary, step)
    texts = tuple(f"{{{index}}}" for index in range(len(parts)))
    plan.write_out(module, _ADD)
    plan.replace(module, call, Code(_ADD, parts, texts))
