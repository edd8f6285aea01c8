"""Variables that the function of a session makes itself stay where they are."""

from __future__ import annotations

import ast

from tfmigrate.families.native.arguments import converted_value
from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.tensor_code import STORE, TensorCode
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument


class Variables:
    """The variables of one graph."""

    def __init__(self, plan: Conversion, graph: Graph, code: TensorCode) -> None:
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        self._code = code
        self._names: dict[str, ast.Call] = {}

    def convert(self) -> None:
        """Plans the edits of the statements that make variables.

        Raises:
            Refusal: one of them is made in a form that is not known.
        """
        for leaf in self._graph.of(Kind.VARIABLE):
            assert isinstance(leaf, ast.Assign)
            value = leaf.value
            if isinstance(value, ast.Dict):
                for element in value.values:
                    assert isinstance(element, ast.Call)
                    self._variable(leaf, element)
            else:
                assert isinstance(value, ast.Call)
                self._variable(leaf, value)

    def _variable(self, leaf: ast.Assign, call: ast.Call) -> None:
        name = called(self._module, call)
        if name == "tensorflow.get_variable":
            self._get_variable(leaf, call)
        elif name == "tensorflow.Variable":
            self._check_variable(call)
            self._code.convert([*call.args, *(k.value for k in call.keywords)])
        else:
            self._maker(call)

    def _check_variable(self, call: ast.Call) -> None:
        allowed = ("initial_value", "trainable", "name", "dtype")
        for keyword in call.keywords:
            if keyword.arg not in allowed:
                refuse(keyword.value, f"`{keyword.arg}` of a variable")
        if len(call.args) > 2:
            refuse(call.args[2], "an argument of a variable without its name")
        for use in [call.func]:
            self._plan.first_time(use)

    def _maker(self, call: ast.Call) -> None:
        """Converts a function of the program that returns a new variable."""
        for node in (*call.args, *(k.value for k in call.keywords)):
            self._code.convert([node])
        for function in self._code.called_functions(call):
            for inner in self._module.all(ast.Call, function):
                if called(self._module, inner) == "tensorflow.Variable":
                    self._check_variable(inner)
            if function not in self._code.functions:
                self._code.functions.append(function)
                self._code.convert(function.body)

    def _get_variable(self, leaf: ast.Assign, call: ast.Call) -> None:
        """Makes a variable where the graph asked for one by its name."""
        name, shape = argument(call, 0, "name"), argument(call, 1, "shape")
        initializer = argument(call, 3, "initializer")
        allowed = ("name", "shape", "initializer", "trainable", "dtype")
        for keyword in call.keywords:
            if keyword.arg not in allowed:
                refuse(keyword.value, f"`{keyword.arg}` of `get_variable`")
        if not isinstance(name, ast.Constant) or shape is None or len(call.args) > 2:
            refuse(call, "the arguments of `get_variable`")
        prefix: list[str] = []
        for outer in self._module.ancestors(leaf):
            if isinstance(outer, ast.With):
                for item in outer.items:
                    scope = item.context_expr
                    if called(self._module, scope) == "tensorflow.variable_scope":
                        given = (
                            argument(scope, 0, "name_or_scope")
                            if isinstance(scope, ast.Call)
                            else None
                        )
                        if not isinstance(given, ast.Constant):
                            refuse(scope, "the name of a scope of variables is not written out")
                        assert isinstance(scope, ast.Call)
                        if len(scope.args) + len(scope.keywords) > 1:
                            refuse(
                                scope, "a scope of variables that is not given by its name alone"
                            )
                        prefix.insert(0, str(given.value))
        full = "/".join([*prefix, str(name.value)])
        if self._names.setdefault(full, call) is not call:
            refuse(call, f"the variable `{full}` is shared")
        made = (
            None
            if initializer is None
            else converted_value(self._plan, self._module, "initializer", initializer)
        )
        if made is None and initializer is not None:
            refuse(initializer, "the initializer of a variable is not written here")
        made = made or "keras.initializers.GlorotUniform()"
        self._plan.needs(self._module, "keras")
        quote = ast.unparse(ast.Constant(full))
        trainable = next((k for k in call.keywords if k.arg == "trainable"), None)
        texts = [f"{made}({{0}})", f"name={quote}"]
        parts: list[ast.expr] = [shape]
        if trainable is not None:
            parts.append(trainable.value)
            texts.insert(1, "trainable={1}")
        self._plan.replace(self._module, call, Code("tf.Variable", tuple(parts), tuple(texts)))

    def check_shared(self) -> None:
        """Refuses variables of statements that functions may share by their names.

        Raises:
            Refusal: they may.
        """
        if not self._names or not self._code.stores:
            return
        for node in self._module.all(ast.Attribute):
            if node.attr in ("reuse_variables", "AUTO_REUSE"):
                refuse(node, "variables may be shared by reusing a scope")
        for call in self._module.calls_of("tensorflow.variable_scope"):
            reuse = argument(call, 4, "reuse")
            if reuse is not None:
                refuse(reuse, "variables may be shared by reusing a scope")

    def trained(self) -> list[str]:
        """Returns the code of the elements of the list of those that are trained."""
        names = []
        for leaf in self._graph.of(Kind.VARIABLE):
            assert isinstance(leaf, ast.Assign)
            if len(leaf.targets) != 1 or not isinstance(leaf.targets[0], ast.Name):
                refuse(leaf, "a variable that is assigned to something other than a name")
            name = leaf.targets[0].id
            if isinstance(leaf.value, ast.Dict):
                for element in leaf.value.values:
                    assert isinstance(element, ast.Call)
                    if argument(element, 1, "trainable") is not None:
                        refuse(element, "`trainable` of a variable in a dictionary")
                names.append(f"*{name}.values()")
                continue
            assert isinstance(leaf.value, ast.Call)
            trainable = argument(leaf.value, 1, "trainable")
            if called(self._module, leaf.value).endswith("get_variable"):
                trainable = next(
                    (k.value for k in leaf.value.keywords if k.arg == "trainable"), None
                )
            if isinstance(trainable, ast.Constant) and trainable.value is False:
                continue
            names.append(name)
        if self._code.stores:
            names.append(f"*{STORE}.trainable_variables")
        return names
