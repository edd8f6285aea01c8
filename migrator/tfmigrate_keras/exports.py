"""Exports for serving: the inputs of a SavedModel, and the call that writes it.

``ExportArchive`` exports what a model computes from its features. Inputs that are something else,
which a graph made features of, are refused.
"""

import ast
from dataclasses import dataclass

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, called, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import NOT_WRITTEN_OUT, Conversion, check_stars, literal, refuse
from tfmigrate_keras.estimator_uses import Use
from tfmigrate_keras.hooks import remove_value
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.tensors import source

EXPORTS = ("export_savedmodel", "export_saved_model")
_ARGUMENTS = ("export_dir_base", "serving_input_receiver_fn")
_HARMLESS = ("strip_default_attrs",)
# Of ModelFnOps, which have one alternative here: it is the default.
_OF_ALTERNATIVES = ("default_output_alternative_key",)
_OF_TENSORS = "tensorflow.estimator.export.build_raw_serving_input_receiver_fn"
_OF_EXAMPLES = (
    "tensorflow.estimator.export.build_parsing_serving_input_receiver_fn",
    "tensorflow.contrib.learn.build_parsing_serving_input_fn",
    "tensorflow.contrib.learn.utils.build_parsing_serving_input_fn",
    "tensorflow.contrib.learn.utils.input_fn_utils.build_parsing_serving_input_fn",
)
_PARSERS = ("tensorflow.parse_example", "tensorflow.io.parse_example")
_SPARSE = ("tensorflow.VarLenFeature", "tensorflow.io.VarLenFeature")
_RECEIVER = "tensorflow.estimator.export.ServingInputReceiver"
_STRATEGIES = (
    "tensorflow.contrib.learn.make_export_strategy",
    "tensorflow.contrib.learn.utils.saved_model_export_utils.make_export_strategy",
)
_PLACEHOLDER = "tensorflow.placeholder"


@dataclass(frozen=True)
class Export:
    """One export.

    Attributes:
        folder: the folder for all exports.
        inputs: the code of a dictionary with the specification of each input.
    """

    folder: ast.expr
    inputs: Code


@dataclass(frozen=True)
class Strategy:
    """The export strategy of an Experiment.

    Attributes:
        inputs: the code of a dictionary with the specification of each input.
        exports_to_keep: the code of how many exports are kept; "" where it is not given.
    """

    inputs: Code
    exports_to_keep: str


def read_export(plan: Conversion, use: Use) -> Export:
    """Reads a call that exports a model, and plans the edits of its inputs.

    Raises:
        Refusal: the export is more than the predictions of the features.
    """
    call = use.call
    check_stars(call, f"`{use.method}`")
    if not isinstance(use.module.parent(call), ast.Expr):
        refuse(call, f"the result of `{use.method}` is used")
    for keyword in call.keywords:
        if keyword.arg not in (*_ARGUMENTS, *_HARMLESS) and literal(keyword.value) not in (
            None,
            False,
        ):
            refuse(keyword.value, f"`{keyword.arg}` of `{use.method}`")
    folder, receiver = (argument(call, i, name) for i, name in enumerate(_ARGUMENTS))
    if folder is None or receiver is None or len(call.args) > len(_ARGUMENTS):
        refuse(call, f"the arguments of `{use.method}`")
    return Export(folder, inputs_of_export(plan, use.module, receiver))


