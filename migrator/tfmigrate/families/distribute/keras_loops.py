"""Custom training loops with Keras optimizers under a tf.distribute strategy.

The optimizers of TensorFlow 2.0 made their variables in the first step, in a replica. Those of
Keras 3 fail there ("cond/Placeholder"), and made outside of the scope they fail in the first step
("Mixing different tf.distribute.Strategy objects"). So a loop needs its optimizer built inside the
scope, with the variables of its model, which must have them by then.
"""

import ast
from dataclasses import dataclass

from tfmigrate.families.distribute.keras3 import KERAS, constructor, made_by
from tfmigrate.resolve.calls import called_on, method_calls
from tfmigrate.resolve.identities import identity
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import class_around, definition_of, returned
from tfmigrate.resolve.scopes import AssignBinding

_RUNS = ("run", "experimental_run_v2")
_SHAPE_ARGUMENTS = ("input_shape", "batch_input_shape", "input_dim")
_INPUTS = (
    "tensorflow.keras.Input",
    "tensorflow.keras.layers.Input",
    "tensorflow.keras.layers.InputLayer",
)


@dataclass(frozen=True)
class KerasLoop:
    """An optimizer whose gradients are applied in a function, and the model it trains.

    Attributes:
        call: the first ``optimizer.apply_gradients(...)``.
        optimizer: the statement that creates the optimizer.
        model: the statement that creates the model; None where there is not exactly one.
        scopes: the ``with strategy.scope():`` blocks around the optimizer and the model, None
            where there is none.
    """

    call: ast.Call
    optimizer: ast.Assign
    model: ast.Assign | None
    scopes: tuple[ast.With | None, ast.With | None]


def makes_strategy(module: Module) -> bool:
    """Returns whether a file makes a strategy of tf.distribute."""
    return module.mentions("trategy") and any(
        kind_of(module, call) is Kind.STRATEGY for call in module.all(ast.Call)
    )


def keras_loops(module: Module) -> list[KerasLoop]:
    """Returns the loops of a file whose optimizer is not built, one for each optimizer."""
    if not module.mentions("apply_gradients") or not (makes_strategy(module) or _runs(module)):
        return []
    loops: dict[ast.stmt, KerasLoop] = {}
    for call, method in method_calls(module, "apply_gradients"):
        owner = method.value
        if isinstance(module.function(call), ast.Module):
            continue
        optimizer_class = constructor(module, owner) or ""
        is_name = isinstance(owner, ast.Name)
        statement = (
            assignment(module, owner) if is_name else _assignment_of_attribute(module, owner)
        )
        if statement is None or not optimizer_class.startswith(f"{KERAS}optimizers."):
            continue
        if not _is_built(module, owner):
            model = _model(module, call) if is_name else None
            around_model = None if model is None else scope_around(module, model)
            scopes = (scope_around(module, statement), around_model)
            loops.setdefault(statement, KerasLoop(call, statement, model, scopes))
    return list(loops.values())


def assignment(module: Module, name: ast.expr) -> ast.Assign | None:
    """Returns the only statement ``name = ...`` that a name is bound by."""
    bindings = module.bindings(name)
    if len(bindings) != 1 or not isinstance(bindings[0], AssignBinding):
        return None
    statement = bindings[0].statement
    alone = isinstance(statement, ast.Assign) and len(statement.targets) == 1
    return statement if alone and isinstance(statement, ast.Assign) else None


def replica_functions(module: Module) -> list[ast.FunctionDef]:
    """Returns the functions and methods that are passed to ``strategy.run`` by name."""
    run_arguments = [call.args[0] for call in _runs(module) if call.args]
    functions = [definition_of(module, function) for function in run_arguments]
    definitions = [f for f in functions if isinstance(f, ast.FunctionDef)]
    return sorted(dict.fromkeys(definitions), key=module.position)


