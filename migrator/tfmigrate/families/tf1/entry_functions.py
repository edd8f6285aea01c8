"""Which functions of a program its package's commands run."""

import ast

from tfmigrate.files.entry_points import commands_of
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.program import Program

_STEPS = 5  # of imports of a function


def entry_functions(program: Program) -> dict[Module, list[ast.FunctionDef]]:
    """Returns the functions that commands run, by the file that defines them."""
    functions: dict[Module, list[ast.FunctionDef]] = {}
    for module in program.modules:
        for name in commands_of(module.source.path):
            defined = _definition(program, module, name)
            if defined is not None and defined[1] not in functions.setdefault(defined[0], []):
                functions[defined[0]].append(defined[1])
    return functions


def _definition(
    program: Program, module: Module, name: str
) -> tuple[Module, ast.FunctionDef] | None:
    """Returns the function of a name of a file, and the file that defines it."""
    for _ in range(_STEPS):
        for statement in module.tree.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == name:
                return module, statement
        taken = [b for b in imports(module) if b.local == name]
        source = program.source_of(module, taken[-1]) if taken else None
        if source is None:
            return None
        module, name = source
    return None
