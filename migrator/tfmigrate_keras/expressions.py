"""Code that builds a model: layers and operations of TensorFlow 1.x become those of Keras.

Only names of the tables are converted, each with its parameters: a function that Keras computes
slightly differently would still run, so that an unknown name or argument is refused.
"""

import ast
from dataclasses import dataclass
from typing import NoReturn

from tfmigrate.model.edits import Code, RemoveWithItem
from tfmigrate.resolve.calls import argument, called
from tfmigrate_keras.arguments import (
    Arguments,
    as_text,
    converted_value,
    inner_sizes,
    regularizer_code,
)
from tfmigrate_keras.batch_losses import convert_variables
from tfmigrate_keras.conversion import REPEATED, Conversion, refuse
from tfmigrate_keras.dropouts import convert_dropouts
from tfmigrate_keras.feature_tensors import FeatureTensors
from tfmigrate_keras.own_functions import OwnFunction
from tfmigrate_keras.quotes import quoted
from tfmigrate_keras.tables import batch_losses
from tfmigrate_keras.tables.entry import Entry
from tfmigrate_keras.tables.initializers import INITIALIZERS, REGULARIZERS
from tfmigrate_keras.tables.kept import PACKAGES
from tfmigrate_keras.tables.layers import CLASSES, FUNCTIONS, UNNAMED
from tfmigrate_keras.tables.operations import COMPOSED, DTYPES, OPERATIONS, WITH_SIZES
from tfmigrate_keras.tables.variables import VARIABLE, VARIABLES
from tfmigrate_keras.variables import anchor_of, start_of, variable_arguments

_SCOPES = ("tensorflow.variable_scope", "tensorflow.name_scope", "tensorflow.device")
_SAME = frozenset(f"tensorflow.{name}" for name in (*DTYPES, "newaxis"))
_POSITIONS = ("keras.ops.argmax", "keras.ops.argmin")
_BATCH_NORMALIZATION = "keras.layers.BatchNormalization"
# Flags and logs are those of the whole file; tests of the mode are removed.
_OF_OTHERS = (*PACKAGES, "tensorflow.estimator.ModeKeys", "tensorflow.contrib.learn.ModeKeys")
_OF_SCOPES = ("initializer", "regularizer", "custom_getter", "partitioner", "constraint")
_OF_TENSOR_SHAPES = ("ndims", "dims", "rank", "num_elements", "is_fully_defined", "with_rank")


@dataclass(frozen=True)
class Built:
    """The model that code builds.

    Attributes:
        name: its name in the model function.
        tensors: which expressions are computed from its features.
        predicts: whether the program uses what it predicts.
        has_towers: whether towers trained it, each of which ran the code.
        moves_averages: whether training runs the updates of batch normalization.
    """

    name: str
    tensors: FeatureTensors
    predicts: bool
    has_towers: bool
    moves_averages: bool


