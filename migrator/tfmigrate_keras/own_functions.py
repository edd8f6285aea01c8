"""The functions of a program that a model function calls.

Layers are mostly made in functions of the program, often with the mode as a flag. Each is converted
once: what two calls need in two ways is refused.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.resolve import definitions
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import REPEATED, Conversion, refuse
from tfmigrate_keras.modes import Modes


@dataclass(frozen=True)
class OwnFunction:
    """A function that builds a part of the model.

    Attributes:
        module: its file.
        function: its definition.
        modes: its names that depend on the mode.
        once: whether its caller is called once only, and calls it once, outside of loops.
    """

    module: Module
    function: ast.FunctionDef
    modes: Modes
    once: bool


@dataclass(frozen=True)
class OwnCall:
    """A call of such a function.

    Attributes:
        module: the file of the call.
        call: the call.
        callee: the function.
    """

    module: Module
    call: ast.Call
    callee: OwnFunction


def own_calls(plan: Conversion, caller: OwnFunction) -> Iterator[OwnCall]:
    """Yields the calls of the program's own functions in a function.

    Raises:
        Refusal: an argument depends on the mode in a way that cannot be followed.
    """
    module = caller.module
    for call in plan.left(module.all(ast.Call, caller.function)):
        if (defined := definition(plan, module, call.func)) is None:
            continue
        home, function = defined
        flags = dict(_flags(caller, call, function))
        in_loop = any(isinstance(a, REPEATED) for a in module.ancestors(call))
        once = caller.once and not in_loop
        callee = OwnFunction(home, function, Modes(home, frozenset(), flags), once)
        yield OwnCall(module, call, callee)


def definition(
    plan: Conversion, module: Module, node: ast.expr
) -> tuple[Module, ast.FunctionDef] | None:
    """Returns the function of the program that an expression names, and its file."""
    home, own = definitions.definition(plan.program, module, node) or (module, None)
    return (home, own) if isinstance(own, ast.FunctionDef) else None


def calls_of(plan: Conversion, function: ast.FunctionDef) -> Iterator[tuple[Module, ast.Call]]:
    """Yields the calls of a function of the program, in all files."""
    for module in plan.program.modules:
        for call in module.all(ast.Call):
            if (callee := definition(plan, module, call.func)) and callee[1] is function:
                yield module, call


def names_of(
    plan: Conversion, function: ast.FunctionDef
) -> Iterator[tuple[Module, ast.Name | ast.Attribute, bool]]:
    """Yields where a function's name is read, in all files, and whether it means the function.

    Attributes that mean nothing known may be the name of a method, and are yielded too.
    """
    for module in plan.program.modules:
        nodes: list[ast.Name | ast.Attribute] = [*module.all(ast.Name), *module.all(ast.Attribute)]
        for node in nodes:
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name != function.name or not isinstance(node.ctx, ast.Load):
                continue
            meant = definition(plan, module, node)
            if meant is not None and meant[1] is function:
                yield module, node, True
            elif meant is None and isinstance(node, ast.Attribute):
                yield module, node, False


def _flags(
    caller: OwnFunction, call: ast.Call, function: ast.FunctionDef
) -> Iterator[tuple[str, frozenset[str]]]:
    names = [a.arg for a in function.args.args]
    arguments = [*zip(names, call.args, strict=False)]
    arguments += [(keyword.arg or "", keyword.value) for keyword in call.keywords]
    for name, value in arguments:
        if not caller.modes.depends(value):
            continue
        if (modes := caller.modes.true_in(value)) is None or not name or name not in names:
            refuse(value, f"`{ast.unparse(value)}` depends on the mode")
        yield name, modes
