"""Which functions of a program its package's commands run."""

import ast

from tfmigrate.files.entry_points import commands_of
from tfmigrate.resolve.definitions import bound_in
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program


def entry_functions(program: Program) -> dict[Module, list[ast.FunctionDef]]:
    """Returns the functions that commands run, by the file that defines them."""
    functions: dict[Module, list[ast.FunctionDef]] = {}
    for module in program.modules:
        for name in commands_of(module.source.path):
            for owner, binding in bound_in(program, module, name):
                if isinstance(function := getattr(binding, "node", None), ast.FunctionDef):
                    functions.setdefault(owner, []).append(function)
    return {module: list(dict.fromkeys(known)) for module, known in functions.items()}
