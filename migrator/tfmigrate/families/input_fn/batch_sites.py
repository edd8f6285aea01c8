"""Where a program passes input functions to its Estimators, to train and to evaluate."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.experiment.experiments import EXPERIMENT
from tfmigrate.families.input_fn.input_functions import takes_input_fn
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.estimator_classes import ESTIMATOR, is_estimator
from tfmigrate.resolve.origins import origins
from tfmigrate.rulekit.basics import Module, Program

_PACKAGE = "tensorflow.estimator."
_SPECS = (f"{_PACKAGE}TrainSpec", f"{_PACKAGE}EvalSpec")
_METHODS = ("train", "evaluate")
_BY_VARIABLE = "call it on a variable that holds the Estimator"
_DEPTH = 6  # of names assigned to names


@dataclass(frozen=True)
class Site:
    """One place that passes an input function to an Estimator.

    Attributes:
        call: the call.
        value: the input function; None if it is unknown.
        problem: why it cannot be used; "" if it can.
        action: what to do about that.
    """

    call: ast.Call
    value: ast.expr | None
    problem: str = ""
    action: str = ""


def batch_sites(program: Program, module: Module) -> Iterator[Site]:
    """Yields the calls of a module that pass input functions to Estimators to train or evaluate.

    ``predict`` is not among them: it runs on one device, on whole batches, with the same results.
    """
    for call in sorted(module.all(ast.Call), key=module.position):
        if module.resolve(call.func) == EXPERIMENT:
            text = "an Experiment passes them to the Estimator"
            yield Site(call, None, text, "call the Estimator's `train` and `evaluate` instead")
        elif module.resolve(call.func) in _SPECS:
            yield _site(call, argument(call, 0, "input_fn"))
        elif (
            isinstance(call.func, ast.Attribute)
            and call.func.attr in _METHODS
            and module.resolve(call.func) is None
        ):
            yield from _of_method(program, module, call, call.func)


def _site(call: ast.Call, value: ast.expr | None) -> Site:
    if value is None or has_star_arguments(call):
        text = "its arguments are passed by `*` or `**`"
        return Site(call, None, text, "pass each argument explicitly")
    return Site(call, value)


def _of_method(
    program: Program, module: Module, call: ast.Call, method: ast.Attribute
) -> Iterator[Site]:
    """Yields the site of a call of a method named ``train`` or ``evaluate``, if it is one."""
    if _is_estimator(module, method.value, _DEPTH):
        yield _site(call, argument(call, 0, "input_fn"))
        return
    named = next((k.value for k in call.keywords if k.arg == "input_fn"), None)
    if named is not None:
        own = program.once(takes_input_fn, method.attr)
        text = f"the program defines its own `{method.attr}`"
        yield Site(call, named, text, _BY_VARIABLE) if own else Site(call, named)
    elif _may_be_a_function(module, call) and not _is_something_else(module, method.value):
        what = ast.unparse(method.value)
        text = f"cannot determine whether `{what}` is an Estimator"
        yield Site(call, None, text, "if it is, pass `input_fn` by keyword")


def _may_be_a_function(module: Module, call: ast.Call) -> bool:
    """Returns whether a call's first argument may be a function, or its arguments are hidden."""
    if not call.args:
        return has_star_arguments(call)
    return not isinstance(call.args[0], (ast.Constant, ast.List, ast.Dict, ast.BinOp, ast.Tuple))


def _is_estimator(module: Module, node: ast.expr, depth: int) -> bool:
    """Returns whether an expression is an Estimator, whatever assigns its value in the file."""
    unknown = (node,) if isinstance(node, ast.Attribute) else ()
    values = origins(module, node) or unknown
    return bool(values) and all(_is_made_estimator(module, value, depth) for value in values)


def _is_made_estimator(module: Module, node: ast.expr, depth: int) -> bool:
    if isinstance(node, ast.Attribute) and depth:
        values = _values_of_attribute(module, node)
        return bool(values) and all(_is_estimator(module, value, depth - 1) for value in values)
    if not isinstance(node, ast.Call):
        return False
    if is_estimator(module, node) or (module.resolve(node.func) or "").startswith(_PACKAGE):
        return True
    return isinstance(node.func, ast.Name) and _is_estimators_class(module, node.func)


def _is_estimators_class(module: Module, name: ast.Name) -> bool:
    """Returns whether a name is a class of the file that derives from tf.estimator's."""
    return any(
        node.name == name.id and any(module.resolve(b) == ESTIMATOR for b in node.bases)
        for node in module.all(ast.ClassDef)
    )


def _values_of_attribute(module: Module, node: ast.Attribute) -> list[ast.expr]:
    """Returns what the file assigns to ``self.x``."""
    return [
        statement.value
        for statement in module.all(ast.Assign)
        if any(ast.unparse(target) == ast.unparse(node) for target in statement.targets)
    ]


def _is_something_else(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is an import, or a call of one that is not TensorFlow's."""
    if isinstance(node, ast.Call):
        node = node.func
    elif isinstance(node, ast.Name):
        calls = [v for v in module.values(node) if isinstance(v, ast.Call)]
        return bool(calls) and all(_is_something_else(module, call) for call in calls)
    name = module.resolve(node) or ""
    return bool(name) and not name.startswith("tensorflow.")
