"""Scalar summaries of a model function, which a callback writes under the same tags.

A callback writes them, since a Keras model has no operations for it. It knows the loss, the
learning rate and metrics; other values would need the tensors of a step, which Keras does not give
out.
"""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.calls import argument, called
from tfmigrate.rulekit.added_definition import indentation_of
from tfmigrate_keras.conversion import Conversion, literal
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.modes import EVAL, TRAIN
from tfmigrate_keras.optimizers import FoundOptimizer
from tfmigrate_keras.quotes import in_style
from tfmigrate_keras.tensors import is_same, source

LOSS, RATE = "loss", "learning_rate"
_SCALAR = "tensorflow.summary.scalar"
_SCOPES = ("tensorflow.name_scope", "tensorflow.variable_scope")
_WIDTH = 60  # of the tags in one line


class Summaries:
    """The scalar summaries of one model function that the callback knows.

    Attributes:
        tags: what is written under each tag: a metric, "loss" or "learning_rate".
    """

    def __init__(self, plan: Conversion, model: ModelFunction, optimizer: FoundOptimizer) -> None:
        """Reads the summaries, and plans that their statements are removed.

        Those with other values are left to ``remove_summaries``.
        """
        self._plan, self._model = plan, model
        self._module = model.module
        self._rate = argument(optimizer.place, 0, "learning_rate")
        self.tags: dict[str, str] = {}
        written = set()
        for statement, call, scopes in self._found():
            name, value = argument(call, 0, "name"), argument(call, 1, "tensor")
            own = literal(name)
            what = self._what(value) if value is not None else ""
            if isinstance(own, str) and what and len(call.args) + len(call.keywords) == 2:
                tag = scopes + own if scopes else self._tag(own, statement)
                self.tags[tag] = what
                written.add(tag)
                plan.remove(self._module, statement)
        if LOSS not in written:
            self.tags[self._tag(LOSS, None)] = LOSS  # an Estimator's own

    @property
    def code(self) -> str:
        """The code of the tags; "" where they are those of every program."""
        if self.tags == {LOSS: LOSS}:
            return ""
        items = [f"'{tag}': '{what}'" for tag, what in self.tags.items()]
        text = "{" + ", ".join(items) + "}"
        if len(text) > _WIDTH:
            step = indentation_of(self._module)
            text = "{\n" + "".join(f"{step}{item},\n" for item in items) + "}"
        return in_style(self._module, text)

    def _found(self) -> Iterator[tuple[ast.Expr, ast.Call, str]]:
        """Yields the summaries that training always writes, and the scopes around them."""
        branches = [branch for branch, _ in self._model.branches]
        for statement in self._module.all(ast.Expr, self._model.function):
            call, around, scopes = statement.value, self._module.parent(statement), ""
            if not isinstance(call, ast.Call) or called(self._module, call) != _SCALAR:
                continue
            while around in branches or isinstance(around, ast.With):
                scope = self._scope(around) if isinstance(around, ast.With) else ""
                if scope is None:
                    break
                scopes = scope + scopes
                around = self._module.parent(around)
            if around is self._model.function:
                yield statement, call, scopes

    def _scope(self, place: ast.With) -> str | None:
        """Returns the scope of a ``with`` that no other one is named like; None if unsure."""
        module = self._module
        context = place.items[0].context_expr
        if len(place.items) > 1 or not isinstance(context, ast.Call):
            return None
        name = literal(argument(context, 0, "name"))
        alike = [name == literal(node) for node, _ in self._names()]
        known = (
            called(module, context) == _SCOPES[0] and len(context.args) + len(context.keywords) == 1
        )
        return f"{name}/" if known and isinstance(name, str) and sum(alike) == 1 else None

    def _names(self) -> Iterator[tuple[ast.expr, ast.Call]]:
        """Yields the names of operations and scopes in the model function."""
        for call in self._module.all(ast.Call, self._model.function):
            scope_name = (
                argument(call, 0, "name") if called(self._module, call) in _SCOPES else None
            )
            named = [
                k.value for k in call.keywords if k.arg == "name" and k.value is not scope_name
            ]
            for node in ([scope_name] if scope_name is not None else []) + named:
                yield node, call

    def _what(self, value: ast.expr) -> str:
        """Returns what the callback calls a value; "" if it does not know it."""
        module, train = self._module, self._model.specs[TRAIN]
        if is_same(module, value, train.values["loss"]):
            return LOSS
        if self._rate is not None and is_same(module, value, self._rate):
            return RATE
        spec = self._model.specs.get(EVAL)
        metric_ops = spec.values.get("eval_metric_ops") if spec else None
        metrics = source(module, metric_ops) if metric_ops is not None else None
        updated = source(module, value)
        if not isinstance(updated, ast.Subscript) or literal(updated.slice) != 1:
            return ""
        if not isinstance(metrics, ast.Dict):
            return ""
        for key, metric in zip(metrics.keys, metrics.values, strict=True):
            if is_same(module, updated.value, metric):
                return str(literal(key))
        return ""

    def _tag(self, name: str, statement: ast.stmt | None) -> str:
        """Returns the tag of a summary: numbered if an operation above has its name."""
        above = sum(
            literal(node) == name
            for node, call in self._names()
            if statement is None or self._module.position(call) < self._module.position(statement)
        )
        return f"{name}_{above}" if above else name
