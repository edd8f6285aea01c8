"""What a model predicts: a second model of the same layers, for ``predict`` and exports."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tfmigrate.families.native.conversion import (
    Conversion,
    called,
    literal,
    refuse,
    value_before,
)
from tfmigrate.families.native.model_function import ModelFunction
from tfmigrate.families.native.modes import PREDICT
from tfmigrate.families.native.tensors import is_same, source
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module

PREDICTOR = "predictor"
DEFAULT_SIGNATURE = "serving_default"
_OUTPUT = "tensorflow.estimator.export.PredictOutput"


@dataclass(frozen=True)
class Wanted:
    """What a program does with predictions.

    Attributes:
        exported: whether it exports them for serving.
    """

    exported: bool


@dataclass(frozen=True)
class Predictions:
    """The predictions of a model function.

    Attributes:
        value: the code of them.
        signature: the name that an export has for them.
    """

    value: ast.expr
    signature: str = DEFAULT_SIGNATURE


def predictions_of(plan: Conversion, model: ModelFunction, wanted: Wanted) -> Predictions:
    """Returns the predictions of a model function, and keeps the code of them.

    Raises:
        Refusal: they cannot be moved to the end of the model function.
    """
    spec = model.specs.get(PREDICT)
    given = spec.values.get("predictions") if spec else None
    if spec is None or given is None:
        refuse(model.function, f"`{model.function.name}` returns no `predictions`")
    signature = _signature(model.module, spec.values, given) if wanted.exported else ""
    value = given
    if isinstance(given, ast.Name):
        held = value_before(model.module, given)
        if held is not None and plan.is_removed(held):  # in a branch of PREDICT alone
            value = held
    if value is not given and not isinstance(value, ast.Dict):
        refuse(value, "the predictions are not written out as a dictionary")
    if not isinstance(given, ast.Name) and isinstance(given, ast.Constant):
        refuse(given, "the predictions are not known")
    if wanted.exported and not isinstance(source(model.module, given), ast.Dict):
        refuse(given, "an export of predictions that are no dictionary")
    plan.predicts = True
    plan.keep(model.module, value)
    for name in (n for n in ast.walk(value) if isinstance(n, ast.Name)):
        _check_name(plan, model, name)
    return Predictions(value, signature)


def _check_name(plan: Conversion, model: ModelFunction, name: ast.Name) -> None:
    """Refuses a name that means something else, or nothing, at the end of the model function."""
    module = model.module
    held = value_before(module, name)
    if held is not None and plan.is_removed(held):
        refuse(name, f"`{name.id}` is computed for predictions only", "Compute it in all modes.")
    if name.id == model.parameters.get("labels"):
        refuse(name, "the predictions need the labels")
    for node in module.all(ast.Name, model.function):
        anew = node.id == name.id and isinstance(node.ctx, ast.Store)
        if anew and module.position(node) > module.position(name) and not plan.is_removed(node):
            refuse(node, f"`{name.id}` is assigned again after the predictions")


def _signature(module: Module, values: dict[str, ast.expr], predictions: ast.expr) -> str:
    """Returns the name of the one signature of an export."""
    given = values.get("export_outputs")
    if given is None:
        return DEFAULT_SIGNATURE
    outputs = source(module, given)
    if not isinstance(outputs, ast.Dict) or len(outputs.keys) != 1:
        refuse(given, "the `export_outputs` are not written out as one signature")
    name, output = literal(outputs.keys[0]), source(module, outputs.values[0])
    if not isinstance(output, ast.Call) or called(module, output) != _OUTPUT:
        refuse(outputs.values[0], "the signature of an export is no PredictOutput")
    value = argument(output, 0, "outputs")
    if not isinstance(name, str) or value is None:
        refuse(output, "the name of the signature is not written out")
    if not is_same(module, value, predictions) and ast.dump(value) != ast.dump(predictions):
        refuse(value, "the signature of an export has other outputs than the predictions")
    return name
