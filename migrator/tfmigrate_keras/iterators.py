"""Input functions that take the elements of a Dataset apart and return them in another form.

What ``get_next`` returns are tensors of a graph, and Keras is given a Dataset. Only where the
function does no more than to rearrange the elements is ``dataset.map`` the same.
"""

import ast
from collections.abc import Iterator

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import called, called_on, has_star_arguments
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import definition_of
from tfmigrate_keras.conversion import Conversion, reads
from tfmigrate_keras.tensors import source

_METHOD = "make_one_shot_iterator"
_FUNCTION = f"tensorflow.data.{_METHOD}"
_OF_ELEMENTS = ("shuffle", "repeat", "batch", "take", "skip", "prefetch", "cache", "shard")


def return_mapped(
    plan: Conversion, module: Module, function: ast.FunctionDef, statement: ast.Return
) -> bool:
    """Plans ``dataset.map`` for ``x, y = (...).get_next()`` above ``return {'x': x}, y``.

    Returns:
        Whether the statement is such a return.
    """
    above = _above(module, statement)
    value = statement.value
    if not isinstance(above, ast.Assign) or not isinstance(value, ast.Tuple):
        return False
    dataset = _dataset(module, above.value)
    names = _names(module, above, dataset) if dataset is not None else []
    if dataset is None or not names or not _is_rearranged(value, names):
        return False
    inside = {*module.walk(value), *module.walk(above)}
    for node in reads(module, function, *names):
        below = module.position(node) > module.position(above)
        later = module.function(node) is not function or below
        if later and node not in inside:  # the name is gone, except for what the lambda returns
            return False
    parts: tuple[ast.expr, ...] = (dataset, *value.elts)
    pair = "{1}, {2}"
    if len(names) == 1:  # as text: the name is that of a parameter now
        parts, pair = (dataset,), ", ".join(module.code(part) for part in value.elts)
    mapped = Code("return {0}.map", parts, (f"lambda {', '.join(names)}: ({pair})",))
    plan.drop(module, above, (dataset,))
    plan.replace_statement(module, statement, mapped)
    return True


def _above(module: Module, statement: ast.stmt) -> ast.stmt | None:
    """Returns the statement right above one in the same block."""
    block = getattr(module.parent(statement), "body", [])
    position = block.index(statement) if statement in block else 0
    above: ast.stmt | None = block[position - 1] if position else None
    return above


def _dataset(module: Module, node: ast.expr) -> ast.expr | None:
    """Returns the Dataset of which an expression is the next element."""
    iterator = called_on(node, "get_next")
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    if not isinstance(iterator, ast.Call) or has_star_arguments(iterator):
        return None
    if called(module, iterator) == _FUNCTION:
        dataset = iterator.args[0] if len(iterator.args) == 1 else None
    else:
        dataset = called_on(iterator, _METHOD)
    if dataset is None or kind_of(module, dataset) is not Kind.DATASET:
        return None
    return dataset


def _names(module: Module, statement: ast.Assign, dataset: ast.expr) -> list[str]:
    """Returns the names in ``x, y = ...``, or that in ``x = ...`` of elements that are no pairs."""
    (target, *others) = statement.targets
    if others:
        return []
    if isinstance(target, ast.Name):
        return [target.id] if _has_single_tensors(module, dataset) else []
    if not isinstance(target, ast.Tuple):
        return []
    names = [node.id for node in target.elts if isinstance(node, ast.Name)]
    return names if len(names) == len(target.elts) == len(set(names)) else []


def _has_single_tensors(module: Module, dataset: ast.expr) -> bool:
    """Returns whether each element of a Dataset is known to be one tensor."""
    stage = source(module, dataset)
    while isinstance(stage, ast.Call) and isinstance(stage.func, ast.Attribute):
        if called(module, stage).endswith(".Dataset.from_tensor_slices"):
            return len(stage.args) == 1 and _is_array(module, stage.args[0])
        if stage.func.attr not in _OF_ELEMENTS:
            return False
        stage = source(module, stage.func.value)
    return False


def _is_array(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is known to be an array of NumPy."""
    value = source(module, node)
    if not isinstance(value, ast.Call):
        return False
    if called_on(value, "astype") is not None:
        return True
    own_function = definition_of(module, value.func)
    if not isinstance(own_function, ast.FunctionDef):
        return False
    returned = [s.value for s in module.returns(own_function) if s.value]
    return bool(returned) and all(_is_array(module, one) for one in returned)


def _is_rearranged(value: ast.Tuple, names: list[str]) -> bool:
    """Returns whether a pair of features and labels holds only elements, which ``map`` returns."""
    leaves = [leaf for element in value.elts for leaf in _leaves(element)]
    return len(value.elts) == 2 and all(
        isinstance(leaf, ast.Name) and leaf.id in names for leaf in leaves
    )


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        for value in node.values:
            yield from _leaves(value)
    else:
        yield node
