"""The metrics of a model function, as those of Keras.

Keras computes metrics from the output that the loss has, mostly logits. A metric of classes or
probabilities is recognized by how these are computed from it; others become functions.
"""

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none
from tfmigrate_keras.batch_metrics import metric_of_values
from tfmigrate_keras.conversion import Conversion, literal, refuse
from tfmigrate_keras.losses import FoundLoss
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.tables.metrics import (
    CLASS,
    COLUMN,
    METRICS,
    OF_COLUMNS,
    OUTPUT,
    PROBABILITY,
    ROUNDED,
    STREAMING,
)
from tfmigrate_keras.tensors import has_columns, is_labels, is_same, one_hot_of_labels, source

_ARGMAX = ("tensorflow.argmax", "tensorflow.math.argmax", "tensorflow.arg_max")
_SOFTMAX = ("tensorflow.nn.softmax",)
_SIGMOID = ("tensorflow.sigmoid", "tensorflow.nn.sigmoid", "tensorflow.math.sigmoid")
_ROUND = ("tensorflow.round", "tensorflow.math.round")
_SHAPES = ("tensorflow.cast", "tensorflow.identity", "tensorflow.to_float", "tensorflow.to_int32")
_MEANS = ("tensorflow.metrics.mean",)
_TOP = ("tensorflow.nn.in_top_k", "tensorflow.math.in_top_k")
_LAST = (1, -1)


def metric_code(
    plan: Conversion, model: ModelFunction, loss: FoundLoss, node: ast.expr, name: str
) -> Code:
    """Returns the metric of Keras for a call of tf.metrics.

    Args:
        model: the model function.
        loss: its loss, whose output the metric must be computed from.
        node: the call, or a name of it.
        name: the name of the metric, as code.

    Raises:
        Refusal: Keras has no such metric of the output.
    """
    module = model.module
    call = source(module, node)
    function = called(module, call)
    names = ("predictions", "labels") if function in STREAMING else ("labels", "predictions")
    if (function := STREAMING.get(function, function)) in _MEANS and isinstance(call, ast.Call):
        return _of_top(plan, model, loss, call, name)
    if (forms := METRICS.get(function)) is None or not isinstance(call, ast.Call):
        refuse(node, f"`{ast.unparse(node)}` is not a metric that Keras has", "")
    arguments = {key: argument(call, position, key) for position, key in enumerate(names)}
    labels, predictions = arguments["labels"], arguments["predictions"]
    others = [k.arg for k in call.keywords if k.arg not in ("labels", "predictions", "name")]
    if labels is None or predictions is None or others or len(call.args) > 2:
        refuse(call, f"the arguments of the metric {name}: only labels and predictions are known")
    form = _form(module, loss, predictions)
    if form not in forms or not _compares_labels(model, form, labels):
        return metric_of_values(plan, model, loss.output, call, name)
    target, added = forms[form]
    if form == COLUMN:
        if not loss.sparse:
            refuse(labels, f"the metric {name} of labels that are one-hot")
        added = (str(_column(source(module, predictions))),)
    if form == OUTPUT and has_columns(plan, module, loss.output):
        target, added = next(
            ((OF_COLUMNS[a], ()) for a in added if a in OF_COLUMNS), (target, added)
        )
    of_rows = loss.sparse is None and _is_class_of_labels(model, labels)
    if form == CLASS and (of_rows or loss.sparse is False):
        if not _is_class_of_labels(model, labels):
            refuse(labels, f"the labels of the metric {name} are not those of the loss")
        if not target.startswith("keras."):
            refuse(labels, f"the metric {name} of labels that are one-hot")
        target = "keras.metrics.CategoricalAccuracy"
    if not target.startswith("keras."):
        plan.write_out(module, target)
    plan.needs(module, "keras")
    return Code(target, (), (*added, f"name={name}"))


def _compares_labels(model: ModelFunction, form: str, labels: ast.expr) -> bool:
    """Returns whether a metric compares the labels of the Dataset, or their class."""
    return is_labels(model, labels) or (form == CLASS and _is_class_of_labels(model, labels))


