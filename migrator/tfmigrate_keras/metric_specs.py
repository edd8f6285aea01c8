"""The ``eval_metrics`` of an Experiment, as calls of metrics in the model function.

The metrics of an Experiment are functions of labels and predictions, which only the model function
has. As calls in it, they are converted like its own.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none
from tfmigrate.resolve.syntax import is_text
from tfmigrate_keras.conversion import Conversion, arguments_of, literal, reads, refuse, stand_in
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.modes import EVAL
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.tensors import is_labels, source
from tfmigrate_keras.training_step import is_used_once

_SPEC = "tensorflow.contrib.learn.MetricSpec"
_PARAMETERS = ("metric_fn", "prediction_key", "label_key", "weight_key")
_WEIGHTS = "weights"


@dataclass(frozen=True)
class MetricSpec:
    """One metric of an evaluation.

    Attributes:
        name: the code of its name.
        function: the function that computes it.
        key: the code of the key of the predictions that it gets; None for all predictions.
    """

    name: str
    function: ast.expr
    key: str | None


def read_metric_specs(module: Module, node: ast.expr) -> list[MetricSpec]:
    """Returns the metrics of ``eval_metrics``.

    Raises:
        Refusal: they are not written out.
    """
    if is_none(node):
        return []
    metrics = source(module, node)
    if not isinstance(metrics, ast.Dict):
        refuse(node, "the `eval_metrics` are not written out as a dictionary")
    specs = []
    for key, value in zip(metrics.keys, metrics.values, strict=True):
        if not isinstance(literal(key), str) or key is None:
            refuse(value, "the name of a metric is not a string")
        spec = source(module, value)
        if called(module, spec) != _SPEC or not isinstance(spec, ast.Call):
            refuse(value, f"`{ast.unparse(value)[:60]}` is not a MetricSpec")
        passed = arguments_of(spec, _PARAMETERS, "the MetricSpec")
        for name in ("label_key", "weight_key"):
            if name in passed and not is_none(passed[name]):
                refuse(passed[name], f"`{name}` of a MetricSpec")
        if "metric_fn" not in passed:
            refuse(spec, "the MetricSpec has no `metric_fn`")
        wanted = passed.get("prediction_key")
        text = None if wanted is None or is_none(wanted) else ast.unparse(wanted)
        specs.append(MetricSpec(module.code(key), passed["metric_fn"], text))
    return specs


def call_of(plan: Conversion, module: Module, model: ModelFunction, spec: MetricSpec) -> ast.Call:
    """Returns a metric as a call with the labels and predictions of a model function.

    Raises:
        Refusal: it cannot be followed.
    """
    predictions, labels = _predictions(model, spec), _labels(model, spec)
    if (own_function := definition(plan, module, spec.function)) is None:
        if module is not model.module:
            refuse(spec.function, "a metric of another file than that of the model function")
        keywords = [ast.keyword("labels", labels), ast.keyword("predictions", predictions)]
        return stand_in(spec.function, spec.function, [], keywords)
    home, function = own_function
    if home is not model.module or not is_used_once(plan, function):
        refuse(spec.function, f"`{function.name}` is used elsewhere, too")
    body = [s for s in function.body if not is_text(s)]
    returned = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    if not isinstance(returned, ast.Call):
        refuse(function, f"`{function.name}` does more than to return a metric")
    passed: dict[str, ast.expr] = {"predictions": predictions, "labels": labels}
    names = [a.arg for a in function.args.args]
    if _WEIGHTS in names:
        passed[_WEIGHTS] = ast.Constant(None)
    if set(names) != set(passed) or function.args.vararg or function.args.kwarg:
        refuse(function, f"the parameters of the metric `{function.name}`")
    plan.remove(home, function)
    call = _filled(returned, passed)
    assert isinstance(call, ast.Call)
    return call


def _predictions(model: ModelFunction, spec: MetricSpec) -> ast.expr:
    """Returns the predictions that a metric gets, in the model function."""
    eval_spec = model.specs.get(EVAL)
    predictions = eval_spec.values.get("predictions") if eval_spec else None
    if predictions is None:
        refuse(model.function, f"`{model.function.name}` returns no `predictions`")
    value = source(model.module, predictions)
    if spec.key is None and not isinstance(value, ast.Dict):
        return predictions
    if spec.key is None or not isinstance(value, ast.Dict):
        refuse(spec.function, f"the `prediction_key` of the metric {spec.name}")
    for key, item in zip(value.keys, value.values, strict=True):
        if key is not None and ast.unparse(key) == spec.key:
            return item
    refuse(spec.function, f"the predictions have no {spec.key}")


def _labels(model: ModelFunction, spec: MetricSpec) -> ast.expr:
    """Returns a place in the model function where the labels are read."""
    for node in reads(model.module, model.function, model.parameters.get("labels", "")):
        if is_labels(model, node):
            return node
    refuse(spec.function, f"the labels of the metric {spec.name}")


def _filled(node: ast.expr, passed: Mapping[str, ast.expr]) -> ast.expr:
    """Returns code with values in the places of parameters."""
    if isinstance(node, ast.Name) and node.id in passed:
        return passed[node.id]
    if not isinstance(node, ast.Call):
        return node
    arguments = [_filled(value, passed) for value in node.args]
    keywords = [ast.keyword(k.arg, _filled(k.value, passed)) for k in node.keywords]
    return stand_in(node, node.func, arguments, keywords)
