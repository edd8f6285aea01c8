"""Programs with a replica_device_setter that train synchronously: always, or depending on a flag.

Such a program moves to ``tf.distribute.MultiWorkerMirroredStrategy``. All its jobs must agree on
that from the start, so the condition of its SyncReplicasOptimizer is evaluated again where the
server starts and where the strategy is created.
"""

import ast
import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tfmigrate.resolve.cluster_calls import OPTIMIZERS, SETTER, server_calls
from tfmigrate.resolve.path_conditions import Chain, carried_text, merged, ways
from tfmigrate.resolve.settled_values import Settled
from tfmigrate.rulekit.basics import Module, Program, Refusal

_WORD = "SyncReplicasOptimizer"


class Synchrony(enum.Enum):
    """When the gradients of a program's workers are averaged before they are applied."""

    NEVER = "never"
    ALWAYS = "always"
    FLAG = "flag"


@dataclass(frozen=True)
class ServerSite:
    """A ``tf.train.Server`` of a synchronous program.

    Attributes:
        module: its file.
        call: the call.
        condition: the expression for whether the program trains synchronously.
    """

    module: Module
    call: ast.Call
    condition: str


@dataclass(frozen=True)
class Plan:
    """How a program synchronizes its workers.

    Attributes:
        synchrony: whether it does always, never, or depending on a flag.
        condition: with FLAG, the expression for it where the strategy is created; else "".
        files: the files of the program.
        optimizers: the calls of SyncReplicasOptimizer, with their files.
        servers: the servers.
        obstacles: why the program must stay as it is; empty if it need not.
    """

    synchrony: Synchrony
    condition: str = ""
    files: tuple[Module, ...] = ()
    optimizers: tuple[tuple[Module, ast.Call], ...] = ()
    servers: tuple[ServerSite, ...] = ()
    obstacles: tuple[Refusal, ...] = ()


def modules_with_setters(program: Program) -> list[Module]:
    """Returns the files with a device setter whose program has a SyncReplicasOptimizer."""
    return [
        module
        for module in program.mentioning("replica_device_setter")
        if module.calls_of(SETTER) and program.once(synchrony, module).optimizers
    ]


def files_of_programs(program: Program) -> Iterator[tuple[Module, Module]]:
    """Yields the files of each synchronous program, each after the file of its device setter."""
    for centre in program.once(modules_with_setters):
        yield from ((centre, module) for module in program.once(synchrony, centre).files)


def construct_of_optimizer(module: Module) -> str:
    """Returns the construct of optimizers whose program has no device setter in the files."""
    return f"optimizer of {module.source.display}"


def synchrony(program: Program, module: Module) -> Plan:
    """Returns how the program of a module synchronizes its workers.

    Args:
        module: the file with the replica_device_setter.
    """
    if not program.mentioning(_WORD):
        return Plan(Synchrony.NEVER)
    files = files_around(program, module)
    if not (wrappers := tuple((m, call) for m in files for call in m.calls_of(*OPTIMIZERS))):
        return Plan(Synchrony.NEVER)
    return _planned(module, files, wrappers)


def files_around(program: Program, module: Module) -> tuple[Module, ...]:
    """Returns the files of the programs that a file is part of: importers, and all they import."""
    related: set[Module] = set()
    for other in program.modules:
        reached = program.reachable(other)
        if module in reached:
            related |= reached
    return tuple(m for m in program.modules if m in related)


def _planned(
    module: Module, files: tuple[Module, ...], wrappers: tuple[tuple[Module, ast.Call], ...]
) -> Plan:
    setters = module.calls_of(SETTER)
    servers = [(m, call) for m in files for call in server_calls(m)]
    try:
        chains = _chains(module, files, setters, wrappers)
    except Refusal as error:
        obstacle = _not_known(error)
        return Plan(Synchrony.ALWAYS, "", files, wrappers, (), (obstacle,))
    if chains == [()]:
        sites = tuple(ServerSite(m, call, "True") for m, call in servers)
        return Plan(Synchrony.ALWAYS, "", files, wrappers, sites)
    return _behind_a_flag(module, files, wrappers, chains, setters, servers)


def _behind_a_flag(
    module: Module,
    files: tuple[Module, ...],
    wrappers: tuple[tuple[Module, ast.Call], ...],
    chains: list[Chain],
    setters: Sequence[ast.Call],
    servers: Sequence[tuple[Module, ast.Call]],
) -> Plan:
    settled = Settled(module, files)
    obstacles: list[Refusal] = []
    sites: list[ServerSite] = []
    texts: list[str] = []
    for setter in setters:
        try:
            texts.append(carried_text(settled, chains, setter))
        except Refusal as error:
            obstacles.append(_not_known_at(setter, "strategy", error))
    for other, call in servers:
        try:
            if other is not module:
                raise Refusal(call, "the server is created in another file")
            sites.append(ServerSite(other, call, carried_text(settled, chains, call)))
        except Refusal as error:
            obstacles.append(_not_known_at(call, "server", error))
    if len(set(texts)) > 1:
        differing = Refusal(setters[1], "the device setters need different conditions")
        obstacles.append(_not_known_at(setters[1], "strategy", differing))
    return Plan(
        Synchrony.FLAG, texts[0] if texts else "", files, wrappers, tuple(sites), tuple(obstacles)
    )


def _chains(
    module: Module,
    files: Sequence[Module],
    setters: Sequence[ast.Call],
    wrappers: Sequence[tuple[Module, ast.Call]],
) -> list[Chain]:
    """Returns under which conditions the program trains synchronously; ``[()]`` for always.

    Conditions that every device setter is under too are left out.

    Raises:
        Refusal: it depends on conditions outside the file with the setter.
    """
    around = [way for call in setters for way in ways(files, module, call)]
    shared = set.intersection(*(set(way.chain) for way in around)) if around else set()
    starts = {way.start for way in around}
    unmerged: list[Chain] = []
    for other, call in wrappers:
        for way in ways(files, other, call):
            if way.start not in starts:
                raise Refusal(call, f"cannot determine where {_name(way.start)} is called")
            left = [(t, m) for t, m in zip(way.chain, way.modules, strict=True) if t not in shared]
            if any(m is not module for _, m in left):
                raise Refusal(call, "it depends on a condition in another file")
            unmerged.append(tuple(test for test, _ in left))
    # Both without and with conditions: which path is run is not known.
    if () in unmerged and any(unmerged) and len(unmerged) > len(set(wrappers)):
        raise Refusal(wrappers[0][1], "several paths lead to it, under different conditions")
    return merged(unmerged)


def _name(start: ast.AST) -> str:
    return f"`{start.name}`" if isinstance(start, ast.FunctionDef) else "its file"


def _not_known(error: Refusal) -> Refusal:
    return Refusal(
        error.node,
        f"cannot determine when this program trains synchronously: {error.reason}",
        "wrap the optimizer under a single condition on flags, in the file of the device setter,",
    )


def _not_known_at(call: ast.Call, what: str, error: Refusal) -> Refusal:
    return Refusal(
        call,
        f"the {what} is created before it is known whether the program trains synchronously: "
        f"{error.reason}",
        "use a flag that is read before the server starts and never reassigned",
    )
