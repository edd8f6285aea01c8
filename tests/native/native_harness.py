"""What --target keras makes of one line of TensorFlow 1.x, as a function to call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from native_arrays import unpack

from tfmigrate.files.source import SourceFile
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rewrite.transformer import rewrite
from tfmigrate_keras.arguments import converted_value
from tfmigrate_keras.conversion import Conversion
from tfmigrate_keras.expressions import Built, ModelCode
from tfmigrate_keras.feature_columns import convert_feature_columns
from tfmigrate_keras.feature_tensors import FeatureTensors
from tfmigrate_keras.losses import FoundLoss, find_loss
from tfmigrate_keras.metrics import metric_code
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.modes import TRAIN, Modes
from tfmigrate_keras.optimizers import (
    convert_optimizer,
    convert_schedule,
    find_optimizer,
)
from tfmigrate_keras.own_functions import OwnFunction
from tfmigrate_keras.rest import convert_rest
from tfmigrate_keras.strategies import Replication
from tfmigrate_keras.unused import remove_unused

RECORDED = unpack(Path(__file__).parent / "recorded.npz")


def recorded(kind: str, code: str) -> dict[str, Any]:
    """Returns what TensorFlow 1.15 computed for a line."""
    prefix = f"{kind}|{code}|"
    found = {name[len(prefix) :]: a for name, a in RECORDED.items() if name.startswith(prefix)}
    assert found, f"not recorded: {prefix}"
    return found


class Line:
    """A function with one line of TensorFlow 1.x, read and ready to be converted.

    Attributes:
        module: the file.
        function: the function.
        plan: its conversion.
        value: the expression of the line.
    """

    def __init__(self, code: str, parameters: Iterable[str] = (), before: str = "") -> None:
        text = (
            f"import functools\nimport tensorflow as tf\n\n\ndef case({', '.join(parameters)}):\n"
        )
        text += f"  {before}\n" if before else ""
        text += f"  return {code.strip()}\n"
        path = Path("/nowhere/case.py")
        self.module = Module(SourceFile(path, path.name, text, "utf-8", False))
        self.plan = Conversion(Program([self.module]))
        self.plan.regularized = True
        (self.function,) = self.module.all(ast.FunctionDef)
        returned = self.function.body[-1]
        assert isinstance(returned, ast.Return)
        assert returned.value is not None
        self.value = returned.value

    def model(self) -> ModelFunction:
        """Returns the function as a model function with features and labels."""
        names = {"features": "features", "labels": "labels"}
        return ModelFunction(self.module, self.function, names, Modes(self.module, frozenset()))

    def convert(self, modes: Modes) -> None:
        """Plans the edits of the function as one that builds a model."""
        tensors = FeatureTensors(self.plan, self.module, self.function, "features")
        built = Built("model", tensors, predicts=False, has_towers=False, moves_averages=True)
        own = OwnFunction(self.module, self.function, modes, once=True)
        ModelCode(self.plan, own, built).convert()

    def become(self, code: Code) -> None:
        """Plans that the expression becomes code."""
        self.plan.edits[self.module] = [ReplaceExpression(self.value, code)]
        self.plan.leave_out(self.module, self.function)

    def made(self) -> Callable[..., Any]:
        """Returns the function as it is after the conversion."""
        remove_unused(self.plan, self.module, self.function)
        convert_rest(self.plan)
        text = rewrite(self.module, self.plan.edits[self.module])
        names: dict[str, Any] = {}
        exec(compile(text, "case.py", "exec"), names)
        case: Callable[..., Any] = names["case"]
        return case


def forward(code: str, parameters: Iterable[str]) -> Callable[..., Any]:
    """Returns the function of inputs that a line becomes."""
    line = Line(code, [*parameters, "training"])
    convert_feature_columns(line.plan)
    line.convert(Modes(line.module, frozenset(), {"training": frozenset((TRAIN,))}))
    return line.made()


def initializer(code: str) -> Any:
    """Returns the initializer that a line becomes as an argument of a layer."""
    line = Line(code)
    text = converted_value(line.plan, line.module, "kernel_initializer", line.value)
    assert text is not None
    line.become(Code(text))
    return line.made()()


def schedule(code: str) -> Any:
    """Returns the schedule that a line becomes."""
    line = Line(code, before="step = tf.train.get_global_step()")
    assert convert_schedule(line.plan, line.module, line.value)
    return line.made()()


def optimizer(code: str, dense: bool) -> Any:
    """Returns the optimizer that a line becomes; ``dense`` says that gradients may be sparse."""
    line = Line(code)
    assert isinstance(line.value, ast.Call)
    convert_optimizer(line.plan, line.module, line.value, dense)
    return line.made()()


def optimized_loss(code: str) -> Any:
    """Returns the optimizer that ``optimize_loss`` becomes."""
    line = Line(code, ["features", "labels", "loss"])
    found = find_optimizer(line.plan, line.model(), line.value, dense=False)
    if found.place is not line.value:
        line.plan.replace(line.module, line.value, Code("{0}", (found.place,)))
    return line.made()(None, None, None)


def loss(code: str) -> Any:
    """Returns the loss that a line becomes."""
    line = Line(code, ["features", "labels"], "output = features")
    found = find_loss(line.plan, line.model(), line.value, Replication(line.module, line.value))
    if found.batch is None:
        line.become(found.code)
    else:
        made = Code("return BatchLoss(lambda labels, output: {0})", found.batch.parts)
        line.plan.replace_statement(line.module, line.function.body[-1], made)
        line.convert(Modes(line.module, frozenset()))
    return line.made()(None, None)


def metric(code: str, sparse: bool) -> Any:
    """Returns the metric that a line becomes, beside a loss of numbers of classes or of rows."""
    line = Line(code, ["features", "labels"], "output = features")
    names = [n for n in line.module.all(ast.Name) if n.id == "output"]
    found = FoundLoss(line.value, names[-1], Code(""), summed=False, sparse=sparse)
    line.become(metric_code(line.plan, line.model(), found, line.value, "'metric'"))
    return line.made()(None, None)


def largest_difference(found: Any, expected: Any) -> float:
    """Returns the largest difference, relative to numbers beyond 1."""
    found = np.asarray(found, np.float64)
    assert found.shape == expected.shape, f"{found.shape}, not {expected.shape}"
    difference = np.abs(found - expected) / np.maximum(1.0, np.abs(expected))
    return float(np.max(difference, initial=0.0))
