"""The call that trains a model, in a model function or in a function that it calls.

In Keras, the optimizer is compiled into the model and the step is in ``fit``. A function that makes
the step is removed; one that makes the optimizer as well returns it.
"""

import ast
from dataclasses import dataclass

from tfmigrate.model.edits import ArrangeArguments, Code, RemoveParameters
from tfmigrate.resolve.calls import argument, called_on, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.syntax import is_text
from tfmigrate_keras.conversion import Conversion, refuse, stores
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.unused import remove_summaries

_METHODS = ("minimize", "apply_gradients")


@dataclass(frozen=True)
class TrainingStep:
    """A call of ``minimize`` or ``apply_gradients``.

    Attributes:
        module: its file.
        call: the call.
        caller: the file of the model function.
        function: the function that returns it; None for the model function itself.
        function_call: the call of that function.
    """

    module: Module
    call: ast.Call
    caller: Module
    function: ast.FunctionDef | None = None
    function_call: ast.Call | None = None

    def outside(self, node: ast.expr) -> ast.expr:
        """Returns what the model function passes for a parameter; other nodes as they are.

        Raises:
            Refusal: the function computes the value.
        """
        if self.function is None or self.function_call is None:
            return node
        names = [a.arg for a in self.function.args.args]
        if isinstance(node, ast.Name) and node.id in names:
            if stores(self.module, self.function, node.id):
                refuse(node, f"`{node.id}` is assigned anew")
            passed_value = argument(self.function_call, names.index(node.id), node.id)
            if passed_value is None:
                refuse(self.function_call, f"`{node.id}` is not passed")
            return passed_value
        foreign = self.module is not self.caller and not isinstance(node, ast.Constant)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and (foreign or inner.id in names):
                refuse(node, f"`{self.function.name}` computes `{ast.unparse(node)[:60]}`")
        return node

    def makes_optimizer(self) -> bool:
        """Returns whether the function that holds the step makes its optimizer, too."""
        assert isinstance(self.call.func, ast.Attribute)
        optimizer = self.call.func.value
        if self.function is None or not isinstance(optimizer, (ast.Name, ast.Call)):
            return False
        names = [a.arg for a in (*self.function.args.args, *self.function.args.kwonlyargs)]
        return not (isinstance(optimizer, ast.Name) and optimizer.id in names)

    def unchanged(self, node: ast.expr) -> ast.expr:
        """Returns an expression as it is: what makes the optimizer stays in its function."""
        return node

    def return_optimizer(self, plan: Conversion, *gone: ast.expr) -> ast.Call:
        """Lets the function return the optimizer; returns the call of the function.

        Args:
            gone: arguments of the step, whose parameters the function loses.

        Raises:
            Refusal: the function uses them in another way, or is called with something else.
        """
        call, function, function_call = self.call, self.function, self.function_call
        assert function is not None
        assert function_call is not None
        assert isinstance(call.func, ast.Attribute)
        plan.replace(self.module, call, Code("{0}", (call.func.value,)))
        names = [a.arg for a in function.args.args]
        lost = [n.id for n in gone if isinstance(n, ast.Name) and n.id in names]
        remove_summaries(plan, self.module, function)
        for node in plan.left(self.module.all(ast.Name, function)):
            if node.id in lost:
                refuse(node, f"`{node.id}` is used for more than to train")
        arguments = [*zip(names, function_call.args, strict=False)]
        arguments += [(k.arg or "", k.value) for k in function_call.keywords]
        left_arguments = []
        for position, (name, value) in enumerate(arguments):
            if name in lost:
                plan.leave_out(self.caller, value)
                continue
            if not _is_known(self.caller, value, function_call):
                refuse(
                    value, f"`{ast.unparse(value)[:60]}` is not known where the model is compiled"
                )
            left_arguments.append(("" if position < len(function_call.args) else name, value))
        plan.edits[self.module].append(RemoveParameters(function, tuple(lost)))
        plan.edits[self.caller].append(ArrangeArguments(function_call, tuple(left_arguments)))
        return function_call

    def remove(self, plan: Conversion) -> None:
        """Removes the function that holds the step.

        Raises:
            Refusal: it does more than to train.
        """
        if self.function is None:
            return
        remove_summaries(plan, self.module, self.function)
        for statement in self.function.body:
            ends = isinstance(statement, ast.Return)
            if not (is_text(statement) or ends or plan.is_removed(statement)):
                refuse(statement, f"`{self.function.name}` does more than to train")
        plan.remove(self.module, self.function)


def called_step(plan: Conversion, module: Module, call: ast.Call) -> TrainingStep:
    """Returns the training step that a call is, or that the function returns that it calls.

    Raises:
        Refusal: it is none.
    """
    if _is_step(call):
        return TrainingStep(module, call, module)
    callee = definition(plan, module, call.func)
    if callee is not None and not has_star_arguments(call):
        home, function = callee
        returned = [statement.value for statement in home.returns(function)]
        plain = not (function.args.vararg or function.args.kwarg or function.decorator_list)
        if plain and len(returned) == 1 and _is_step(returned[0]) and is_used_once(plan, function):
            assert isinstance(returned[0], ast.Call)
            return TrainingStep(home, returned[0], module, function, call)
    refuse(call, f"`{ast.unparse(call)[:60]}` is not `minimize` of an optimizer")


def check_known(module: Module, node: ast.expr, place: ast.expr) -> None:
    """Refuses a value that is not known, or is not the same, where an optimizer is made."""
    for name in ast.walk(node):
        if not isinstance(name, ast.Name):
            continue
        if (module.resolve(name) or "").startswith("tensorflow"):
            refuse(node, f"the limit `{ast.unparse(node)}` of the gradients is a tensor")
        anew = stores(module, module.function(place), name.id)
        if any(module.position(store) > module.position(place) for store in anew):
            refuse(node, f"`{name.id}` is not known where the optimizer is created")


def _is_step(node: ast.expr | None) -> bool:
    return called_on(node, *_METHODS) is not None


def is_used_once(plan: Conversion, function: ast.FunctionDef) -> bool:
    """Returns whether a program names a function in one place only."""
    count = 0
    for module in plan.program.modules:
        named: list[ast.expr] = [n for n in module.all(ast.Name) if n.id == function.name]
        named += [n for n in module.all(ast.Attribute) if n.attr == function.name]
        definitions = [definition(plan, module, node) for node in named]
        count += sum(one is not None and one[1] is function for one in definitions)
    return count == 1


def _is_known(module: Module, value: ast.expr, call: ast.Call) -> bool:
    """Returns whether an argument is the same at the end of the function that passes it."""
    plain = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.expr_context)
    if not all(isinstance(node, plain) for node in ast.walk(value)):
        return False
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return not any(
        module.position(node) > module.position(call)
        for node in stores(module, module.function(call), *names)
    )
