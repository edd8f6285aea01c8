"""What functions of a pipeline cannot do as the graph of a queue did."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native.steady import changed
from tfmigrate.families.native_steps.queue_parts import Pipeline, Stage, loaded, stored
from tfmigrate.families.native_steps.queue_stages import NO_TENSORS
from tfmigrate.resolve.module import Module

_EAGER = tuple(
    f"tensorflow.{name}"
    for name in (
        *("constant", "convert_to_tensor", "cast", "to_float", "to_int32", "to_int64", "reshape"),
        *("zeros", "ones", "range", "one_hot", "stack", "concat", "expand_dims", "squeeze"),
    )
)
"""What has the same value each time, so that it may be computed once."""


def check_eager(plan: Conversion, module: Module, place: ast.AST) -> None:
    """Checks that what fills a queue has the same value each time.

    Raises:
        Refusal: it may have another one.
    """
    for call in module.all(ast.Call, place):
        name = called(module, call)
        known = name in _EAGER or name.startswith(NO_TENSORS) or plan.is_replaced(call.func)
        own = definition(plan, module, call.func)
        if own is not None and any(
            called(own[0], inner).startswith("tensorflow.")
            and not called(own[0], inner).startswith(NO_TENSORS)
            for inner in own[0].all(ast.Call, own[1])
        ):
            refuse(call, f"`{own[1].name}` makes tensors that fill a queue")
        if name.startswith("tensorflow.") and not known:
            refuse(
                call,
                f"`{ast.unparse(call.func)}` fills a queue, and its values may differ each time",
            )


def check_names(module: Module, pipeline: Pipeline) -> None:
    """Checks the names that become those of a function.

    Raises:
        Refusal: something else assigns or reads them, or statements change other objects.
    """
    inside = {node for leaf in pipeline.statements() for node in module.walk(leaf)}
    made: dict[str, tuple[int, int]] = {}
    local = set[str]()
    for stage in pipeline.stages:
        own = {name for leaf in stage.elements for name in stored(module, leaf)}
        for name in (*stage.parameters, *stage.unused, *own):
            if name not in made:
                made[name] = module.position(stage.start)
                if name not in own or not _is_read_first(module, stage, name):
                    local.add(name)
        _check_changes(module, stage, {*stage.parameters, *own})
    for reader in pipeline.readers:
        made.update((name, module.position(reader)) for name in stored(module, reader))
    function = pipeline.function
    if isinstance(function, ast.FunctionDef):
        for given in ast.walk(function.args):
            if isinstance(given, ast.arg) and given.arg in made.keys() - local:
                refuse(given, f"`{given.arg}` of a queue is set anew")
    last = pipeline.stages[-1] if pipeline.stages else None
    free = set(last.parameters) if last is not None and pipeline.returned is None else set()
    for node in _names(module, pipeline):
        if node.id not in made.keys() - free or node in inside:
            continue
        if module.position(node) < made[node.id] and module.function(node) is function:
            if isinstance(node.ctx, ast.Load) or node.id in local:
                continue
        elif isinstance(node.ctx, ast.Store) or _is_set_below(module, pipeline, node):
            continue
        refuse(node, f"`{node.id}` of a queue is used in another way than in a batch")


def _is_read_first(module: Module, stage: Stage, name: str) -> bool:
    """Says whether the function of a stage may read a name before it assigns it."""
    if name in stage.parameters:
        return False
    for leaf in stage.elements:
        if name in loaded(module, leaf):
            return True
        if name in stored(module, leaf):
            return not isinstance(leaf, ast.Assign)
    return False


def _names(module: Module, pipeline: Pipeline) -> Iterator[ast.Name]:
    """Yields the variables of the function of a pipeline."""
    for node in module.all(ast.Name):
        found = module.names.scope_of[node].lookup(node.id)
        if node.id != "_" and found is not None and found[0].node is pipeline.function:
            yield node


def _is_set_below(module: Module, pipeline: Pipeline, load: ast.Name) -> bool:
    """Says whether a variable is assigned below the pipeline before it is read."""
    end = module.position(pipeline.stages[-1].start)
    for node in _names(module, pipeline):
        if node.id != load.id or not isinstance(node.ctx, ast.Store):
            continue
        above = end < module.position(node) < module.position(load)
        if above and module.parent(module.statement(node)) in module.ancestors(load):
            return True
    return False


def _check_changes(module: Module, stage: Stage, own: set[str]) -> None:
    """Refuses to change an object that exists before the function is traced."""
    for leaf in stage.elements:
        for name in changed(module, leaf):
            if name.id not in own:
                refuse(name, f"`{name.id}` is changed by each row, and exists before")