def read_strategies(plan: Conversion, module: Module, node: ast.expr) -> Strategy | None:
    """Reads the ``export_strategies`` of an Experiment; returns None for none.

    Raises:
        Refusal: there are several, or one that is not for serving.
    """
    held = source(module, node)
    if literal(held) in (None, [], ()):
        return None
    if isinstance(held, (ast.List, ast.Tuple)):
        if len(held.elts) != 1:
            refuse(node, "several export strategies")
        call = source(module, held.elts[0])
    else:
        call = held
    if not isinstance(call, ast.Call) or called(module, call) not in _STRATEGIES:
        refuse(node, "cannot find the export strategy")
    if has_star_arguments(call) or len(call.args) > 1:
        refuse(call, "the arguments of the export strategy are not passed by keyword")
    receiver, exports_to_keep = argument(call, 0, "serving_input_fn"), ""
    for keyword in call.keywords:
        if keyword.arg == "exports_to_keep":
            exports_to_keep = ast.unparse(keyword.value)
            if literal(keyword.value) is NOT_WRITTEN_OUT:
                refuse(keyword.value, "`exports_to_keep` is not written out")
        elif keyword.arg not in ("serving_input_fn", *_HARMLESS, *_OF_ALTERNATIVES) and (
            literal(keyword.value) not in (None, False)
        ):
            refuse(keyword.value, f"`{keyword.arg}` of the export strategy")
    if receiver is None:
        refuse(call, "the export strategy has no `serving_input_fn`")
    inputs = inputs_of_export(plan, module, receiver, as_text=True)
    plan.leave_out(module, node)
    for value in (call, held):
        remove_value(plan, module, value)
    for part in inputs.parts:
        plan.keep(module, part)
    return Strategy(inputs, exports_to_keep)


def inputs_of_export(
    plan: Conversion, module: Module, node: ast.expr, as_text: bool = False
) -> Code:
    """Returns the code of the inputs that a serving_input_receiver_fn describes.

    Args:
        node: what is passed as ``serving_input_receiver_fn``.
        as_text: whether the code is written as text, which edits in it do not reach.

    Raises:
        Refusal: the inputs are not the features themselves.
    """
    origin = source(module, node)
    if isinstance(origin, ast.Call) and called(module, origin) in _OF_EXAMPLES:
        spec = argument(origin, 0, "feature_spec")
        size = argument(origin, 1, "default_batch_size")
        if spec is None or not (size is None or literal(size) is None):
            refuse(origin, f"the arguments of `{ast.unparse(origin.func)}`")
        _check_parsed(plan, origin)
        return _in_place(plan, module, node, origin, spec, as_text)
    if isinstance(origin, ast.Call) and called(module, origin) == _OF_TENSORS:
        if (features := argument(origin, 0, "features")) is None or len(origin.args) > 1:
            refuse(origin, "the arguments of `build_raw_serving_input_receiver_fn`")
        _convert_features(plan, module, features)
        return _in_place(plan, module, node, origin, features, as_text)
    if (inputs_definition := definition(plan, module, node)) is None:
        refuse(node, "cannot find the function of the inputs of an export")
    if plan.first_time(inputs_definition[1]):
        _convert_function(plan, *inputs_definition)
    return Code("{0}()", (node,))


def _in_place(
    plan: Conversion,
    module: Module,
    node: ast.expr,
    strategy_call: ast.Call,
    inputs: ast.expr,
    as_text: bool,
) -> Code:
    """Returns the code of what a receiver function is made of, in the place of the function."""
    if strategy_call is not node and as_text and not isinstance(inputs, ast.Name):
        if plan.first_time(strategy_call):
            plan.replace(module, strategy_call, Code("{0}", (inputs,)))
        return Code("{0}", (node,))
    if strategy_call is not node:
        plan.leave_out(module, node)
        remove_value(plan, module, strategy_call)
        if not plan.is_removed(strategy_call):
            refuse(strategy_call, "the function of the inputs of an export is used several times")
        plan.keep(module, inputs)
    return Code("{0}", (inputs,))


def _check_parsed(plan: Conversion, node: ast.AST) -> None:
    """Refuses to parse what becomes a sparse tensor, which a model of Keras does not take."""
    for module in plan.program.modules:
        if any(module.uses_of(name) for name in _SPARSE):
            refuse(node, "an export parses tf.Examples, and the program has a VarLenFeature")


def _parsed(module: Module, features: ast.expr, receivers: ast.expr) -> ast.expr | None:
    """Returns how features are parsed from the one input of an export, a tf.Example."""
    call, inputs = source(module, features), source(module, receivers)
    if not isinstance(call, ast.Call) or called(module, call) not in _PARSERS:
        return None
    text, spec = argument(call, 0, "serialized"), argument(call, 1, "features")
    if text is None or spec is None or len(call.args) + len(call.keywords) > 2:
        return None
    if not isinstance(inputs, ast.Dict) or len(inputs.keys) != 1:
        return None
    placeholder = source(module, inputs.values[0])
    if literal(inputs.keys[0]) != "examples" or placeholder is not source(module, text):
        refuse(receivers, "the input of an export is not one tf.Example, called `examples`")
    if called(module, placeholder) != _PLACEHOLDER or not isinstance(placeholder, ast.Call):
        return None
    return spec


