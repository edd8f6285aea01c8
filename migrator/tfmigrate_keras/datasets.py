"""Input functions as the Datasets that they return."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tfmigrate.families.input_fn.one_shot_returns import one_shot_returns
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.module import Module
from tfmigrate_keras.constant_inputs import return_constants
from tfmigrate_keras.conversion import Conversion, called, refuse, resolved
from tfmigrate_keras.iterators import return_mapped
from tfmigrate_keras.numpy_inputs import dataset_of_arrays
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.tensors import source

_GENERATORS = ("RandomState", "default_rng", "Random", "SystemRandom", "seed")
_SHUFFLES = ("shuffle", "shuffle_and_repeat")
_PARTIAL = "functools.partial"
_OF_METHODS = ("staticmethod", "classmethod")


@dataclass(frozen=True)
class Given:
    """What an Estimator passes to its functions.

    Attributes:
        params: returns the code of its ``params`` at the use of the function; "" for none.
    """

    params: Callable[[], str] = str


def dataset_of(plan: Conversion, module: Module, node: ast.expr, caller_values: Given) -> Code:
    """Returns the code of the Dataset that an input function returns.

    Args:
        plan: the conversion.
        module: the file.
        node: what is passed as ``input_fn``.
        caller_values: what the Estimator passes to it.

    Raises:
        Refusal: it cannot be determined, or is not a Dataset.
    """
    if isinstance(node, ast.Lambda):
        if node.args.args or node.args.kwonlyargs:
            refuse(node, "this input function has parameters", "pass a function without parameters")
        _check_result(plan, module, node.body)
        return Code("{0}", (node.body,))
    if isinstance(node, ast.Call) and resolved(module, node.func) == _PARTIAL:
        return _of_partial(plan, module, node, caller_values)
    origin = source(module, node) if isinstance(node, ast.Name) else node
    if (code := dataset_of_arrays(plan, module, node, origin)) is not None:
        return code
    arguments = _arguments(plan, module, node, caller_values)
    return Code(f"{{0}}({arguments})", (node,))


def check_repeatable(plan: Conversion, driver: ast.AST) -> None:
    """Refuses an input function that draws from a global generator, where it is called once more.

    Args:
        plan: the conversion.
        driver: the function that makes the Estimator, which draws before.

    Raises:
        Refusal: one more call would change the numbers of those that follow.
    """
    for module, node in _draws(plan):
        place = module.function(node)
        if place not in (module.tree, driver) and place not in plan.model_code:
            refuse(node, "the input function draws from a global random generator")


def check_no_draws(plan: Conversion) -> None:
    """Refuses draws from global generators, which `tf_random_seed` does not seed, and Keras does.

    Raises:
        Refusal: the program draws.
    """
    for _, node in _draws(plan):
        refuse(node, "the seed of Keras is that of this global random generator, too")


def _draws(plan: Conversion) -> Iterator[tuple[Module, ast.Attribute]]:
    """Yields where a program draws from a generator of numpy or random that is global."""
    for module in plan.program.modules:
        for node in module.all(ast.Attribute):
            package, _, name = (module.resolve(node) or "").rpartition(".")
            drawn = package in ("numpy.random", "random") and name not in _GENERATORS
            if drawn and isinstance(module.parent(node), ast.Call):
                yield module, node


def has_seeded_shuffles(plan: Conversion) -> bool:
    """Returns whether a program shuffles a Dataset by a seed, in an order that must not change."""
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr in _SHUFFLES
        and argument(call, 1, "seed") is not None
        for module in plan.program.modules
        for call in module.all(ast.Call)
    )


def _of_partial(plan: Conversion, module: Module, node: ast.Call, caller_values: Given) -> Code:
    input_definition = definition(plan, module, node.args[0]) if node.args else None
    if input_definition is None:
        refuse(node, "cannot find the input function")
    _check_function(plan, *input_definition)
    parts = [node.args[0], *node.args[1:], *(k.value for k in node.keywords)]
    texts = [f"{{{i + 1}}}" for i in range(len(node.args) - 1)]
    for keyword in node.keywords:
        texts.append(f"{keyword.arg}={{{len(texts) + 1}}}")
    names = [a.arg for a in input_definition[1].args.args]
    passed = [k.arg for k in node.keywords]
    if "params" in names[len(node.args) - 1 :] and "params" not in passed:
        texts.append(f"params={_params(node, caller_values)}")
    return Code("{0}", tuple(parts), tuple(texts)) if texts else Code("{0}()", tuple(parts))


def _arguments(plan: Conversion, module: Module, node: ast.expr, caller_values: Given) -> str:
    """Returns the code of the arguments of an input function; checks what it returns."""
    if (function := _function(plan, module, node)) is None:
        refuse(node, f"cannot find the input function `{ast.unparse(node)[:60]}`")
    home, input_function = function
    names = [a.arg for a in input_function.args.args]
    if isinstance(node, ast.Attribute) and isinstance(home.parent(input_function), ast.ClassDef):
        names = names[1:]  # a bound method has its first argument
    required = names[: len(names) - len(input_function.args.defaults)]
    if isinstance(input_function, ast.Lambda):
        _check_result(plan, home, input_function.body)
    else:
        _check_function(plan, home, input_function)
    if required not in ([], ["params"]):
        refuse(node, f"the input function has the parameters {', '.join(required)}")
    return _params(node, caller_values) if "params" in names else ""


def _params(node: ast.expr, caller_values: Given) -> str:
    if not (params := caller_values.params()):
        refuse(
            node,
            "the `params` of the input function are not a variable",
            "assign them to a variable",
        )
    return params


def _function(
    plan: Conversion, module: Module, node: ast.expr
) -> tuple[Module, ast.FunctionDef | ast.Lambda] | None:
    """Returns the function that an expression is: named, or returned by one that it calls."""
    value = source(module, node) if isinstance(node, ast.Name) else node
    if isinstance(value, ast.Lambda):
        return module, value
    if isinstance(value, ast.Call):
        if (maker := definition(plan, module, value.func)) is None:
            return None
        home, function = maker
        returned = [
            statement.value
            for statement in home.all(ast.Return, function)
            if home.function(statement) is function
        ]
        if len(returned) != 1 or returned[0] is None:
            return None
        return _function(plan, home, returned[0])
    return definition(plan, module, value)


def _check_function(plan: Conversion, module: Module, function: ast.FunctionDef) -> None:
    """Plans the edits of an input function that returns the element of an iterator.

    Raises:
        Refusal: it returns no Dataset.
    """
    if not plan.first_time(function):
        return
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Name) or decorator.id not in _OF_METHODS:
            refuse(decorator, f"`{function.name}` has a decorator")
    edited = {}
    for iterator_return in one_shot_returns(module):
        if iterator_return.function is function:
            edited[iterator_return.statement] = iterator_return.edits
    for statement in module.all(ast.Return, function):
        if module.function(statement) is not function or statement.value is None:
            continue
        if statement in edited:
            plan.edits[module] += edited[statement]
            for edit in edited[statement]:
                new_parts = [part for code in edit.codes for part in code.parts]  # type: ignore[union-attr]
                plan.leave_out(module, edit.statement, new_parts)  # type: ignore[union-attr]
        elif not (
            return_mapped(plan, module, function, statement)
            or return_constants(plan, module, statement)
        ):
            _check_result(plan, module, statement.value)


def _check_result(plan: Conversion, module: Module, value: ast.expr) -> None:
    """Refuses a result of an input function that is not a Dataset."""
    call = source(module, value)
    callee = definition(plan, module, call.func) if isinstance(call, ast.Call) else None
    if callee is not None:
        _check_function(plan, *callee)
    elif kind_of(module, value) is not Kind.DATASET:
        what = ast.unparse(value)[:60]
        name = called(module, call)
        refuse(
            value, f"the input function returns `{name or what}`, which is not a tf.data.Dataset"
        )
