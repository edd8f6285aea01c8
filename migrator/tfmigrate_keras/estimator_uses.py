"""Where a program uses an Estimator, followed through variables, attributes and functions.

A use that is not found would call ``train`` of an Estimator on a Keras model. So the Estimator is
followed to all of them, and where it gets out of sight the program is refused.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import class_around, is_self
from tfmigrate_keras.conversion import Conversion, reads, refuse
from tfmigrate_keras.own_functions import definition, names_of

TRAIN_AND_EVALUATE = "train_and_evaluate"
_TRAIN_AND_EVALUATE = "tensorflow.estimator.train_and_evaluate"


@dataclass(frozen=True)
class Use:
    """One call that does something with an Estimator.

    Attributes:
        module: its file.
        call: the call.
        method: what it does ("train").
        estimator: the expression of it that is the Estimator.
        returned_by: the call of the program's function that returned the Estimator, if any.
        maker: that function.
    """

    module: Module
    call: ast.Call
    method: str
    estimator: ast.expr
    returned_by: ast.Call | None = None
    maker: ast.FunctionDef | None = None

    def argument_of(self, name: str) -> ast.expr | None:
        """Returns what the function that makes the Estimator was given for a parameter."""
        if self.maker is None or self.returned_by is None:
            return None
        names = [a.arg for a in self.maker.args.args]
        if name not in names:
            return None
        return argument(self.returned_by, names.index(name), name)


def uses_of(plan: Conversion, module: Module, call: ast.Call) -> list[Use]:
    """Returns the uses of an Estimator that a call makes, in the order of the text.

    Raises:
        Refusal: the Estimator is used in another way.
    """
    uses = list(_Following(plan).value(module, call))
    for use in uses:
        if not plan.first_time(use.call):
            refuse(use.call, "several Estimators are used here")
    files = list(plan.program.modules)
    return sorted(uses, key=lambda use: (files.index(use.module), use.module.position(use.call)))


class _Following:
    """Follows an Estimator from the expression that has it to the calls that use it."""

    def __init__(self, plan: Conversion) -> None:
        self._plan = plan
        self._seen: set[ast.AST] = set()

    def value(
        self,
        module: Module,
        node: ast.expr,
        returned_by: ast.Call | None = None,
        maker: ast.FunctionDef | None = None,
    ) -> Iterator[Use]:
        """Yields the uses of an expression that is an Estimator."""
        if node in self._seen:
            return
        self._seen.add(node)
        parent = module.parent(node)
        origin = (returned_by, maker)
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            for name in self._loads(module, parent.targets[0], node):
                yield from self.value(module, name, *origin)
        elif isinstance(parent, ast.Return):
            function = module.function(parent)
            if not isinstance(function, ast.FunctionDef):
                refuse(node, "the Estimator is not assigned to a variable")
            for home, name, is_meant in names_of(self._plan, function):
                if not is_meant:
                    continue
                if (own_call := home.call_of(name)) is None:
                    refuse(name, f"`{function.name}`, which returns the Estimator, is not called")
                yield from self.value(home, own_call, own_call, function)
        elif isinstance(parent, ast.Attribute) and (call := module.call_of(parent)):
            yield Use(module, call, parent.attr, node, *origin)
        else:
            yield from self._argument(module, node, parent, origin)

    def _argument(
        self,
        module: Module,
        node: ast.expr,
        parent: ast.AST,
        origin: tuple[ast.Call | None, ast.FunctionDef | None],
    ) -> Iterator[Use]:
        """Yields the uses of an Estimator that is passed to a function."""
        call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call) or call.func is node:
            refuse(node, f"`{ast.unparse(node)[:60]}` is used in another way than to be called")
        if called(module, call) == _TRAIN_AND_EVALUATE:
            yield Use(module, call, TRAIN_AND_EVALUATE, node, *origin)
            return
        callee = definition(self._plan, module, call.func)
        name = _parameter(call, node, callee[1]) if callee else None
        if callee is None or name is None:
            refuse(node, f"the Estimator is passed to `{ast.unparse(call.func)[:60]}`")
        home, function = callee
        for load in reads(home, function, name):
            yield from self.value(home, load, *origin)

    def _loads(self, module: Module, target: ast.expr, value: ast.expr) -> Iterator[ast.expr]:
        """Yields where a variable or an attribute of ``self`` is read."""
        if isinstance(target, ast.Name):
            scope, bindings = module.names.variable(target)
            if len(bindings) != 1:
                refuse(value, f"`{target.id}` is assigned several times")
            yield from module.reads(target.id, scope)
        elif isinstance(target, ast.Attribute) and is_self(module, target.value):
            owner = class_around(module, target)
            places = [
                n
                for n in module.all(ast.Attribute)
                if n.attr == target.attr and class_around(module, n) is owner
            ]
            if sum(isinstance(n.ctx, ast.Store) for n in places) != 1:
                refuse(value, f"`{ast.unparse(target)}` is assigned several times")
            yield from (n for n in places if isinstance(n.ctx, ast.Load))
        else:
            refuse(value, "the Estimator is not assigned to a variable")


def _parameter(call: ast.Call, node: ast.expr, function: ast.FunctionDef) -> str | None:
    """Returns the parameter of a function that a call passes an expression for."""
    names = [a.arg for a in function.args.args]
    for name, value in zip(names, call.args, strict=False):
        if value is node:
            return name
    return next((k.arg for k in call.keywords if k.value is node and k.arg in names), None)
