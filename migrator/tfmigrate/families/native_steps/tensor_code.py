"""Code of tensors in training steps: functions of TensorFlow 1.x become those of TensorFlow 2."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.arguments import Arguments, converted_value
from tfmigrate.families.native.conversion import Conversion, called, refuse, root_of_tensorflow
from tfmigrate.families.native.expressions import is_shape
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native.penalties import is_penalties
from tfmigrate.families.native_steps.initializers import convert_passed_initializer
from tfmigrate.families.native_steps.left_out_summaries import LeftOut
from tfmigrate.model.edits import ArrangeArguments, Code, RemoveName, RemoveWithItem
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.tables.native.entry import Entry, Parameter
from tfmigrate.tables.native.initializers import INITIALIZERS
from tfmigrate.tables.native.kept import KEPT, PACKAGES, RENAMED
from tfmigrate.tables.native.layers import FUNCTIONS as LAYERS
from tfmigrate.tables.native.tensor_functions import (
    FUNCTIONS,
    LABELS_OF,
    OTHERWISE,
    SAME,
    TEMPLATES,
)

STORE = "model_variables"
_BUILTINS = (
    *("len", "range", "enumerate", "zip", "int", "float", "str", "list", "tuple", "dict", "abs"),
    *("reversed", "min", "max", "sum", "bool", "isinstance", "sorted", "ValueError", "round"),
)
_PURE = ("math.", "numpy.sqrt", "numpy.prod", "numpy.log", "numpy.array", "numpy.float32")
_METHODS = (
    "format",
    "append",
    "get_shape",
    "set_shape",
    "as_list",
    "items",
    "values",
    "keys",
    "lower",
    "join",
)
_DROPPED = ("tensorflow.name_scope", "tensorflow.device")
_MEMBERS = {"__init__", "scope", "get", "apply", "trainable_variables"}
_OLD_SHAPES = ("ndims", "dims", "num_elements", "is_fully_defined", "with_rank")


class _Plain(Arguments):
    """Arguments of functions that stay functions of TensorFlow: no value changes."""

    def _value(
        self, conversion: Conversion, parameter: Parameter, value: ast.expr, index: int
    ) -> tuple[str, list[ast.expr]]:
        return f"{{{index}}}", [value]


class TensorCode:
    """Converts the code of tensors, and the functions of the program that it calls.

    Attributes:
        module: the file.
        stores: whether a function that it calls makes variables.
        functions: the functions of the program that it calls.
    """

    def __init__(self, plan: Conversion, module: Module, summaries: LeftOut) -> None:
        self._plan = plan
        self._module = module
        self.module = module
        self._summaries = summaries
        self.stores = False
        self.functions: list[ast.FunctionDef] = []

    def convert(self, nodes: Sequence[ast.AST]) -> None:
        """Plans the edits of some statements.

        Raises:
            Refusal: something has no successor, or does more than to compute.
        """
        for node in nodes:
            self._leave_out_summaries(node)
            self._convert_with(node)
            for inner in self._module.walk(node):
                if not self._plan.is_removed(inner):
                    self._convert_node(inner)
            for function in self.called_functions(node):
                if function not in self.functions:
                    self.functions.append(function)
                    self.convert(function.body)

    def convert_names(self, node: ast.AST) -> None:
        """Plans the edits of the names of TensorFlow in code that is not traced."""
        for inner in self._module.walk(node):
            if isinstance(inner, (ast.Name, ast.Attribute)) and not self._plan.is_removed(inner):
                name = self._module.resolve(inner) or ""
                known = name in (*FUNCTIONS, *TEMPLATES)
                if known and not self._longer(inner):
                    self._use(inner, name)

    def _leave_out_summaries(self, node: ast.AST) -> None:
        """Removes statements that only write summaries; only with ``--unsafe``."""
        statements = self._module.all(ast.stmt, node) if self._plan.unwritten else []
        for statement in statements:
            if not self._plan.is_removed(statement) and self._summaries.writes(statement):
                self._plan.unsafe.append((self._module, statement, self._plan.unwritten))
                self._plan.remove(self._module, statement)

    def called_functions(self, node: ast.AST) -> Iterator[ast.FunctionDef]:
        """Yields the functions of the program that code calls."""
        for call in self._module.all(ast.Call, node):
            found = definition(self._plan, self._module, call.func)
            if found is not None and not self._plan.is_removed(call):
                if found[0] is not self._module:
                    refuse(call, f"`{ast.unparse(call.func)}` is in another file")
                yield found[1]

    def _convert_node(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)):
            refuse(node, "a function of the graph does more than to compute tensors")
        if isinstance(node, ast.Call):
            self._check_call(node)
        if isinstance(node, ast.Attribute):
            self._shape(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            inner = isinstance(self._module.parent(node), ast.Attribute)
            name = self._module.resolve(node) or ""
            if name.startswith("tensorflow.") and not (inner and self._longer(node)):
                self._use(node, name)

    def _longer(self, node: ast.expr) -> bool:
        parent = self._module.parent(node)
        return isinstance(parent, ast.Attribute) and bool(self._module.resolve(parent))

    def _check_call(self, call: ast.Call) -> None:
        """Refuses calls that may do something each time that a step is traced."""
        function = call.func
        name = self._module.resolve(function) or ""
        if name.startswith(("tensorflow.", *_PURE)):
            return
        if definition(self._plan, self._module, function) is not None:
            return
        if isinstance(function, ast.Name) and function.id in _BUILTINS and not name:
            return
        if isinstance(function, ast.Attribute) and function.attr in _METHODS and not name:
            return
        refuse(
            call,
            f"the graph calls `{ast.unparse(function)[:60]}`, which may do more than to compute",
        )

    def _shape(self, node: ast.Attribute) -> None:
        held = node.value
        if node.attr == "value" and isinstance(held, ast.Subscript) and is_shape(held.value):
            self._plan.replace(self._module, node, Code("{0}", (held,)))
        elif node.attr in _OLD_SHAPES and is_shape(held):
            refuse(node, f"`{node.attr}` of a shape")

    def _use(self, node: ast.Name | ast.Attribute, name: str) -> None:
        if name.startswith(tuple(PACKAGES)) or not self._plan.first_time(node):
            return
        parent = self._module.parent(node)
        call = parent if isinstance(parent, ast.Call) and parent.func is node else None
        if call is not None and name in FUNCTIONS:
            self._function(call, name, FUNCTIONS[name])
        elif call is not None and name in TEMPLATES:
            self._template(call, name)
        elif call is not None and name == "tensorflow.get_variable":
            self._get_variable(call)
        elif call and self._plan.regularized and is_penalties(self._module, call):
            self._store()
            self._plan.members["Variables"].add("losses")
            self._plan.replace(self._module, call, Code(f"{STORE}.losses"))
        elif call is not None and name in LAYERS:
            self._layer(call, LAYERS[name])
        elif (
            call is not None
            and name in INITIALIZERS
            and convert_passed_initializer(self._plan, self._module, call)
        ):
            return
        elif name in RENAMED:
            self._plan.replace(self._module, node, Code(self._named(node, RENAMED[name])))
        elif (name in KEPT or name in SAME) and name not in OTHERWISE:
            return
        elif name in FUNCTIONS and FUNCTIONS[name].target == f"tf.{name[11:]}":
            return  # passed on as a function
        else:
            what = name.replace("tensorflow.", "tf.", 1)
            refuse(node, f"`{what}` in a training step is not in the vocabulary of --target keras")

    def _named(self, node: ast.expr, target: str) -> str:
        """Returns a name of TensorFlow as the file imports it."""
        return target.replace("tf.", f"{root_of_tensorflow(self._module, node)}.")

    def _function(self, call: ast.Call, name: str, entry: Entry) -> None:
        arguments = _Plain(self._module, call, entry)
        self._labels(call, name)
        same = f"tf.{name.removeprefix('tensorflow.')}" == entry.target
        kept = all(g.parameter.new == g.parameter.old or not g.named for g in arguments.given)
        if same and kept and all(g.parameter.new for g in arguments.given):
            return
        target = self._named(call.func, entry.target)
        arguments.entry = Entry(target, entry.parameters, entry.added, entry.defaults)
        self._plan.replace(self._module, call, arguments.code(self._plan))

    def _labels(self, call: ast.Call, name: str) -> None:
        """Refuses labels that may have a gradient, which TensorFlow 1.x did not take."""
        labels = argument(call, 0, "labels", "onehot_labels") if name in LABELS_OF else None
        if labels is not None and not isinstance(labels, ast.Name):
            refuse(labels, "labels that are computed here, of which TensorFlow 2 takes a gradient")

    def _template(self, call: ast.Call, name: str) -> None:
        names, template = TEMPLATES[name]
        self._labels(call, name)
        if has_star_arguments(call) or len(call.args) > len(names):
            refuse(call, f"the arguments of `{ast.unparse(call.func)}`")
        extra = [k for k in call.keywords if k.arg not in (*names, "name")]
        if extra:
            refuse(extra[0].value, f"`{extra[0].arg}` of `{ast.unparse(call.func)}`")
        parts = [argument(call, index, old) for index, old in enumerate(names)]
        if any(part is None for part in parts):
            refuse(call, f"the arguments of `{ast.unparse(call.func)}`")
        template = self._named(call.func, template)
        atoms = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript)
        for index, part in enumerate(parts):
            if not isinstance(part, atoms) and f" {{{index}}}" in template:
                template = template.replace(f" {{{index}}}", f" ({{{index}}})")
        given = tuple(part for part in parts if part is not None)
        parent = self._module.parent(call)
        if " + " in template and isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Attribute)):
            template = f"({template})"
        self._plan.replace(self._module, call, Code(template, given))

    def _get_variable(self, call: ast.Call) -> None:
        """Replaces ``tf.get_variable`` by the variable of a store."""
        names = ("name", "shape", "dtype", "initializer", "regularizer", "trainable")
        if has_star_arguments(call):
            refuse(call, "the arguments of `get_variable` are passed by `*` or `**`")
        given = dict(zip(names, call.args, strict=False))
        given.update({k.arg: k.value for k in call.keywords if k.arg})
        for name, value in given.items():
            float32 = name == "dtype" and self._module.resolve(value) == "tensorflow.float32"
            if name not in ("name", "shape", "initializer", "trainable") and not float32:
                refuse(value, f"`{name}` of `get_variable`")
        parts: list[ast.expr] = []
        texts = []
        for name in ("name", "shape", "initializer", "trainable"):
            if name not in given:
                continue
            value = given[name]
            text = converted_value(self._plan, self._module, name, value)
            if text is None:
                text = f"{{{len(parts)}}}"
                parts.append(value)
            else:
                self._plan.leave_out(self._module, value)
            in_place = name == "name" or (name == "shape" and "name" in given)
            texts.append(text if in_place else f"{name}={text}")
        self._store()
        self._plan.replace(self._module, call, Code(f"{STORE}.get", tuple(parts), tuple(texts)))

    def _store(self) -> None:
        self.stores = True
        self._plan.write_out(self._module, STORE)
        self._plan.members["Variables"] |= _MEMBERS
        self._plan.needs(self._module, "keras", "contextlib")

    def _layer(self, call: ast.Call, entry: Entry) -> None:
        """Replaces a function of tf.layers by a layer of a store."""
        arguments = Arguments(self._module, call, entry)
        inputs = arguments.of("inputs")
        if inputs is None:
            refuse(call, f"`{ast.unparse(call.func)}` is called without `inputs`")
        for parameter in entry.parameters:
            if parameter.new == "training":
                given = arguments.of(parameter.old)
                off = isinstance(given, ast.Constant) and given.value is False
                # Functions of tf.contrib.layers are of the training unless it is said otherwise.
                if not off and not (given is None and parameter.old == "training"):
                    refuse(call, f"`{ast.unparse(call.func)}` depends on the mode")
        regularized = any(g.parameter.new.endswith("regularizer") for g in arguments.given)
        if regularized and not self._plan.regularized:
            refuse(call, "a regularizer whose penalty the loss does not add")
        makes = any(p.old in ("units", "filters", "momentum") for p in entry.parameters)
        code = arguments.code(self._plan, "inputs", "training", "is_training")
        parts = (*code.parts, inputs)
        place = f"{{{len(parts) - 1}}}"
        self._plan.needs(self._module, "keras")
        if not makes:
            inner = ", ".join(code.arguments)
            head = f"{code.template}({inner})" if code.arguments else code.template
            self._plan.replace(self._module, call, Code(f"{head}({place})", parts))
            return
        if arguments.of("name") is None and arguments.of("scope") is None:
            refuse(call, f"`{ast.unparse(call.func)}` without a `name`", "Give it a `name`.")
        self._store()
        inner = f"{code.template}({', '.join(code.arguments)})"
        self._plan.replace(self._module, call, Code(f"{STORE}.apply", parts, (inner, place)))

    def _convert_with(self, node: ast.AST) -> None:
        """Removes scopes of names and devices; scopes of variables are those of the store."""
        for statement in self._module.all(ast.With, node):
            for item in statement.items:
                self._scope(statement, item)

    def _scope(self, statement: ast.With, item: ast.withitem) -> None:
        scope = item.context_expr
        name = called(self._module, scope)
        if self._plan.is_removed(scope):
            return
        if not isinstance(scope, ast.Call) or name not in (*_DROPPED, "tensorflow.variable_scope"):
            refuse(scope, f"`with {ast.unparse(scope)[:60]}` in a training step")
        if isinstance(item.optional_vars, ast.Name):
            self.check_unused(item.optional_vars)
        if name in _DROPPED:
            self._plan.edits[self._module].append(RemoveWithItem(statement, item))
            self._plan.leave_out(self._module, item)
            return
        self._variable_scope(item, scope)

    def scope_of_variables(self, item: ast.withitem) -> bool:
        """Makes a scope of the graph one of the store; says whether it has a name."""
        scope = item.context_expr
        given = argument(scope, 0, "name_or_scope") if isinstance(scope, ast.Call) else None
        if given is None or called(self._module, given) == "tensorflow.get_variable_scope":
            return False
        assert isinstance(scope, ast.Call)
        if isinstance(item.optional_vars, ast.Name):
            self.check_unused(item.optional_vars)
        self._variable_scope(item, scope)
        return True

    def _variable_scope(self, item: ast.withitem, scope: ast.Call) -> None:
        given = argument(scope, 0, "name_or_scope")
        if given is None or called(self._module, given) or len(scope.args) > 1:
            refuse(scope, "a scope of variables that is not given by its name alone")
        for keyword in scope.keywords:
            if keyword.arg not in ("name_or_scope", "reuse"):
                refuse(keyword.value, f"`{keyword.arg}` of a scope of variables")
        self._store()
        self._plan.replace(self._module, scope, Code(f"{STORE}.scope({{0}})", (given,)))
        if item.optional_vars is not None:
            self._plan.edits[self._module].append(RemoveName(item.optional_vars))
            self._plan.leave_out(self._module, item.optional_vars)

    def check_unused(self, name: ast.Name) -> None:
        """Refuses the variable of a scope where something reads it."""
        function = self._module.function(name)
        for node in self._module.all(ast.Name, function):
            read = node.id == name.id and isinstance(node.ctx, ast.Load)
            if read and not self._plan.is_removed(node) and not self._only_names(node):
                refuse(node, f"the scope `{name.id}` is used as a value")

    def _only_names(self, node: ast.Name) -> bool:
        """Leaves out the name of an operation that is that of its scope; says whether it is one."""
        held = self._module.parent(node)
        keyword = self._module.parent(held)
        call = self._module.parent(keyword)
        if not isinstance(held, ast.Attribute) or held.attr != "name":
            return False
        if not isinstance(keyword, ast.keyword) or not isinstance(call, ast.Call):
            return False
        function = called(self._module, call)
        if keyword.arg != "name" or function not in (*FUNCTIONS, *TEMPLATES, *KEPT, *SAME):
            return False
        if function not in FUNCTIONS and function not in TEMPLATES:
            kept = [(k.arg or "", k.value) for k in call.keywords if k is not keyword]
            arguments = (*(("", value) for value in call.args), *kept)
            self._plan.edits[self._module].append(ArrangeArguments(call, arguments))
        self._plan.leave_out(self._module, keyword)
        return True
