"""``compute_gradients``, clipping and ``apply_gradients`` become an argument of the optimizer.

Keras clips in each replica, before gradients are added up, as towers did (semantics.md, 1.8).
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from tfmigrate.resolve.calls import argument, called, called_on
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import LOOPS, Conversion, refuse, stores
from tfmigrate_keras.unused import SUMMARIES

_GLOBAL = "tensorflow.clip_by_global_norm"
_EACH = {"tensorflow.clip_by_norm": "clipnorm", "tensorflow.clip_by_value": "clipvalue"}


@dataclass(frozen=True)
class Clipping:
    """What an optimizer does to gradients first.

    Attributes:
        parameter: the parameter of an optimizer of Keras; "" for nothing.
        limit: its value.
        loss: what the gradients are of.
        optimizer: the expression whose ``compute_gradients`` is called.
        shared: the iterator, if gradients are passed as one, which towers would share.
    """

    parameter: str
    limit: ast.expr | None
    loss: ast.expr
    optimizer: ast.expr
    shared: ast.expr | None


@dataclass
class _Reader:
    """Follows the gradients of ``apply_gradients`` back to the loss.

    Attributes:
        module: the file.
        statements: the assignments on the way.
        parameter: see ``Clipping``.
        limit: see ``Clipping``.
    """

    module: Module
    statements: list[ast.stmt] = field(default_factory=list)
    parameter: str = ""
    limit: ast.expr | None = None

    def pairs(self, node: ast.expr) -> ast.Call:
        """Returns ``compute_gradients`` of pairs of gradients and variables."""
        node = self._value(node)
        if _is_builtin(node, "list", 1) or _is_builtin(node, "tuple", 1):
            return self.pairs(node.args[0])  # type: ignore[attr-defined]
        if _is_builtin(node, "zip", 2):
            gradients, variables = node.args  # type: ignore[attr-defined]
            of_variables = self._unzipped(variables, 1)
            if self._gradients(gradients) is of_variables:
                return of_variables
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self._comprehension(node)
        if isinstance(node, ast.Call) and called_on(node, "compute_gradients") is not None:
            return node
        refuse(node, f"`{ast.unparse(node)[:60]}` is not what `compute_gradients` returned")

    def _gradients(self, node: ast.expr) -> ast.Call:
        """Returns ``compute_gradients`` of gradients alone, which may be clipped."""
        assigned = self._assigned(node)
        if assigned is not None and called(self.module, assigned[0].value) == _GLOBAL:
            statement, index = assigned
            call = statement.value
            assert isinstance(call, ast.Call)
            if index == 0 and len(call.args) + len(call.keywords) == 2:
                self._clip(call, "global_clipnorm", argument(call, 1, "clip_norm"))
                self.statements.append(statement)
                if (inner := argument(call, 0, "t_list")) is not None:
                    return self._gradients(inner)
        value = self._value(node)
        if isinstance(value, ast.ListComp) and len(value.generators) == 1:
            target = value.generators[0].target
            if isinstance(target, ast.Name):
                self._each(value.elt, target.id)
                _check_filter(value.generators[0], target.id)
                return self._gradients(value.generators[0].iter)
        return self._unzipped(node, 0)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> ast.Call:
        """Returns ``compute_gradients`` of ``[(clip(g), v) for g, v in pairs]``."""
        generator = node.generators[0]
        names = _names(generator.target)
        element = node.elt
        if len(node.generators) == 1 and len(names) == 2 and isinstance(element, ast.Tuple):
            variable = element.elts[-1]
            if isinstance(variable, ast.Name) and variable.id == names[1]:
                self._each(element.elts[0], names[0])
                _check_filter(generator, names[0])
                return self.pairs(generator.iter)
        refuse(node, "the gradients are changed by something other than clipping")

    def _each(self, node: ast.expr, name: str) -> None:
        """Notes how each gradient is clipped."""
        if isinstance(node, ast.Name) and node.id == name:
            return
        parameter = _EACH.get(called(self.module, node))
        if parameter is None or not isinstance(node, ast.Call) or node.keywords:
            refuse(node, "the gradients are changed by something other than clipping")
        gradient, *limits = node.args
        if not isinstance(gradient, ast.Name) or gradient.id != name:
            refuse(node, "the gradients are changed by something other than clipping")
        if parameter == "clipvalue":
            _check_symmetric(node, limits)
        if len(limits) != 1 + (parameter == "clipvalue"):
            refuse(node, f"the arguments of `{ast.unparse(node.func)}`")
        self._clip(node, parameter, limits[-1])

    def _clip(self, node: ast.expr, parameter: str, limit: ast.expr | None) -> None:
        if self.parameter or limit is None:
            refuse(node, "the gradients are clipped twice")
        self.parameter, self.limit = parameter, limit

    def _unzipped(self, node: ast.expr, wanted: int) -> ast.Call:
        """Returns ``compute_gradients`` of one part of ``gradients, variables = zip(*pairs)``."""
        if (assigned := self._assigned(node)) is not None and assigned[1] == wanted:
            statement, value = assigned[0], assigned[0].value
            if _is_builtin(value, "zip", 1) and isinstance(value.args[0], ast.Starred):  # type: ignore[attr-defined]
                self.statements.append(statement)
                return self.pairs(value.args[0].value)  # type: ignore[attr-defined]
        refuse(node, f"`{ast.unparse(node)[:60]}` is not what `compute_gradients` returned")

    def _value(self, node: ast.expr) -> ast.expr:
        """Returns the value that was assigned to a name last, else the expression itself."""
        if (assigned := self._assigned(node)) is None or assigned[1] is not None:
            return node
        self.statements.append(assigned[0])
        return self._value(assigned[0].value)

    def _assigned(self, node: ast.expr) -> tuple[ast.Assign, int | None] | None:
        """Returns the assignment of a name, and its place in a tuple of targets."""
        if not isinstance(node, ast.Name):
            return None
        here = self.module.statement(node)
        above = [
            n
            for n in stores(self.module, self.module.function(node), node.id)
            if self.module.position(n) < self.module.position(here)
        ]
        if not above:
            return None
        statement = self.module.statement(max(above, key=self.module.position))
        plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1
        if not plain or self.module.parent(statement) not in self.module.ancestors(here):
            refuse(node, f"`{node.id}` is not assigned once above")
        assert isinstance(statement, ast.Assign)
        names = _names(statement.targets[0])
        return statement, names.index(node.id) if names else None


def read_clipping(plan: Conversion, module: Module, call: ast.Call) -> Clipping:
    """Returns what ``apply_gradients`` applies, and plans to remove the statements before it.

    Args:
        call: the call of ``apply_gradients``.

    Raises:
        Refusal: something else is done to the gradients.
    """
    if (gradients := argument(call, 0, "grads_and_vars")) is None:
        refuse(call, "`apply_gradients` has no gradients")
    reader = _Reader(module)
    computed = reader.pairs(gradients)
    loss = argument(computed, 0, "loss")
    if loss is None or len(computed.args) + len(computed.keywords) > 1:
        refuse(computed, "the arguments of `compute_gradients` are not the loss alone")
    assert isinstance(computed.func, ast.Attribute)
    if any(isinstance(a, LOOPS) for a in module.ancestors(computed)):
        refuse(computed, "`compute_gradients` in a loop")
    _check_uses(module, call, reader.statements)
    for statement in reader.statements:
        plan.remove(module, statement)
    shared = gradients if _is_builtin(gradients, "zip", 2) else None
    shared = gradients if isinstance(gradients, ast.GeneratorExp) else shared
    return Clipping(reader.parameter, reader.limit, loss, computed.func.value, shared)


def _check_uses(module: Module, call: ast.Call, statements: Sequence[ast.stmt]) -> None:
    """Refuses gradients that are used for more than to apply them and to summarize them."""
    names = {n for s in statements if isinstance(s, ast.Assign) for n in _all_names(s.targets[0])}
    for node in module.all(ast.Name, module.function(call)):
        place = module.statement(node)
        if node.id not in names or place in statements or place is module.statement(call):
            continue
        value = place.value if isinstance(place, ast.Expr) else None
        if not called(module, value).startswith(SUMMARIES):
            refuse(node, f"`{node.id}` is used for more than the training")


def _check_filter(generator: ast.comprehension, name: str) -> None:
    """Refuses conditions other than ``if g is not None``."""
    if [ast.unparse(test) for test in generator.ifs] not in ([], [f"{name} is not None"]):
        refuse(generator.ifs[0], "only some gradients are applied")


def _check_symmetric(node: ast.expr, limits: Sequence[ast.expr]) -> None:
    if len(limits) != 2 or ast.unparse(limits[0]) != f"-{ast.unparse(limits[1])}":
        refuse(node, "the limits of `tf.clip_by_value` are not `-x` and `x`")


def _is_builtin(node: ast.expr, name: str, count: int) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == name
        and len(node.args) == count
        and not node.keywords
    )


def _names(target: ast.expr) -> list[str]:
    """Returns the names of a tuple of targets; nothing for another target."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return []
    return [e.id if isinstance(e, ast.Name) else "" for e in target.elts]


def _all_names(target: ast.expr) -> list[str]:
    return [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
