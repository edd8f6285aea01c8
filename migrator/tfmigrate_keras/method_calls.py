"""The arguments of calls that train, evaluate and predict with an Estimator.

They are read before anything is edited, since one Dataset serves the model and its first training.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none
from tfmigrate_keras.conversion import Conversion, arguments_of, literal, reads, refuse
from tfmigrate_keras.estimator_uses import TRAIN_AND_EVALUATE, Use
from tfmigrate_keras.exporters import convert_exporters
from tfmigrate_keras.exports import EXPORTS, Export, read_export
from tfmigrate_keras.hooks import remove_hooks
from tfmigrate_keras.own_hooks import TEST, TRAIN, own_hooks
from tfmigrate_keras.tensors import source

PREDICT = "predict"
_ARGUMENTS = {
    "train": ("input_fn", "hooks", "steps", "max_steps", "saving_listeners"),
    "evaluate": ("input_fn", "steps", "hooks", "checkpoint_path", "name"),
    PREDICT: ("input_fn", "predict_keys", "hooks", "checkpoint_path", "yield_single_examples"),
}
_SPECS = {
    "train_spec": ("TrainSpec", ("input_fn", "max_steps", "hooks", "saving_listeners")),
    "eval_spec": (
        "EvalSpec",
        ("input_fn", "steps", "name", "hooks", "exporters", "start_delay_secs", "throttle_secs"),
    ),
}
_NOT_THERE = ("saving_listeners", "checkpoint_path", "predict_keys")
_SIDES = {"`train`": TRAIN, "the TrainSpec": TRAIN, "`evaluate`": TEST}
_EVALUATED_BATCHES = 100  # of an EvalSpec that does not say how many


@dataclass
class MethodCall:
    """A use of an Estimator, and what it was given.

    Attributes:
        use: the use.
        train: the arguments of its training; None where it does not train.
        evaluate: the arguments of its evaluation; None where it does not evaluate.
        predict: the arguments of its prediction; None where it does not predict.
        export: the export that it writes; None for none.
        specs: the expressions of its TrainSpec and its EvalSpec.
        exporters: the code of a list of its exporters; None for none.
    """

    use: Use
    train: dict[str, ast.expr] | None = None
    evaluate: dict[str, ast.expr] | None = None
    predict: dict[str, ast.expr] | None = None
    export: Export | None = None
    specs: list[ast.Call] = field(default_factory=list)
    exporters: Code | None = None

    @property
    def first_input(self) -> ast.expr:
        """The input function that it calls first."""
        arguments = self.train if self.train is not None else self.evaluate
        assert arguments is not None
        return arguments["input_fn"]


def read_call(plan: Conversion, use: Use) -> MethodCall:
    """Reads a call that uses an Estimator, and removes hooks that only write logs.

    Raises:
        Refusal: Keras has nothing for it.
    """
    if use.method == TRAIN_AND_EVALUATE:
        return _read_specs(plan, use)
    if use.method in EXPORTS:
        return MethodCall(use, export=read_export(plan, use))
    if (names := _ARGUMENTS.get(use.method)) is None:
        refuse(use.call, f"`{use.method}` of an Estimator")
    arguments = _given(plan, use.module, use.call, names, f"`{use.method}`")
    if use.method == "train":
        if not isinstance(use.module.parent(use.call), ast.Expr):
            refuse(use.call, "the result of `train` is used", "use the Estimator itself")
        return MethodCall(use, train=arguments)
    if use.method == PREDICT:
        single = arguments.get("yield_single_examples")
        if single is not None and literal(single) is not True:
            refuse(single, "`yield_single_examples` of `predict`")
        return MethodCall(use, predict=arguments)
    return MethodCall(use, evaluate=arguments)


def _given(
    plan: Conversion, module: Module, call: ast.Call, names: tuple[str, ...], what: str
) -> dict[str, ast.expr]:
    """Returns the arguments of a call by their names."""
    arguments = arguments_of(call, names, what)
    for name in arguments:
        if name not in names:
            refuse(arguments[name], f"`{name}` of {what}")
    for name in _NOT_THERE:
        if name in arguments and literal(arguments[name]) not in (None, [], ()):
            refuse(arguments[name], f"`{name}` of {what}")
    if "hooks" in arguments:
        side = _SIDES.get(what)
        own = own_hooks(plan, module, arguments["hooks"], side) if side else []
        remove_hooks(plan, module, arguments["hooks"], own)
        if not own:
            del arguments["hooks"]
    if "input_fn" not in arguments:
        refuse(call, f"{what} has no input function")
    return {name: value for name, value in arguments.items() if not is_none(value)}


def _read_specs(plan: Conversion, use: Use) -> MethodCall:
    module, call = use.module, use.call
    if not isinstance(module.parent(call), ast.Expr):
        refuse(call, "the result of `train_and_evaluate` is used")
    method_call = MethodCall(use)
    for position, (name, (kind, names)) in enumerate(_SPECS.items(), 1):
        spec = _spec(module, call, position, name)
        if spec is None or called(module, spec) != f"tensorflow.estimator.{kind}":
            refuse(call, f"cannot find the {kind}")
        arguments = _given(plan, module, spec, names, f"the {kind}")
        method_call.specs.append(spec)
        if name == "train_spec":
            method_call.train = arguments
        else:
            method_call.evaluate = arguments
            if (exporters := arguments.pop("exporters", None)) is not None:
                method_call.exporters = convert_exporters(plan, module, exporters)
            if not any(k.arg == "steps" for k in spec.keywords) and len(spec.args) < 2:
                arguments["steps"] = ast.Constant(_EVALUATED_BATCHES)
    return method_call


def _spec(module: Module, call: ast.Call, position: int, name: str) -> ast.Call | None:
    value = argument(call, position, name)
    spec = source(module, value) if value is not None else None
    if not isinstance(spec, ast.Call) or module.function(spec) is not module.function(call):
        return None
    return spec


def remove_specs(plan: Conversion, method_call: MethodCall, kept_parts: list[ast.expr]) -> None:
    """Removes the statements that make a TrainSpec and an EvalSpec."""
    module = method_call.use.module
    for spec in method_call.specs:
        statement = module.statement(spec)
        if isinstance(statement, ast.Assign) and statement.value is spec:
            for name in _loads(module, statement):
                if name not in list(ast.walk(method_call.use.call)):
                    refuse(name, f"`{name.id}` is used several times")
            plan.drop(module, statement, kept_parts)


def _loads(module: Module, statement: ast.Assign) -> Iterator[ast.Name]:
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        refuse(statement, "the TrainSpec or EvalSpec is not assigned to a variable")
    for node in reads(module, module.tree, target.id):
        if module.function(node) is module.function(statement):
            yield node