def _is_run_of_strategy(module: Module, call: ast.Call, strategy: ast.expr) -> bool:
    """Returns whether a call is one of a strategy's ``run(function, args=...)``.

    Where the type of the object is unknown, the arguments decide.
    """
    kind = kind_of(module, strategy)
    return kind is Kind.STRATEGY or (
        kind is None
        and len(call.args) == 1
        and any(keyword.arg == "args" for keyword in call.keywords)
    )


def scope_around(module: Module, node: ast.AST) -> ast.With | None:
    """Returns the ``with strategy.scope():`` around a node, within its function."""
    for ancestor in module.ancestors(node):
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return None
        if isinstance(ancestor, ast.With) and any(map(_is_scope, ancestor.items)):
            return ancestor
    return None


def knows_its_input(module: Module, model: ast.Assign) -> bool:
    """Returns whether a model has its variables as soon as it is created."""
    return _has_variables(module, model.value, 0)


def _is_scope(item: ast.withitem) -> bool:
    call = item.context_expr
    return called_on(call, "scope") is not None and not getattr(call, "args", ())


def _is_built(module: Module, optimizer: ast.expr) -> bool:
    """Returns whether the program builds an optimizer of this name itself."""
    own = identity(module, optimizer)
    return any(identity(module, method.value) == own for _, method in method_calls(module, "build"))


def _assignment_of_attribute(module: Module, node: ast.expr) -> ast.Assign | None:
    """Returns the first statement that binds an attribute of self in the class around a place."""
    own = class_around(module, node)
    sought = identity(module, node)
    statements = module.all(ast.Assign, own) if own is not None else []
    bound = (s for s in statements if any(identity(module, t) == sought for t in s.targets))
    return next(bound, None) if sought is not None else None


def _runs(module: Module) -> list[ast.Call]:
    """Returns the calls of ``strategy.run``, on strategies of this file and on parameters."""
    calls = method_calls(module, *_RUNS)
    return [call for call, run in calls if _is_run_of_strategy(module, call, run.value)]


def _model(module: Module, call: ast.Call) -> ast.Assign | None:
    """Returns the statement that creates the model whose variables are trained."""
    for place in (call, module.function(call)):  # GANs have several models in a function
        names = [
            node.value
            for node in module.all(ast.Attribute, place)
            if node.attr in ("trainable_variables", "trainable_weights")
            and isinstance(node.value, ast.Name)
        ]
        if names:
            alone = len({name.id for name in names}) == 1
            return assignment(module, names[0]) if alone else None
    return None


def _has_variables(module: Module, value: ast.expr, depth: int) -> bool:
    """Returns whether an expression creates a model with a known input shape."""
    if isinstance(value, ast.Name):
        calls = made_by(module, value)
        return bool(calls) and all(_has_variables(module, call, depth) for call in calls)
    if not isinstance(value, ast.Call):
        return False
    name = module.resolve(value.func) or ""
    if name.startswith(f"{KERAS}applications."):
        return True
    if name in (f"{KERAS}Model", f"{KERAS}models.Model"):
        return len(value.args) >= 2 or any(k.arg == "outputs" for k in value.keywords)
    if name in (f"{KERAS}Sequential", f"{KERAS}models.Sequential"):
        return _begins_with_input(module, value)
    function = definition_of(module, value.func)
    if not isinstance(function, ast.FunctionDef) or depth > 2:
        return False
    results = returned(module, function) or ()
    return bool(results) and all(_has_variables(module, r, depth + 1) for r in results)


def _begins_with_input(module: Module, call: ast.Call) -> bool:
    """Returns whether the first layer of a Sequential model declares the input shape."""
    layers = call.args[0] if call.args else None
    if not isinstance(layers, (ast.List, ast.Tuple)) or not layers.elts:
        return False
    first = layers.elts[0]
    if not isinstance(first, ast.Call):
        return False
    declares_shape = any(keyword.arg in _SHAPE_ARGUMENTS for keyword in first.keywords)
    return declares_shape or module.resolve(first.func) in _INPUTS