def _of_top(
    plan: Conversion, model: ModelFunction, loss: FoundLoss, call: ast.Call, name: str
) -> Code:
    """Returns the metric for the mean of ``tf.nn.in_top_k``."""
    module = model.module
    value = argument(call, 0, "values", "value")
    other_arguments = [*call.args[1:], *(k.value for k in call.keywords if k.value is not value)]
    if value is None or not all(is_none(other) for other in other_arguments):
        refuse(call, f"the arguments of the metric {name}: only the values are known")
    while called(module, source(module, value)) in _SHAPES:
        cast = source(module, value)
        assert isinstance(cast, ast.Call)
        value = cast.args[0]
    top = source(module, value)
    if called(module, top) not in _TOP or not isinstance(top, ast.Call):
        return metric_of_values(plan, model, loss.output, call, name)
    predictions, labels = argument(top, 0, "predictions"), argument(top, 1, "targets")
    size = argument(top, 2, "k")
    if predictions is None or labels is None or not isinstance(literal(size), int):
        refuse(top, f"the arguments of the metric {name}: only numbers are known")
    inner = source(module, predictions)
    if called(module, inner) in _SOFTMAX and isinstance(inner, ast.Call):
        inner = argument(inner, 0, "logits") or inner
    if not is_same(module, inner, loss.output) or not loss.sparse:
        refuse(predictions, f"the metric {name} is not computed from the loss's output")
    if not is_labels(model, labels):
        refuse(labels, f"the labels of the metric {name} are not those of the Dataset")
    plan.needs(module, "keras")
    added = (str(literal(size)), f"name={name}")
    return Code("keras.metrics.SparseTopKCategoricalAccuracy", (), added)


def _form(module: Module, loss: FoundLoss, node: ast.expr) -> str:
    """Returns how predictions are computed from the output that the loss uses; "" if otherwise."""
    if is_same(module, node, loss.output):
        return OUTPUT
    call = source(module, node)
    if _column(call) is not None and isinstance(call, ast.Subscript):
        held = source(module, call.value)
        logits = argument(held, 0, "logits") if isinstance(held, ast.Call) else None
        if logits is None or called(module, held) not in _SOFTMAX:
            return ""
        return COLUMN if is_same(module, logits, loss.output) else ""
    name = called(module, call)
    if not isinstance(call, ast.Call):
        return ""
    if (value := argument(call, 0, "input", "x", "logits", "tensor")) is None:
        return ""
    if name in _SHAPES:
        return _form(module, loss, value)
    if name in _ARGMAX:
        last = _is_along_last(call)
        inner = source(module, value)
        if called(module, inner) in _SOFTMAX and isinstance(inner, ast.Call):
            value = argument(inner, 0, "logits") or value
        return CLASS if last and is_same(module, value, loss.output) else ""
    if name in _SIGMOID:
        return PROBABILITY if is_same(module, value, loss.output) else ""
    if name in _ROUND:
        return ROUNDED if _form(module, loss, value) == PROBABILITY else ""
    return ""


def _column(node: ast.expr) -> int | None:
    """Returns i of ``x[:, i]``; None for other code."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple):
        return None
    number = literal(node.slice.elts[-1])
    whole = [ast.unparse(element) for element in node.slice.elts[:-1]] == [":"]
    return number if whole and isinstance(number, int) else None


def _is_class_of_labels(model: ModelFunction, node: ast.expr) -> bool:
    """Returns whether an expression is the class of one-hot labels."""
    call = source(model.module, node)
    if called(model.module, call) in _SHAPES and isinstance(call, ast.Call) and call.args:
        return _is_class_of_labels(model, call.args[0])
    if called(model.module, call) not in _ARGMAX or not isinstance(call, ast.Call):
        return False
    if (value := argument(call, 0, "input")) is None or not _is_along_last(call):
        return False
    return is_labels(model, value) or one_hot_of_labels(model, value)


def _is_along_last(call: ast.Call) -> bool:
    """Returns whether tf.argmax compares classes; without an axis it compares rows."""
    return literal(argument(call, 1, "axis", "dimension")) in _LAST
