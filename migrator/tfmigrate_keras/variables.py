"""``tf.get_variable`` and ``tf.Variable`` become layers that hold a variable each.

Keras tracks variables of layers only. A layer is called with a tensor, though this one ignores it:
so one that is computed from the features has to be known where the variable is created.
"""

import ast
from collections.abc import Iterator

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.control_flow import block_of
from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import Arguments, flat
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.feature_tensors import FeatureTensors
from tfmigrate_keras.tables.initializers import INITIALIZERS
from tfmigrate_keras.tables.variables import STARTS, VARIABLES
from tfmigrate_keras.tensors import source


def variable_arguments(module: Module, call: ast.Call) -> Arguments:
    """Returns the arguments of a call that makes a variable, and checks what it starts with.

    Raises:
        Refusal: the layer has no such argument.
    """
    arguments = Arguments(module, call, VARIABLES[called(module, call)])
    if arguments.of("initial_value") is not None:
        return arguments
    initializer = arguments.of("initializer")
    if arguments.of("shape") is None:
        refuse(call, "a variable without a shape")
    if initializer is not None and not _is_initializer(module, initializer):
        what = ast.unparse(initializer)[:60]
        refuse(initializer, f"the variable starts with `{what}`, which is not an initializer")
    return arguments


def start_of(plan: Conversion, arguments: Arguments, index: int) -> Code | None:
    """Returns the shape and the initializer of a ``tf.Variable``, as two arguments.

    Args:
        arguments: those of the call that makes the variable.
        index: the number of the first place of the code.

    Raises:
        Refusal: it starts with something else than a law.
    """
    module = arguments.module
    if (start := arguments.of("initial_value")) is None:
        return None
    if (name := called(module, start)) not in STARTS or not isinstance(start, ast.Call):
        refuse(start, f"the variable starts with `{ast.unparse(start)[:60]}`, of no known shape")
    start_arguments = Arguments(module, start, STARTS[name])
    shape = start_arguments.of("shape")
    if shape is None and not isinstance(start_arguments.of("value"), ast.Constant):
        refuse(start, "the shape of the variable is not given")
    parts = (shape,) if shape is not None else ()
    initializer = f"initializer={flat(start_arguments.code(plan, 'shape'))}"
    plan.leave_out(module, start, parts)
    return Code("", parts, (f"{{{index}}}" if parts else "[]", initializer))


def anchor_of(module: Module, call: ast.Call, tensors: FeatureTensors) -> str:
    """Returns the name of a tensor that a variable's layer can be called with, where it is made.

    Raises:
        Refusal: there is none.
    """
    for name in _candidates(module, call):
        if tensors.has(module, name) and _is_bound_above(module, name, call):
            return name.id
    refuse(call, "no tensor is known where the variable is created")


def _candidates(module: Module, call: ast.Call) -> Iterator[ast.Name]:
    """Yields names of the function: first those that the variable is used together with."""
    function = module.function(call)
    names = [n for n in module.all(ast.Name, function) if isinstance(n.ctx, ast.Load)]
    parent = module.parent(call)
    target = parent.targets[0] if isinstance(parent, ast.Assign) else None
    if isinstance(target, ast.Name):
        for use in names:
            if use.id == target.id:
                inside = set(module.walk(module.statement(use)))
                yield from (n for n in names if n in inside and n.id != target.id)
    yield from names


def _is_bound_above(module: Module, name: ast.Name, call: ast.Call) -> bool:
    """Returns whether a name certainly has a value where a call is made."""
    function = module.function(call)
    if not isinstance(function, ast.FunctionDef):
        return False
    if name.id in [a.arg for a in (*function.args.args, *function.args.kwonlyargs)]:
        return True
    above = [
        statement
        for place in module.ancestors(call)
        if isinstance(place, ast.stmt) and place is not function
        for statement in block_of(module, place)[: block_of(module, place).index(place)]
    ]
    return any(
        isinstance(target, ast.Name) and target.id == name.id
        for statement in above
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _is_initializer(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is an initializer of TensorFlow 1.x, or None."""
    node = source(module, node)
    if isinstance(node, ast.Constant):
        return node.value is None
    return called(module, node) in INITIALIZERS or (module.resolve(node) or "") in INITIALIZERS