class ModelCode:
    """Converts the code of one function that builds a model."""

    def __init__(self, conversion: Conversion, code: OwnFunction, model: Built) -> None:
        self._plan, self._module, self._function = conversion, code.module, code.function
        self._modes, self._once, self._model = code.modes, code.once, model

    def convert(self) -> None:
        """Plans the edits of everything in the function that is not removed.

        Raises:
            Refusal: something has no successor.
        """
        module = self._module
        convert_dropouts(self._plan, module, self._function, self._modes)
        for statement in self._plan.left(module.all(ast.With, self._function)):
            self._unwrap(statement)
        for use in module.uses:
            if not self._is_here(use.node) or use.qualified.startswith(_OF_OTHERS):
                continue
            if self._plan.first_time(use.node):
                self._use(use.node, use.qualified)
        for call in self._plan.left(module.all(ast.Call, self._function)):
            self._shape(call)
        for node in self._plan.left(module.all(ast.Attribute, self._function)):
            self._dimension(node)

    def _is_here(self, node: ast.AST) -> bool:
        inside = any(a is self._function for a in self._module.ancestors(node))
        return inside and not self._plan.is_removed(node)

    def _unwrap(self, statement: ast.With) -> None:
        """Removes scopes of names, which Keras does not have."""
        for item in statement.items:
            scope = item.context_expr
            if (name := called(self._module, scope)) not in _SCOPES:
                if name.startswith("tensorflow."):
                    refuse(item.context_expr, f"Keras has no `with {ast.unparse(scope)}`")
                continue
            assert isinstance(scope, ast.Call)
            self._check_scope(statement, item, scope)
            self._plan.edits[self._module].append(RemoveWithItem(statement, item))
            self._plan.leave_out(self._module, item)

    def _check_scope(self, statement: ast.With, item: ast.withitem, scope: ast.Call) -> None:
        if len(statement.items) > 1:
            refuse(statement, "a `with` of several scopes", "write one `with` for each scope")
        if isinstance(item.optional_vars, ast.Name):
            name = item.optional_vars.id
            uses = [n for n in self._module.all(ast.Name, self._function) if n.id == name]
            if len(uses) > 1:
                refuse(item.context_expr, f"the scope `{name}` is used as a value")
        if len(scope.args) > len(("name", "default_name", "values")):
            refuse(scope.args[-1], "an argument of a scope that is not passed by keyword")
        for keyword in scope.keywords:
            if keyword.arg in _OF_SCOPES:
                refuse(keyword.value, f"the `{keyword.arg}` of a scope", "pass it to each layer")
            automatic = self._module.resolve(keyword.value) == "tensorflow.AUTO_REUSE"
            if keyword.arg == "reuse" and not (
                (automatic and self._once)
                or (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
                or self._modes.depends(keyword.value)
            ):
                refuse(keyword.value, "variables are shared by reusing a scope")

    def _use(self, node: ast.Name | ast.Attribute, qualified: str) -> None:
        call = self._module.call_of(node)
        if qualified in _SAME:
            return
        of_values = self._plan.is_of_values(self._module, node)
        if of_values and call is not None and self._of_values(call, qualified):
            return
        self._plan.needs(self._module, "keras")
        if call is None:
            self._function_as_value(node, qualified)
        elif of_values and qualified not in (*OPERATIONS, *COMPOSED):
            what = qualified.replace("tensorflow.", "tf.", 1)
            refuse(node, f"`{what}` in the code of a loss or of a regularizer")
        elif qualified in FUNCTIONS:
            self._layer(call, FUNCTIONS[qualified])
        elif qualified in CLASSES:
            self._layer_class(call, CLASSES[qualified])
        elif qualified in OPERATIONS:
            self._operation(call, OPERATIONS[qualified])
        elif qualified in COMPOSED:
            self._composed(call, *COMPOSED[qualified])
        elif qualified in VARIABLES:
            self._variable(call)
        elif qualified in INITIALIZERS:
            text = converted_value(self._plan, self._module, "initializer", call)
            self._plan.replace(self._module, call, Code(text or ""))
        elif qualified in REGULARIZERS:
            text = regularizer_code(self._plan, self._module, call)
            self._plan.replace(self._module, call, Code(text or ""))
        else:
            _unknown(node, qualified)

    def _of_values(self, call: ast.Call, qualified: str) -> bool:
        """Converts what only code of tensors with values has; says whether it did."""
        if qualified in batch_losses.LOSSES_OF_BATCHES:
            self._plan.needs(self._module, "keras")
            self._composed(call, *batch_losses.LOSSES_OF_BATCHES[qualified])
        elif qualified in batch_losses.VARIABLES_OF_MODEL:
            convert_variables(self._plan, self._module, call, self._model.name)
        elif qualified in batch_losses.KEPT_IN_LOSSES:
            Arguments(self._module, call, batch_losses.KEPT_IN_LOSSES[qualified])  # checks them
            if (self._module.names.spelled(call.func) or "") != qualified:
                refuse(call, f"`{ast.unparse(call.func)}` is not written as tf's")
        else:
            return False
        return True

    def _function_as_value(self, node: ast.Name | ast.Attribute, qualified: str) -> None:
        if (entry := OPERATIONS.get(qualified)) is None or not entry.target or entry.defaults:
            _unknown(node, qualified)
        self._plan.replace(self._module, node, Code(entry.target))

    def _operation(self, call: ast.Call, entry: Entry) -> None:
        arguments = Arguments(self._module, call, entry)
        if not entry.target:
            self._plan.replace(self._module, call, Code("{0}", (arguments.passed[0].value,)))
            return
        for name in WITH_SIZES.get(entry.target, ()):
            if (sizes := arguments.of(name)) is None or not inner_sizes(sizes):
                refuse(sizes or call, f"`{name}` of `{ast.unparse(call.func)}` is not [1, n, n, 1]")
        code = arguments.code(self._plan)
        # Only what leaves the model shows its type.
        if self._model.predicts and entry.target in _POSITIONS:
            code = self._of_type(call, code)
        self._plan.replace(self._module, call, code)

    def _composed(self, call: ast.Call, template: str, entry: Entry) -> None:
        """Replaces an operation by several of Keras."""
        arguments = Arguments(self._module, call, entry)
        names = [p.old for p in entry.parameters if p.new]
        values = [value for value in map(arguments.of, names) if value is not None]
        if len(values) != len(names):
            refuse(call, f"the arguments of `{ast.unparse(call.func)}`")
        self._plan.replace(self._module, call, Code(template, tuple(values)))

    def _of_type(self, call: ast.Call, code: Code) -> Code:
        """Returns an argmax with the type that it has in TensorFlow 1.x; Keras has int32."""
        output_type = argument(call, 3, "output_type")
        if output_type is not None and self._module.resolve(output_type) == "tensorflow.int32":
            return code
        dtype = quoted(self._module, "int64")
        return Code("keras.ops.cast", code.parts, (as_text(code), dtype))

    def _layer(self, call: ast.Call, entry: Entry) -> None:
        arguments = Arguments(self._module, call, entry)
        if (inputs := arguments.of("inputs")) is None:
            refuse(call, f"`{ast.unparse(call.func)}` is called without `inputs`")
        code = self._constructed(call, arguments)
        text = f"({{{len(code.parts)}}})"
        parts = (*code.parts, inputs)
        if not code.arguments:
            self._plan.replace(self._module, call, Code(code.template + text, parts))
            return
        self._plan.replace(
            self._module, call, Code(code.template, parts, code.arguments, tail=text)
        )

    def _variable(self, call: ast.Call) -> None:
        """Replaces a variable by the layer that holds it, called with a tensor."""
        plan, module = self._plan, self._module
        arguments = variable_arguments(module, call)
        if self._model.has_towers and arguments.of("initial_value") is not None:
            refuse(call, "each tower has another `tf.Variable`", "use tf.get_variable")
        tensor = anchor_of(module, call, self._model.tensors)
        name, name_argument = self._name(call, arguments), arguments.of("name")
        shown = module.code(name_argument) if name is None and name_argument is not None else name
        code = arguments.code(plan, "initial_value", name=shown)
        start = start_of(plan, arguments, len(code.parts)) or Code("")
        plan.write_out(module, VARIABLE)
        parts, texts = (*code.parts, *start.parts), (*start.arguments, *code.arguments)
        plan.replace(module, call, Code(VARIABLE, parts, texts, tail=f"({tensor})"))

    def _layer_class(self, call: ast.Call, entry: Entry) -> None:
        arguments = Arguments(self._module, call, entry)
        self._plan.replace(self._module, call, self._constructed(call, arguments))

    def _constructed(self, call: ast.Call, arguments: Arguments) -> Code:
        """Returns the code that makes a layer."""
        entry = arguments.entry
        self._check_training(call, arguments)
        code = arguments.code(
            self._plan, "inputs", *_training_names(entry), name=self._name(call, arguments)
        )
        if entry.target == _BATCH_NORMALIZATION:
            if not self._model.moves_averages:
                reason = "training does not run UPDATE_OPS, and Keras always moves the averages"
                refuse(call, f"{reason} of `{ast.unparse(call.func)}`")
            self._plan.write_out(self._module, "BatchNormalization")
            return (
                Code("BatchNormalization", code.parts, code.arguments)
                if (code.arguments)
                else Code("BatchNormalization()")
            )
        return code

    def _check_training(self, call: ast.Call, arguments: Arguments) -> None:
        """Refuses layers that do not follow the mode: a model passes it to all of them."""
        if not (names := _training_names(arguments.entry)):
            return
        value = arguments.of(names[0])
        what = f"`{names[0]}` of `{ast.unparse(call.func)}`"
        if value is None:
            refuse(call, f"{what} is not given, and Keras passes the mode to each layer")
        if self._modes.true_in(value) != frozenset(("train",)):
            refuse(value, f"{what} is not whether the mode is TRAIN")
        self._plan.leave_out(self._module, value)

    def _name(self, call: ast.Call, arguments: Arguments) -> str | None:
        """Returns the code of a layer's name; "" for none, None for the one that is given."""
        name_argument = next((g.value for g in arguments.passed if g.parameter.new == "name"), None)
        if name_argument is None:
            return ""
        if arguments.entry.target.rpartition(".")[2].startswith(UNNAMED):
            self._plan.leave_out(self._module, name_argument)
            return ""
        if not isinstance(name_argument, ast.Constant) or not isinstance(name_argument.value, str):
            if not self._once and self._plan.reuses:
                refuse(call, "layers with names that are not literals, which may share variables")
            return None
        name = name_argument.value.replace("/", "_")
        in_loop = any(isinstance(a, REPEATED) for a in self._module.ancestors(call))
        other = self._plan.layer_names.setdefault(name, call)
        if not self._once or in_loop or other is not call:
            if self._plan.reuses:
                refuse(call, f"layers of the name `{name}`, which may share their variables")
            return ""  # Keras numbers layers of one kind
        return None if name == name_argument.value else quoted(self._module, name)

    def _dimension(self, node: ast.Attribute) -> None:
        """Replaces ``x.shape[1].value``: shapes of Keras are tuples of numbers."""
        held = node.value
        if node.attr == "value" and isinstance(held, ast.Subscript) and is_shape(held.value):
            self._plan.replace(self._module, node, Code("{0}", (held,)))
        elif node.attr in _OF_TENSOR_SHAPES and is_shape(held):
            refuse(node, f"`{node.attr}` of a shape, which is a tuple in Keras")

    def _shape(self, call: ast.Call) -> None:
        """Replaces ``x.get_shape()`` and ``x.shape.as_list()``."""
        function = call.func
        if not isinstance(function, ast.Attribute) or call.args or call.keywords:
            return
        if function.attr == "get_shape":
            parent = self._module.parent(call)
            if not (isinstance(parent, ast.Attribute) and parent.attr == "as_list"):
                self._plan.replace(self._module, call, Code("{0}.shape", (function.value,)))
        elif function.attr == "as_list":
            shape = function.value
            if isinstance(shape, ast.Call) and isinstance(shape.func, ast.Attribute):
                tensor = shape.func.value
            elif isinstance(shape, ast.Attribute) and shape.attr == "shape":
                tensor = shape.value
            else:
                return
            self._plan.replace(self._module, call, Code("list({0}.shape)", (tensor,)))


def is_shape(node: ast.expr) -> bool:
    """Returns whether code reads the static shape of a tensor."""
    held = node.func if isinstance(node, ast.Call) else node
    return isinstance(held, ast.Attribute) and held.attr in ("shape", "get_shape")


def _training_names(entry: Entry) -> list[str]:
    return [p.old for p in entry.parameters if p.new == "training"]


def _unknown(node: ast.AST, qualified: str) -> NoReturn:
    name = qualified.replace("tensorflow.", "tf.", 1)
    refuse(node, f"`{name}` in a model function is not in the vocabulary of --target keras")
