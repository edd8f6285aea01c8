"""The penalty of regularizers: TensorFlow 1.x adds it to the loss by hand, Keras always adds it.

So a program that has regularizers and does not add their penalty trains without it, and is refused:
as a Keras model it would train with it.
"""

import ast

from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, reads, stores
from tfmigrate_keras.tensors import source

_PENALTY = "tensorflow.losses.get_regularization_loss"
_PENALTIES = "tensorflow.losses.get_regularization_losses"
_COLLECTION = "tensorflow.GraphKeys.REGULARIZATION_LOSSES"
_SUMS = ("tensorflow.add_n", "tensorflow.reduce_sum")


def without_penalty(plan: Conversion, module: Module, value: ast.expr) -> ast.expr:
    """Returns what a loss is beside the penalty, and removes the addition."""
    node = source(module, value)
    plan.regularized = False
    if isinstance(node, ast.Name):
        return _before_addition(plan, module, node) or node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return node
    loss_sides = [side for side in (node.left, node.right) if not _is_penalty(module, side)]
    if len(loss_sides) != 1:
        return node
    plan.regularized = True
    loss = source(module, loss_sides[0])
    if module.statement(loss) is not module.statement(node):
        plan.remove(module, module.statement(node))
    return loss


def _before_addition(plan: Conversion, module: Module, name: ast.Name) -> ast.expr | None:
    """Returns what ``loss`` was before ``loss += penalty``; None if that is not all it was."""
    places = [module.parent(store) for store in stores(module, module.function(name), name.id)]
    if len(places) != 2 or module.parent(places[0]) is not module.parent(places[1]):
        return None
    assigned, added = sorted(places, key=module.position)
    if not isinstance(assigned, ast.Assign) or not isinstance(added, ast.AugAssign):
        return None
    read = reads(module, module.function(name), name.id)
    between = any(module.position(node) < module.position(added) for node in read)
    if between or not isinstance(added.op, ast.Add) or not _is_penalty(module, added.value):
        return None
    plan.regularized = True
    plan.remove(module, added)
    return assigned.value


def _is_penalty(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is the sum of the penalties of all regularizers."""
    node = source(module, node)
    if not isinstance(node, ast.Call):
        return False
    if called(module, node) == _PENALTY:
        return not node.args and not node.keywords
    if called(module, node) not in _SUMS or len(node.args) != 1 or node.keywords:
        return False
    return is_penalties(module, source(module, node.args[0]))


def is_penalties(module: Module, held: ast.expr) -> bool:
    """Returns whether an expression is the list of the penalties of all regularizers."""
    if called(module, held) == _PENALTIES and isinstance(held, ast.Call):
        return not held.args and not held.keywords
    if called(module, held) != "tensorflow.get_collection" or not isinstance(held, ast.Call):
        return False
    key = argument(held, 0, "key")
    return key is not None and module.resolve(key) == _COLLECTION and len(held.args) == 1
