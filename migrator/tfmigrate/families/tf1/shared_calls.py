"""Calls in a file that programs of both generations import, and that differ between them."""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.is_tf1 import legacy_modules, modules_of_v2, reached_by_compat
from tfmigrate.resolve.guards import is_guarded_by_mode
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program

# How many arguments given by position mean the same in both generations.
_SAME = {
    "argmax": 2,
    "argmin": 2,
    "boolean_mask": 2,
    "convert_to_tensor": 2,
    "image.resize": 0,
    "losses.mean_squared_error": 0,
    "math.argmax": 2,
    "math.argmin": 2,
    "metrics.mean_absolute_error": 0,
    "metrics.mean_squared_error": 0,
    "nn.ctc_loss": 0,
    "nn.dropout": 1,
    "nn.embedding_lookup": 2,
    "nn.moments": 2,
    "random.poisson": 0,
    "size": 1,
    "squeeze": 2,
    "strings.split": 0,
    "summary.audio": 0,
    "summary.histogram": 0,
    "summary.image": 0,
    "summary.scalar": 0,
    "summary.text": 0,
    "transpose": 2,
}


def shared_calls(program: Program) -> Iterator[tuple[Module, str, ast.Call, Module, Module]]:
    """Yields the calls of shared files whose meaning differs between their programs.

    Yields:
        The file, the name below ``tf``, the first such call of it, and a file of each generation
        that imports the file.
    """
    legacy, modern = program.once(legacy_modules), program.once(modules_of_v2)
    for module in program.modules if legacy and modern else ():
        if module in legacy:
            continue
        old = next((m for m in legacy if module in program.reachable(m)), None)
        new = next((m for m in modern if module in program.reachable(m)), None)
        if old is not None and new is not None and new is not module:
            yield from ((module, name, call, old, new) for name, call in _calls(module).items())


def _calls(module: Module) -> dict[str, ast.Call]:
    first_calls: dict[str, ast.Call] = {}
    for use in module.uses:
        name = use.qualified.partition(".")[2]
        call = module.parent(use.node)
        if name not in _SAME or not isinstance(call, ast.Call) or call.func is not use.node:
            continue
        same = _SAME[name]
        differs = not same or len(call.args) > same
        here = use.node
        if differs and not reached_by_compat(module, here) and not is_guarded_by_mode(module, here):
            first_calls.setdefault(name, call)
    return first_calls