def _convert_function(plan: Conversion, module: Module, function: ast.FunctionDef) -> None:
    """Lets a function return the specifications in place of a ServingInputReceiver."""
    returns = [s for s in module.returns(function) if s.value]
    if len(returns) != 1 or function.args.args:
        refuse(function, f"`{function.name}` is more than a function of the inputs of an export")
    call = source(module, returns[0].value)  # type: ignore[arg-type]
    if not isinstance(call, ast.Call) or called(module, call) != _RECEIVER:
        refuse(returns[0], f"`{function.name}` returns no ServingInputReceiver of placeholders")
    features, receivers = (
        argument(call, i, name) for i, name in enumerate(("features", "receiver_tensors"))
    )
    if features is None or receivers is None or len(call.args) + len(call.keywords) > 2:
        refuse(call, "these arguments of a ServingInputReceiver")
    if (spec := _parsed(module, features, receivers)) is not None:
        _check_parsed(plan, call)
        _return_spec(plan, module, function, call, spec)
        return
    same = ast.dump(features) == ast.dump(receivers)
    if not same and ast.dump(source(module, features)) != ast.dump(source(module, receivers)):
        refuse(features, "the features of an export are not its inputs themselves")
    _convert_features(plan, module, features)
    if call is not returns[0].value:
        refuse(returns[0], "the ServingInputReceiver is not returned directly")
    plan.replace(module, call, Code("{0}", (features,)))


def _return_spec(
    plan: Conversion, module: Module, function: ast.FunctionDef, call: ast.Call, spec: ast.expr
) -> None:
    """Lets a function return how a tf.Example is parsed; what only parses it is removed."""
    if not isinstance(module.parent(call), ast.Return):
        refuse(call, "the ServingInputReceiver is not returned directly")
    plan.replace(module, call, Code("{0}", (spec,)))
    names = {n.id for n in ast.walk(spec) if isinstance(n, ast.Name)}
    for statement in function.body:
        if isinstance(statement, ast.Assign) and not _names_of(statement) & names:
            origin = source(module, statement.value)
            if called(module, origin) in (*_PARSERS, _PLACEHOLDER) or isinstance(origin, ast.Dict):
                plan.drop(module, statement, [spec] if spec in set(module.walk(statement)) else [])


def _names_of(statement: ast.Assign) -> set[str]:
    return {target.id for target in statement.targets if isinstance(target, ast.Name)}


def _convert_features(plan: Conversion, module: Module, features: ast.expr) -> None:
    """Turns the placeholders of a dictionary into specifications of tensors."""
    held = source(module, features)
    if not isinstance(held, ast.Dict):
        refuse(features, "the inputs of an export are not written out as a dictionary")
    for key, value in zip(held.keys, held.values, strict=True):
        if not isinstance(literal(key), str):
            refuse(value, "the name of an input of an export is not written out")
        placeholder = source(module, value)
        if not isinstance(placeholder, ast.Call) or called(module, placeholder) != _PLACEHOLDER:
            refuse(value, "an input of an export is not a placeholder")
        if plan.first_time(placeholder):
            _convert_placeholder(plan, module, placeholder)


def _convert_placeholder(plan: Conversion, module: Module, call: ast.Call) -> None:
    dtype, shape = (argument(call, i, name) for i, name in enumerate(("dtype", "shape")))
    if dtype is None or shape is None:
        refuse(call, "a placeholder of an export has no `shape`")
    root = ast.unparse(call.func).rpartition(".")[0]
    if module.resolve(ast.parse(root or "_", mode="eval").body) not in (None, "tensorflow"):
        refuse(call, "a placeholder that is not of TensorFlow itself")
    plan.replace(module, call, Code(f"{root}.TensorSpec({{0}}, {{1}})", (shape, dtype)))
