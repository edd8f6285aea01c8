"""A model function becomes a function that returns a compiled Keras model.

An Estimator calls it once for each mode, and Keras has one model. So each statement is read with
the modes that reach it, and one that changes what is trained in some modes only is refused.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none
from tfmigrate_keras.conversion import (
    Conversion,
    check_stars,
    is_nothing,
    reads,
    refuse,
    resolved,
    stores,
    value_before,
)
from tfmigrate_keras.modes import ALL, EVAL, PREDICT, TRAIN, Modes

_SPECS = ("tensorflow.estimator.EstimatorSpec", "tensorflow.contrib.learn.ModelFnOps")
_PARAMETERS = ("features", "labels", "mode", "params", "config")


@dataclass
class Spec:
    """What a model function returns in one mode.

    Attributes:
        statement: the return.
        call: the EstimatorSpec.
        values: its arguments.
    """

    statement: ast.Return
    call: ast.Call
    values: dict[str, ast.expr] = field(default_factory=dict)


@dataclass
class ModelFunction:
    """A model function, its statements and its results by the mode.

    Attributes:
        module: its file.
        function: its definition.
        parameters: its parameters, by what an Estimator passes for them.
        modes: its names that depend on the mode.
        specs: what it returns in each mode.
        branches: tests of the mode of which one branch stays, and whether it is ``else``.
    """

    module: Module
    function: ast.FunctionDef
    parameters: dict[str, str]
    modes: Modes
    specs: dict[str, Spec] = field(default_factory=dict)
    branches: list[tuple[ast.If, bool]] = field(default_factory=list)


def read_model_function(
    plan: Conversion, module: Module, function: ast.FunctionDef
) -> ModelFunction:
    """Reads a model function, and removes what only some modes have.

    Raises:
        Refusal: modes do more than leave parts out.
    """
    names = [a.arg for a in (*function.args.args, *function.args.kwonlyargs)]
    parameters = {name: name for name in names if name in _PARAMETERS}
    for kind, name in zip(_PARAMETERS[:2], names, strict=False):
        parameters.setdefault(kind, name)  # an Estimator passes these two by position
    if function.decorator_list or function.args.vararg or function.args.kwarg:
        refuse(function, f"the arguments of `{function.name}` are not written out")
    mode = parameters.get("mode")
    for node in stores(module, function, mode) if mode else ():
        refuse(node, f"`{mode}` is set anew")
    modes = Modes(module, frozenset((mode,) if mode else ()))
    model = ModelFunction(module, function, parameters, modes)
    if _Reader(plan, model).block(function.body, ALL):
        refuse(function, f"`{function.name}` may return no EstimatorSpec")
    if TRAIN not in model.specs:
        refuse(function, f"`{function.name}` returns nothing to train")
    for statement in plan.left(module.all(ast.Assign, function)):
        if is_nothing(statement):
            _remove_if_dead(plan, model, statement)
    return model


def _remove_if_dead(plan: Conversion, model: ModelFunction, statement: ast.Assign) -> None:
    """Removes ``loss = None`` where all that reads it is below a statement that sets it anew."""
    module = model.module
    for target in [n for n in ast.walk(statement.targets[0]) if isinstance(n, ast.Name)]:
        others = plan.left(stores(module, model.function, target.id))
        anew = [
            module.position(n)
            for n in others
            if n is not target and _is_always_run(model, n, statement)
        ]
        loads = map(module.position, plan.left(reads(module, model.function, target.id)))
        if not anew or any(place < min(anew) for place in loads):
            return
    plan.remove(module, statement)


def _is_always_run(model: ModelFunction, node: ast.AST, after: ast.stmt) -> bool:
    """Returns whether code runs in training whenever a statement above it does."""
    module, branch_taken = model.module, dict(model.branches)
    above = set(module.ancestors(after))
    inner: ast.AST = node
    for outer in module.ancestors(node):
        if outer in above:
            return module.position(node) > module.position(after)
        if isinstance(outer, ast.If):
            block = outer.orelse if branch_taken.get(outer) else outer.body
            if outer not in branch_taken or inner not in block:
                return False
        elif isinstance(outer, ast.stmt) and not isinstance(outer, (ast.With, ast.Assign)):
            return False
        inner = outer
    return False


class _Reader:
    """Walks through the statements of a model function, with the modes that reach them."""

    def __init__(self, plan: Conversion, model: ModelFunction) -> None:
        self._plan, self._found = plan, model
        self._module = model.module

    def block(self, statements: Sequence[ast.stmt], active: frozenset[str]) -> frozenset[str]:
        """Reads a block; returns the modes that reach its end."""
        for statement in statements:
            if not active:
                self._plan.remove(self._module, statement)
                continue
            active = self._statement(statement, active)
        return active

    def _statement(self, statement: ast.stmt, active: frozenset[str]) -> frozenset[str]:
        if isinstance(statement, ast.Return):
            self._return(statement, active)
            return frozenset()
        if isinstance(statement, ast.If):
            return self._if(statement, active)
        if isinstance(statement, ast.With):
            return self.block(statement.body, active)
        if isinstance(statement, ast.Assert):
            if self._found.modes.true_in(statement.test, active) == active:
                self._plan.remove(self._module, statement)
            return active
        if isinstance(statement, ast.Raise):
            return active
        for inner in self._module.walk(statement):
            if isinstance(inner, ast.Return) and self._module.function(inner) is (
                self._found.function
            ):
                refuse(inner, "a `return` in a loop or `try`")
        return active

    def _if(self, statement: ast.If, active: frozenset[str]) -> frozenset[str]:
        if (true := self._found.modes.true_in(statement.test, active)) is None:
            return self._if_of_settings(statement, active)
        left = self.block(statement.body, true) | self.block(statement.orelse, active - true)
        self._plan.leave_out(self._module, statement.test)
        body = self._stays(statement.body, true)
        orelse = self._stays(statement.orelse, active - true)
        if body and orelse:
            body, orelse = _works(statement.body), _works(statement.orelse)
        if body and orelse:
            refuse(statement, "the model depends on the mode")
        if body or orelse:
            self._found.branches.append((statement, bool(orelse)))
        else:
            self._plan.remove(self._module, statement)
        return left

    def _if_of_settings(self, statement: ast.If, active: frozenset[str]) -> frozenset[str]:
        """Reads an ``if`` that something else than the mode decides: it stays."""
        if self._found.modes.depends(statement.test):
            refuse(statement.test, "a test of the mode and of something else")
        left = self.block(statement.body, active)
        if left != active or self.block(statement.orelse, active) != active:
            refuse(statement, "a `return` that a setting decides")
        return active

    def _stays(self, statements: Sequence[ast.stmt], active: frozenset[str]) -> bool:
        """Returns whether a block holds something the model needs; other blocks are removed."""
        useful = [s for s in statements if not self._is_idle(s)]
        if not useful or active == frozenset((PREDICT,)):
            for statement in statements:
                self._plan.remove(self._module, statement)
            return False
        return True

    def _is_idle(self, statement: ast.stmt) -> bool:
        """Returns whether a statement is removed, or sets a name to None."""
        nothing = isinstance(statement, ast.Pass) or is_nothing(statement)
        return nothing or self._plan.is_removed(statement)

    def _return(self, statement: ast.Return, active: frozenset[str]) -> None:
        call = statement.value
        if isinstance(call, ast.Name):
            call = value_before(self._module, call)
        if not isinstance(call, ast.Call) or called(self._module, call) not in _SPECS:
            refuse(statement, "this is not an EstimatorSpec")
        check_stars(call, "the EstimatorSpec")
        spec = Spec(statement, call)
        names = ["mode", "predictions", "loss", "train_op", "eval_metric_ops"]
        of_tf = resolved(self._module, call.func) == _SPECS[0]
        names.append("export_outputs" if of_tf else "output_alternatives")
        for position, name in enumerate(names):
            if (value := argument(call, position, name)) is not None and not is_none(value):
                spec.values[name] = value
        unknown = [k for k in call.keywords if k.arg not in names]
        if unknown and active & {TRAIN, EVAL}:
            refuse(unknown[0].value, f"`{unknown[0].arg}` of an EstimatorSpec")
        if call is not statement.value:
            self._plan.remove(self._module, self._module.statement(call))
        for mode in active:
            self._found.specs[mode] = spec
        if active == frozenset((PREDICT,)):
            self._plan.remove(self._module, statement)


def _works(block: Sequence[ast.stmt]) -> bool:
    """Returns whether a block does more than to return."""
    return not all(isinstance(statement, ast.Return) for statement in block)
