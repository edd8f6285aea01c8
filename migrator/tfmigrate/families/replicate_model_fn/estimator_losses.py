"""Losses that tf.estimator of TensorFlow 1.15 to 2.15 scales differently from replicate_model_fn.

Both divide the loss of a replica by their number, or do not: replicate_model_fn unless its
``loss_reduction`` is SUM; tf.estimator, by ``tf.distribute.get_loss_reduction``, unless the last
loss of tf.losses or tf.keras.losses in the graph was reduced by SUM (TensorFlow 2.15.1,
tensorflow/python/distribute/distribute_utils.py).

A program keeps its numbers only where both scale a loss, or neither does. A loss whose reduction is
unknown counts as one that differs: gradients N times too large or too small raise no error.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.replicate_model_fn.family import references
from tfmigrate.families.replicate_model_fn.wrapper_call import read_wrapper
from tfmigrate.rulekit.basics import Module, Program, Refusal
from tfmigrate.tables.family_names import WRAPPER

_LOSSES = "tensorflow.losses."
_REDUCTION = f"{_LOSSES}Reduction"
_SUM = f"{_REDUCTION}.SUM"
_KERAS = "tensorflow.keras.losses."
# Functions of tf.losses that do not reduce a loss.
_NO_LOSSES = (
    "add_loss", "get_losses", "get_regularization_loss", "get_regularization_losses",
    "get_total_loss",
)  # fmt: skip


def wrongly_scaled(program: Program) -> Iterator[tuple[Module, ast.AST, str]]:
    """Yields losses of replicated programs that tf.estimator would scale differently, and why."""
    for group in dict.fromkeys(program.groups.values()):
        reductions = list(_reductions(program, group))
        wrappers = list(_wrapper_reductions(program, group))
        for module in [m for m, of in program.imported_by_groups.items() if of == group]:
            for use in module.uses:
                if use.qualified.startswith(_KERAS) and use.qualified[len(_KERAS)].isupper():
                    yield module, use.node, "Keras losses cannot be averaged under a strategy"
        losses = [
            (module, call, _is_sum(module, reduction)) for module, call, reduction in reductions
        ]
        for module, node, reduction in wrappers:
            if reduction is None:
                for where, call, is_sum in losses:
                    if is_sum is not False:
                        yield where, call, _SCALED_BY_TOWERS
            elif module.resolve(reduction) != _SUM:
                yield module, node, "cannot determine the loss_reduction of replicate_model_fn"
            elif not losses:
                yield module, node, _NOT_A_SUM
            else:
                for where, call, is_sum in losses:
                    if is_sum is not True:
                        yield where, call, _NOT_A_SUM


_SCALED_BY_TOWERS = (
    "replicate_model_fn divides this loss by the number of towers, but tf.estimator does not "
    "if the reduction is, or may be, SUM"
)
_NOT_A_SUM = (
    "with loss_reduction=SUM the losses of the towers are added up, but tf.estimator only does so "
    "for functions of tf.losses with reduction=SUM"
)


def _reductions(
    program: Program, group: str
) -> Iterator[tuple[Module, ast.AST, ast.expr | ast.AST | None]]:
    """Yields the losses of tf.losses in a group's files, with the reduction of each."""
    for module, of in program.imported_by_groups.items():
        if of != group:
            continue
        for use in module.uses:
            name = use.qualified.removeprefix(_LOSSES)
            if name == use.qualified or name in _NO_LOSSES or name.startswith("Reduction"):
                continue
            parent = module.parent(use.node)
            if isinstance(parent, ast.Call) and parent.func is use.node:
                hidden = any(k.arg is None for k in parent.keywords)
                by_keyword = next((k.value for k in parent.keywords if k.arg == "reduction"), None)
                by_position = _by_position(module, parent)
                # `**` may hide a reduction: the call itself resolves to none, so it is unknown.
                yield module, parent, parent if hidden else by_keyword or by_position
            else:
                yield module, use.node, use.node  # a function that is passed on


def _by_position(module: Module, call: ast.Call) -> ast.expr | None:
    """Returns an argument of a loss by position that is a reduction."""
    return next(
        (
            candidate
            # Its position is not the same in all of them: huber_loss has `delta` before it.
            for candidate in call.args
            if isinstance(candidate, ast.Starred)
            or (module.resolve(candidate) or "").startswith(_REDUCTION)
        ),
        None,
    )


def _is_sum(module: Module, reduction: ast.expr | ast.AST | None) -> bool | None:
    """Returns whether a reduction is SUM; None if it is unknown."""
    if reduction is None:
        return False
    name = module.resolve(reduction) if isinstance(reduction, (ast.Name, ast.Attribute)) else None
    if name is None or not name.startswith(f"{_REDUCTION}."):
        return None
    return name == _SUM


def _wrapper_reductions(
    program: Program, group: str
) -> Iterator[tuple[Module, ast.AST, ast.expr | None]]:
    for module, of in program.groups.items():
        if of != group:
            continue
        for call in references(module, WRAPPER).calls:
            try:
                wrapper = read_wrapper(module, call)
            except Refusal:
                continue  # another rule reports a wrapper that cannot be resolved
            yield module, call, wrapper.loss_reduction
