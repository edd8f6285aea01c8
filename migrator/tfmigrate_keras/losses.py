"""The loss of a model function, as one of Keras.

The classes of Keras are tried first, since they are what one would write today; the same loss as a
function is the second choice. What is reported is the refusal of the form that the program is
closer to.
"""

import ast
from dataclasses import dataclass

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, called
from tfmigrate.rulekit.basics import Module, Refusal
from tfmigrate_keras.batch_losses import BatchLoss, batch_loss, check_losses, reads_variables
from tfmigrate_keras.conversion import Conversion, check_stars, literal, refuse
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.penalties import without_penalty
from tfmigrate_keras.strategies import Replication
from tfmigrate_keras.tables.losses import LOSSES, OF_LAST_AXIS, SPARSE, Loss
from tfmigrate_keras.tensors import has_columns, is_labels, one_hot_of_labels, source

_REDUCTION = "tensorflow.losses.Reduction."
_MEANS = ("MEAN", "SUM_BY_NONZERO_WEIGHTS", "SUM_OVER_BATCH_SIZE", "SUM_OVER_NONZERO_WEIGHTS")
_HARMLESS = ("scope", "name", "loss_collection")


@dataclass(frozen=True)
class FoundLoss:
    """The loss of a model function.

    Attributes:
        node: the expression that computes it.
        output: the output of the model that it is computed from.
        code: the loss of Keras.
        summed: whether it is a sum over the batch; None where it may be anything.
        sparse: whether its labels are numbers of classes; None where that is not known.
        batch: the function that computes it, where it is not a class of Keras.
        penalized: whether it reads the variables of the model.
    """

    node: ast.expr
    output: ast.expr
    code: Code
    summed: bool | None
    sparse: bool | None
    batch: BatchLoss | None = None
    penalized: bool = False


def find_loss(
    plan: Conversion, model: ModelFunction, value: ast.expr, replication: Replication
) -> FoundLoss:
    """Returns the loss that an expression holds.

    Raises:
        Refusal: it is not a loss of Keras, and no function of the labels and one output.
    """
    node = without_penalty(plan, model.module, value)
    try:
        return _of_keras(plan, model, node, replication)
    except Refusal as refusal:
        try:
            own_loss = batch_loss(plan, model, node)
            check_losses(model.module, own_loss)
        except Refusal as other:
            raise (refusal if called(model.module, node) in LOSSES else other) from None
    plan.of_values.update(own_loss.parts)
    plan.write_out(model.module, "BatchLoss")
    plan.needs(model.module, "keras")
    penalized = any(reads_variables(model.module, part) for part in own_loss.parts)
    return FoundLoss(node, own_loss.output, Code("BatchLoss"), None, None, own_loss, penalized)


def _of_keras(
    plan: Conversion, model: ModelFunction, node: ast.expr, replication: Replication
) -> FoundLoss:
    """Returns the class of Keras for a loss.

    Raises:
        Refusal: Keras has no such loss.
    """
    module = model.module
    inner, averaged = _without_mean(module, node)
    name = called(module, inner)
    if (loss := LOSSES.get(name)) is None or not isinstance(inner, ast.Call):
        what = ast.unparse(inner)
        refuse(inner, f"the loss `{what if len(what) < 60 else name}` is not a loss of Keras")
    if loss.rows != averaged:
        refuse(inner, "the mean of the loss over the batch is not taken directly")
    check_stars(inner, "the loss")
    summed = _check_arguments(module, inner, loss)
    labels = argument(inner, loss.labels[1], loss.labels[0])
    output = argument(inner, loss.output[1], loss.output[0])
    if labels is None or output is None:
        refuse(inner, "the loss has no labels or no output of the model")
    target, sparse = _target(model, loss, labels)
    options = [f"{k.arg}={ast.unparse(k.value)}" for k in inner.keywords if k.arg in loss.shared]
    if target == SPARSE and options:
        refuse(inner, "label smoothing of labels that are not one-hot")
    plan.needs(module, "keras")
    code = Code(f"{target}({', '.join((*loss.added, *options))})")
    if summed:
        code = _sum(plan, module, inner, loss)
    elif (
        (replication.has_towers or replication.per_replica)
        and target in OF_LAST_AXIS
        and not has_columns(plan, module, output)
    ):
        plan.write_out(module, "MeanOfElements")
        code = Code(f"MeanOfElements({code.template})")
    return FoundLoss(node, output, code, summed, sparse)


def _without_mean(module: Module, node: ast.expr) -> tuple[ast.expr, bool]:
    """Returns what ``tf.reduce_mean`` is taken of, and whether it is."""
    if called(module, node) != "tensorflow.reduce_mean":
        return node, False
    assert isinstance(node, ast.Call)
    others = [k for k in node.keywords if k.arg not in ("name", "input_tensor")]
    value = argument(node, 0, "input_tensor")
    if others or len(node.args) > 1 or value is None:
        return node, False
    return source(module, value), True


def _check_arguments(module: Module, call: ast.Call, loss: Loss) -> bool:
    """Checks the other arguments of a loss; returns whether it is summed over the batch."""
    summed = False
    known = (loss.labels[0], loss.output[0], *_HARMLESS, *loss.shared)
    if len(call.args) > 2 and not loss.rows:
        refuse(
            call.args[2],
            "the third argument of the loss is not passed by keyword",
            "pass it by keyword",
        )
    for keyword in call.keywords:
        if keyword.arg == "reduction":
            reduction = (module.resolve(keyword.value) or "").removeprefix(_REDUCTION)
            if reduction not in (*_MEANS, "SUM"):
                refuse(keyword.value, f"the reduction `{ast.unparse(keyword.value)}` of the loss")
            summed = reduction == "SUM"
        elif keyword.arg == "weights" and literal(keyword.value) == 1:
            continue
        elif keyword.arg not in known:
            refuse(keyword.value, f"`{keyword.arg}` of the loss")
    return summed


def _target(model: ModelFunction, loss: Loss, labels: ast.expr) -> tuple[str, bool]:
    """Returns the class of a loss, and whether its labels are numbers of classes."""
    if loss.classes and one_hot_of_labels(model, labels):
        return SPARSE, True
    if not is_labels(model, labels):
        what = ast.unparse(labels)
        refuse(labels, f"the loss compares `{what}`, and Keras compares the labels of the Dataset")
    return loss.target, loss.target == SPARSE


def _sum(plan: Conversion, module: Module, call: ast.Call, loss: Loss) -> Code:
    """Returns the sum of a loss over the batch, of all replicas."""
    if not loss.summed:
        refuse(call, "the loss is a sum over the batch")
    plan.write_out(module, loss.summed)
    return Code(f"{loss.summed}()")
