"""Which expressions of a model function are computed from the features, and so are tensors.

A variable becomes a layer, and Keras keeps a layer in a model only if it is called with a tensor of
that model. To guess one would lose the variable, which then is not trained.
"""

import ast

from tfmigrate.resolve.calls import called, passed_for
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none
from tfmigrate_keras.conversion import Conversion, resolved
from tfmigrate_keras.own_functions import calls_of, definition
from tfmigrate_keras.tables.layers import CLASSES, FUNCTION_OF_DROPOUT, FUNCTIONS
from tfmigrate_keras.tables.operations import COMPOSED, OPERATIONS
from tfmigrate_keras.tensors import source

_LAYERS = frozenset(
    (*FUNCTIONS, *OPERATIONS, *COMPOSED, FUNCTION_OF_DROPOUT, "tensorflow.nn.embedding_lookup")
)


class FeatureTensors:
    """Reports what is computed from the features of one model function.

    An answer "yes" is certain: the value depends on the features, whatever branches are taken.
    """

    def __init__(
        self, plan: Conversion, module: Module, function: ast.FunctionDef, features: str
    ) -> None:
        """Takes the model function and the name of its features."""
        self._plan, self._model, self._features = plan, function, features
        self._known: dict[ast.expr, bool] = {}
        self._parameters: dict[tuple[ast.FunctionDef, str], bool] = {}
        self._module = module

    def has(self, module: Module, node: ast.expr) -> bool:
        """Returns whether an expression is a tensor that is computed from the features."""
        if node not in self._known:
            self._known[node] = True  # what a loop computes from itself depends on its start
            self._known[node] = self._has(module, node)
        return self._known[node]

    def _has(self, module: Module, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return self._name(module, node)
        if isinstance(node, ast.Subscript):
            return self.has(module, node.value)
        if isinstance(node, ast.BinOp):
            return self.has(module, node.left) or self.has(module, node.right)
        if isinstance(node, ast.UnaryOp):
            return self.has(module, node.operand)
        if isinstance(node, ast.IfExp):
            return self.has(module, node.body) and self.has(module, node.orelse)
        if isinstance(node, (ast.List, ast.Tuple)):
            return any(self.has(module, element) for element in node.elts)
        return isinstance(node, ast.Call) and self._call(module, node)

    def _name(self, module: Module, name: ast.Name) -> bool:
        scope, bindings = module.names.variable(name)
        if scope is None:
            return False
        values = module.values(name)
        held = all(self.has(module, value) for value in values)
        if not (others := len(bindings) - len(values)):
            return bool(values) and held
        function = scope.node
        if others > 1 or not isinstance(function, ast.FunctionDef):
            return False
        return held and self._parameter(module, function, name.id)

    def _parameter(self, module: Module, function: ast.FunctionDef, name: str) -> bool:
        """Returns whether all calls of a function pass such a tensor for a parameter."""
        names = [a.arg for a in function.args.args]
        if function is self._model:
            return name == self._features
        if name not in names:
            return False
        key = (function, name)
        if key not in self._parameters:
            self._parameters[key] = True
            arguments = self._given(module, function, name)
            passed = (value is not None and self.has(home, value) for home, value in arguments)
            self._parameters[key] = bool(arguments) and all(passed)
        return self._parameters[key]

    def _given(
        self, home: Module, function: ast.FunctionDef, name: str
    ) -> list[tuple[Module, ast.expr | None]]:
        """Returns what each call of a function passes for a parameter; None where it does not."""
        calls = calls_of(self._plan, function)
        return [(module, passed_for(home, function, call, name)) for module, call in calls]

    def _is_layer(self, module: Module, function: ast.expr) -> bool:
        """Returns whether what is called makes a tensor of tensors."""
        layer = source(module, function) if isinstance(function, ast.Name) else function
        if called(module, layer) in CLASSES or resolved(module, layer) in _LAYERS:
            return True
        if not isinstance(layer, ast.Name):
            return False
        scope, bindings = module.names.variable(layer)
        owner = scope.node if scope and len(bindings) == 1 else None
        if not isinstance(owner, ast.FunctionDef) or owner is self._model:
            return False
        if layer.id not in [a.arg for a in owner.args.args]:
            return False
        passed_values = [
            value for _, value in self._given(module, owner, layer.id) if value is not None
        ]
        return all(is_none(value) or resolved(module, value) in _LAYERS for value in passed_values)

    def _call(self, module: Module, call: ast.Call) -> bool:
        arguments = [*call.args, *(k.value for k in call.keywords)]
        if self._is_layer(module, call.func):
            return any(self.has(module, value) for value in arguments)
        if (callee := definition(self._plan, module, call.func)) is None:
            return False
        home, function = callee
        returned = [statement.value for statement in home.returns(function)]
        return bool(returned) and all(r is not None and self.has(home, r) for r in returned)
