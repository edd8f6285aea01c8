"""Whether a program trains synchronously: always, never, or where a condition says so."""

from __future__ import annotations

import ast
import enum
from collections.abc import Sequence
from dataclasses import dataclass

from tfmigrate.module import Module
from tfmigrate.program import Program
from tfmigrate.sync_conditions import CannotTell, condition_text, merged, tests_around

OPTIMIZER = "tensorflow.train.SyncReplicasOptimizer"
SETTER = "tensorflow.train.replica_device_setter"


class Synchrony(enum.Enum):
    """When the gradients of a program's workers are averaged before they are applied."""

    NEVER = "never"
    ALWAYS = "always"
    FLAG = "flag"


@dataclass(frozen=True)
class Plan:
    """How a program synchronises its workers.

    Attributes:
        synchrony: when it does.
        condition: with FLAG, the text of the condition, the same wherever it is asked for; else "".
        obstacle: why that cannot be told, "" where it can; the program is then left as it is.
        place: the node that the obstacle is about.
    """

    synchrony: Synchrony
    condition: str = ""
    obstacle: str = ""
    place: ast.AST | None = None


def synchrony(program: Program, module: Module) -> Plan:
    """Returns how the program of a module synchronises its workers.

    Args:
        program: the files.
        module: the file with the replica_device_setter.
    """
    wrappers = [call for m in _files_around(program, module) for call in m.calls_of(OPTIMIZER)]
    if not wrappers:
        return Plan(Synchrony.NEVER)
    own = module.calls_of(OPTIMIZER)
    if len(own) < len(wrappers):
        return Plan(Synchrony.ALWAYS, obstacle="SyncReplicasOptimizer is in another file")
    return _plan(module, own)


def _files_around(program: Program, module: Module) -> list[Module]:
    """Returns the module, the files it imports, and those that import it."""
    return [
        other
        for other in program.mentioning("SyncReplicasOptimizer")
        if other in program.reachable(module) or module in program.reachable(other)
    ]


def _plan(module: Module, wrappers: Sequence[ast.Call]) -> Plan:
    try:
        shared = [t for c in module.calls_of(SETTER) for t in tests_around(module, c)]
        chains = merged(
            [t for t in tests_around(module, call) if t not in shared] for call in wrappers
        )
    except CannotTell as error:
        return Plan(Synchrony.ALWAYS, obstacle=error.reason, place=error.node)
    if any(not chain for chain in chains):
        return Plan(Synchrony.ALWAYS)
    return Plan(Synchrony.FLAG, condition_text(module, chains))
