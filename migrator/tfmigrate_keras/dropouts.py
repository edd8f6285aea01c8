"""``tf.nn.dropout`` in training alone becomes a Dropout layer, which follows the mode itself.

tf.nn.dropout has no mode. A dropout in all modes is not a Dropout layer, and is refused.
"""

import ast
from dataclasses import replace

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import Arguments
from tfmigrate_keras.conversion import Conversion, literal, local_values, reads, refuse
from tfmigrate_keras.modes import TRAIN, Modes
from tfmigrate_keras.tables.layers import FUNCTION_OF_DROPOUT, NN_DROPOUT

_ONLY_TRAINING = frozenset((TRAIN,))
_NO_DROPOUT = {"keep_prob": 1, "rate": 0}


def convert_dropouts(
    plan: Conversion, module: Module, function: ast.FunctionDef, modes: Modes
) -> None:
    """Plans the edits of the dropouts in a function that builds a model.

    Raises:
        Refusal: one is not for training alone.
    """
    for call in module.calls_of(FUNCTION_OF_DROPOUT):
        if module.function(call) is function and not plan.is_removed(call):
            _convert(plan, module, call, modes)


def _convert(plan: Conversion, module: Module, call: ast.Call, modes: Modes) -> None:
    arguments = Arguments(module, call, NN_DROPOUT)
    value = arguments.of("x")
    place: ast.expr | None = None
    if value is not None and is_in_training(module, call, modes):
        place = call
    elif value is not None:
        place = _chosen(module, call, value, modes) or _by_share(plan, module, arguments, modes)
    if place is None or value is None:
        reason = "`tf.nn.dropout` in all modes, and Keras has dropout in training alone"
        refuse(call, reason, "Use `tf.layers.dropout` with `training`.")
    code = arguments.code(plan, "x")
    if isinstance(place, ast.IfExp):
        plan.leave_out(module, place.test)
    plan.needs(module, "keras")
    tail = f"({{{len(code.parts)}}})"
    plan.replace(module, place, Code(code.template, (*code.parts, value), code.arguments, tail))


def is_in_training(module: Module, call: ast.AST, modes: Modes) -> bool:
    """Returns whether a call is ``x = tf.nn.dropout(x, ...)`` below ``if`` the mode is TRAIN."""
    statement = module.parent(call)
    block = module.parent(statement)
    if not isinstance(call, ast.Call) or module.resolve(call.func) != FUNCTION_OF_DROPOUT:
        return False
    if not isinstance(statement, ast.Assign) or not isinstance(block, ast.If) or not call.args:
        return False
    same = [ast.unparse(target) for target in statement.targets] == [ast.unparse(call.args[0])]
    return same and statement in block.body and modes.true_in(block.test) == _ONLY_TRAINING


def _chosen(module: Module, call: ast.Call, value: ast.expr, modes: Modes) -> ast.IfExp | None:
    """Returns ``tf.nn.dropout(x, ...) if training else x`` around a call; None if it is not."""
    chosen = module.parent(call)
    if not isinstance(chosen, ast.IfExp) or chosen.body is not call:
        return None
    same = ast.unparse(chosen.orelse) == ast.unparse(value)
    return chosen if same and modes.true_in(chosen.test) == _ONLY_TRAINING else None


def _by_share(
    plan: Conversion, module: Module, arguments: Arguments, modes: Modes
) -> ast.Call | None:
    """Returns a call whose share is chosen by the mode, so that nothing is dropped elsewhere."""
    candidates = [(name, arguments.of(name)) for name in _NO_DROPOUT]
    passed = [(name, value) for name, value in candidates if value is not None]
    if len(passed) != 1:
        return None
    (name, share), chosen = passed[0], passed[0][1]
    if isinstance(share, ast.Name):
        values = local_values(module, share) or []
        shares = plan.left(reads(module, module.function(share), share.id))
        if len(values) != 1 or not all(_is_share(module, n) for n in shares):
            return None
        chosen = values[0]
    if not isinstance(chosen, ast.IfExp) or modes.true_in(chosen.test) != _ONLY_TRAINING:
        return None
    if literal(chosen.orelse) != _NO_DROPOUT[name]:
        return None
    if chosen is share:
        arguments.passed = [
            replace(passed, value=chosen.body) if passed.value is share else passed
            for passed in arguments.passed
        ]
    elif plan.first_time(chosen):
        plan.replace(module, chosen, Code("{0}", (chosen.body,)))
    return arguments.call


def _is_share(module: Module, node: ast.AST) -> bool:
    """Returns whether a name is an argument of ``tf.nn.dropout``."""
    call = module.parent(node)
    call = module.parent(call) if isinstance(call, ast.keyword) else call
    return called(module, call) == FUNCTION_OF_DROPOUT
