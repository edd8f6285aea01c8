"""A metric of other values than the labels and the output, as a function of both.

Keras passes a metric the labels and the output only. What a program computes of them before would
be computed outside of the metric, once, when the model is built; so it becomes a function.
"""

import ast
from dataclasses import dataclass, field

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, called
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.model_function import ModelFunction
from tfmigrate_keras.tables.metrics import ANY, CLASSES, OF_VALUES, TRUTHS
from tfmigrate_keras.tables.operations import COMPOSED, OPERATIONS
from tfmigrate_keras.tensors import is_labels, is_same, set_above, source, value_of

_PLAIN = (ast.Name, ast.Call, ast.Subscript, ast.Constant, ast.Attribute)


def metric_of_values(
    plan: Conversion, model: ModelFunction, output: ast.expr, call: ast.Call, name: str
) -> Code:
    """Returns the metric of what a function computes of the labels and the output.

    Raises:
        Refusal: there is no such metric, or it is computed of something else.
    """
    module = model.module
    target, kind = OF_VALUES.get(called(module, call), ("", ""))
    names = ("values",) if kind == ANY else ("labels", "predictions")
    operands = [argument(call, index, key) for index, key in enumerate(names)]
    others = [k.arg for k in call.keywords if k.arg not in (*names, "name")]
    values = [value for value in operands if value is not None]
    if not target or len(values) != len(names) or others or len(call.args) > len(names):
        refuse(call, f"the metric {name} is none that Keras has of any values")
    if module.function(call) is not model.function:
        what = ast.unparse(values[-1])[:60]
        refuse(call, f"the metric {name} of `{what}` is in another function than the model")
    if not isinstance(output, ast.Name):
        refuse(call, f"the metric {name} of an output without a name")
    if kind in (CLASSES, TRUTHS) and not _is_of_kind(model, values[1], kind):
        refuse(values[1], f"the metric {name} of predictions that may be no {kind}")
    function_of = _Function(plan, model, output)
    for value in values:
        function_of.read(value)
        plan.pin(module, value)
    labels = model.parameters.get("labels", "labels")
    defaults = "".join(f", {n}={n}" for n in sorted(function_of.of_loops))
    places = ", ".join(f"{{{index}}}" for index in range(len(values)))
    places = f"({places},)" if len(values) == 1 else f"({places})"
    plan.write_out(module, "MetricOf")
    plan.needs(module, "keras")
    plan.of_values.update(values)
    text = f"lambda {labels}, {output.id}{defaults}: {places}"
    return Code("MetricOf", tuple(values), (f"{target}(name={name})", text))


def _is_of_kind(model: ModelFunction, node: ast.expr, kind: str) -> bool:
    """Returns whether predictions are whole numbers of classes, or true and false."""
    origin = source(model.module, node)
    name = called(model.module, origin).removeprefix("tensorflow.").removeprefix("math.")
    if isinstance(origin, ast.Compare) or name in (
        "greater",
        "greater_equal",
        "less",
        "less_equal",
    ):
        return True
    if not isinstance(origin, ast.Call):
        return False
    if name in ("cast", "to_float", "to_int32", "to_int64", "identity", "squeeze", "reshape"):
        return bool(origin.args) and _is_of_kind(model, origin.args[0], kind)
    return kind == CLASSES and name in ("argmax", "round")


@dataclass
class _Function:
    """Reads what a metric is computed of, and puts the values of names in their places.

    Attributes:
        plan: the conversion.
        model: the model function.
        output: the output of the model.
        of_loops: names that loops set, which the function keeps.
    """

    plan: Conversion
    model: ModelFunction
    output: ast.Name
    of_loops: set[str] = field(default_factory=set)

    def read(self, value: ast.expr) -> None:
        """Reads an expression; names of tensors in it become what they are computed of."""
        module = self.model.module
        for node in module.walk(value):
            if isinstance(node, ast.Call) and called(module, node) not in (*OPERATIONS, *COMPOSED):
                refuse(node, f"a metric is computed by `{ast.unparse(node.func)}`")
        for name in module.all(ast.Name, value):
            scope = module.scope(name)
            if scope is not None and scope.node is self.model.function:
                self._name(name)

    def _name(self, name: ast.Name) -> None:
        model, module = self.model, self.model.module
        if name.id == model.parameters.get("labels"):
            if not is_labels(model, name):
                refuse(name, f"`{name.id}` is set anew above the metric")
            anew = max(set_above(model, name), key=module.position, default=None)
            assigned = module.statement(anew) if anew is not None else None
            if isinstance(assigned, ast.Assign):
                self._inline(name, assigned.value)
            return
        if name.id == self.output.id:
            if not is_same(module, name, self.output):
                refuse(name, f"`{name.id}` is not the output of the loss here")
            return
        if self._is_of_loop(name):
            self.of_loops.add(name.id)
            return
        if (value := value_of(module, name)) is None:
            refuse(name, f"`{name.id}` in a metric is computed in another way")
        self._inline(name, value)

    def _inline(self, name: ast.Name, value: ast.expr) -> None:
        """Puts the value of a name in its place."""
        plan, module = self.plan, self.model.module
        self.read(value)
        template = "{0}" if isinstance(value, _PLAIN) else "({0})"
        plan.of_values.add(value)
        plan.share(module, value)
        plan.replace(module, name, Code(template, (value,)))

    def _is_of_loop(self, name: ast.Name) -> bool:
        """Returns whether a loop around a name sets it."""
        module = self.model.module
        return any(
            isinstance(place, ast.For)
            and any(n.id == name.id for n in module.all(ast.Name, place.target))
            for place in module.ancestors(name)
        )
