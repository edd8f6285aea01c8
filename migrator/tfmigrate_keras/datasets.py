"""Input functions as the Datasets that they return.

An Estimator called its input functions in a graph, once for each training and evaluation. Here
they are called by the program itself, and perhaps more often: what would show that is refused.
"""

import ast
from collections.abc import Callable, Iterator

from tfmigrate.families.input_fn.one_shot_returns import one_shot_returns
from tfmigrate.model.edits import Code
from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import argument, called, method_calls
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, check_stars, literal, refuse, resolved
from tfmigrate_keras.iterators import return_mapped
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.tables.operations import DTYPES
from tfmigrate_keras.tensors import source

_GENERATORS = ("RandomState", "default_rng", "Random", "SystemRandom", "seed")
_SHUFFLES = ("shuffle", "shuffle_and_repeat")
_PARTIAL = "functools.partial"
_OF_METHODS = ("staticmethod", "classmethod")
_NUMPY = "tensorflow.estimator.inputs.numpy_input_fn"
_NAMES = ("x", "y", "batch_size", "num_epochs", "shuffle", "queue_capacity", "num_threads")
_DATASET = "numpy_dataset"
_THREADS = _NAMES.index("num_threads")
_CONSTANTS = ("tensorflow.constant", "tensorflow.convert_to_tensor")
_CHANGES = ("cast", "reshape", "expand_dims", "one_hot", "transpose", "stack", "concat")
_KNOWN = frozenset(
    (*_CONSTANTS, *(f"tensorflow.{name}" for name in (*_CHANGES, *DTYPES)), "tensorflow")
)


Params = Callable[[], str]
"""Returns the code of the ``params`` of an Estimator where its function is used; "" for none."""


def dataset_of(plan: Conversion, module: Module, node: ast.expr, params: Params) -> Code:
    """Returns the code of the Dataset that an input function returns.

    Args:
        node: what is passed as ``input_fn``.
        params: those that the Estimator passes to it.

    Raises:
        Refusal: it cannot be determined, or is not a Dataset.
    """
    if isinstance(node, ast.Lambda):
        if node.args.args or node.args.kwonlyargs:
            refuse(node, "this input function has parameters", "pass a function without parameters")
        _check_result(plan, module, node.body)
        return Code("{0}", (node.body,))
    if isinstance(node, ast.Call) and resolved(module, node.func) == _PARTIAL:
        return _of_partial(plan, module, node, params)
    origin = source(module, node) if isinstance(node, ast.Name) else node
    if (code := dataset_of_arrays(plan, module, node, origin)) is not None:
        return code
    arguments = _arguments(plan, module, node, params)
    return Code(f"{{0}}({arguments})", (node,))


def check_repeatable(plan: Conversion, driver: ast.AST) -> None:
    """Refuses an input function that draws from a global generator, where it is called once more.

    Args:
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
        argument(call, 1, "seed") is not None
        for module in plan.program.modules
        for call, _ in method_calls(module, *_SHUFFLES)
    )


def _of_partial(plan: Conversion, module: Module, node: ast.Call, params: Params) -> Code:
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
        texts.append(f"params={_params(node, params)}")
    return Code("{0}", tuple(parts), tuple(texts)) if texts else Code("{0}()", tuple(parts))


def _arguments(plan: Conversion, module: Module, node: ast.expr, params: Params) -> str:
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
    return _params(node, params) if "params" in names else ""


def _params(node: ast.expr, params: Params) -> str:
    if not (code := params()):
        refuse(
            node,
            "the `params` of the input function are not a variable",
            "assign them to a variable",
        )
    return code


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
        returned = [statement.value for statement in home.returns(function)]
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
    for statement in module.returns(function):
        if statement.value is None:
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


# Shuffled rows come from a buffer of ``queue_capacity``, as they did from a queue of that size.
def dataset_of_arrays(
    plan: Conversion, module: Module, node: ast.expr, numpy_call: ast.expr
) -> Code | None:
    """Returns the code of the Dataset of an input function that ``numpy_input_fn`` makes.

    Args:
        plan: the conversion; the call of ``numpy_input_fn`` is replaced.
        node: the input function.
        numpy_call: what it got its value from.

    Raises:
        Refusal: the order of the rows depends on threads.
    """
    if called(module, numpy_call) != _NUMPY or not isinstance(numpy_call, ast.Call):
        return None
    check_stars(numpy_call, "`numpy_input_fn`")
    arguments = [*zip(_NAMES, numpy_call.args, strict=False)]
    arguments += [(k.arg or "", k.value) for k in numpy_call.keywords]
    texts: list[str] = []
    parts: list[ast.expr] = []
    for position, (name, value) in enumerate(arguments):
        if name == _NAMES[_THREADS]:
            if literal(value) != 1:
                refuse(value, "several threads of `numpy_input_fn`, whose order is not known")
            continue
        plain = position < len(numpy_call.args)
        texts.append(f"{{{len(parts)}}}" if plain else f"{name}={{{len(parts)}}}")
        parts.append(value)
    plan.write_out(module, _DATASET)
    if node is numpy_call:
        return Code(_DATASET, tuple(parts), tuple(texts))
    if plan.first_time(numpy_call):
        plan.needs(module, "functools")
        code = Code("functools.partial", tuple(parts), (_DATASET, *texts))
        plan.replace(module, numpy_call, code)
    return Code("{0}()", (node,))


# In a graph such tensors have the same values at every step, and never end: as a Dataset, one batch
# that is repeated.
def return_constants(plan: Conversion, module: Module, statement: ast.Return) -> bool:
    """Plans a Dataset of one batch for ``return {'x': tf.constant(x)}, tf.constant(y)``.

    Returns:
        Whether the statement is such a return.
    """
    value = statement.value
    if not isinstance(value, ast.Tuple) or len(value.elts) != len(("features", "labels")):
        return False
    leaves = [leaf for element in value.elts for leaf in _leaves(element)]
    if not leaves or not all(_is_constant(module, leaf) for leaf in leaves):
        return False
    first = source(module, leaves[0])
    root: ast.AST = first
    while isinstance(root, (ast.Call, ast.Attribute)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name) or module.resolve(root) != "tensorflow":
        return False
    template = f"return {root.id}.data.Dataset.from_tensors(({{0}}, {{1}})).repeat()"
    plan.replace_statement(module, statement, Code(template, tuple(value.elts)))
    return True


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield from _leaves(value)
    else:
        yield node


def _is_constant(module: Module, leaf: ast.expr) -> bool:
    """Returns whether an expression is a tensor that has one value."""
    value = source(module, leaf)
    if not called(module, value).startswith("tensorflow."):
        return False
    values = reached(
        [value], lambda v: (source(module, n) for n in ast.walk(v) if isinstance(n, ast.Name))
    )
    nodes = (n for v in values for n in ast.walk(v) if isinstance(n, (ast.Name, ast.Attribute)))
    names = (resolved(module, node) for node in nodes)
    return not any(name.startswith("tensorflow") and name not in _KNOWN for name in names)
