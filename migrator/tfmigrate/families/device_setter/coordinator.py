"""How an asynchronous program becomes one whose loop a coordinator runs (``--coordinator``).

On request only. By default each worker keeps its loop, as the program's lines say; a coordinator
runs one loop, whose steps any worker makes. What a worker did by itself has no process then: its
input queue, its Python function, its share of the rows by task index. Queues and functions are
refused where they stand; uses of the task index are reported, since only task 0 makes them.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.families.device_setter.coordinator_roles import role_plan
from tfmigrate.families.device_setter.plan import Outcome, conversions
from tfmigrate.families.device_setter.setters import uses_device_setter
from tfmigrate.families.device_setter.synchrony import Synchrony, files_around, synchrony
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.cluster_calls import SERVER
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.rulekit.basics import Module, Program, Refusal, Use
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.obstacles import obstacles
from tfmigrate.tables.runtime_api import COORDINATOR

_SESSION = "tensorflow.Session"
_MANAGED = ("tensorflow.train.Supervisor", "tensorflow.train.MonitoredTrainingSession")
_REPLACED = (SERVER, _SESSION, *_MANAGED)
_UNSUPPORTED = obstacles("coordinator")
_PACKAGE = "tensorflow.data."
_OF_DATASETS = ("make_one_shot_iterator", "make_initializable_iterator")
_ITERATORS = (*_OF_DATASETS, "get_next")
_DATA = "a tf.data iterator belongs to one process, but steps run on any worker"
_MAYBE_DATA = "this may be a tf.data iterator, which belongs to one process"


@dataclass
class CoordinatorPlan:
    """What becomes of an asynchronous program under ``--coordinator``.

    Attributes:
        module: the file with its device setter.
        server: the call that starts its servers, if there is exactly one.
        edits: the changes outside the blocks of the setter.
        obstacles: why nothing can be changed; empty if it can.
        task_uses: uses of the task index that only task 0 will make.
    """

    module: Module
    server: ast.Call | None = None
    edits: list[Edit] = field(default_factory=list)
    obstacles: list[Refusal] = field(default_factory=list)
    task_uses: list[ast.AST] = field(default_factory=list)


def coordinator_plans(program: Program) -> list[CoordinatorPlan]:
    """Returns the plans of all programs that place variables on parameter servers."""
    if not program.coordinator:
        return []
    return [
        _planned(program, module)
        for module in program.mentioning("replica_device_setter")
        if uses_device_setter(module)
        and any(c.outcome is Outcome.STRATEGY for c in program.once(conversions, module))
    ]


def runs_on_coordinator(program: Program, module: Module) -> bool:
    """Returns whether the device setters of a file become the coordinator's strategy."""
    return program.coordinator and program.once(synchrony, module).synchrony is Synchrony.NEVER


def _planned(program: Program, module: Module) -> CoordinatorPlan:
    plan = CoordinatorPlan(module)
    for _, call in program.once(synchrony, module).optimizers:
        text = "it trains synchronously, but a coordinator trains asynchronously"
        plan.obstacles.append(
            Refusal(call, text, "remove the SyncReplicasOptimizer to train asynchronously")
        )
    for conversion in program.once(conversions, module):
        # The strategy is made before the server starts, and has parameter servers or has not.
        text = "it chooses at run time whether to use parameter servers"
        action = "use the device setter unconditionally"
        plan.obstacles += [Refusal(node, text, action) for node in conversion.setter.nothings]
    plan.obstacles += _in_other_files(program, module)
    around = files_around(program, module)
    has_data = any(use.qualified.startswith(_PACKAGE) for m in around for use in m.uses)
    plan.obstacles += _unsupported(module, has_data)
    servers = module.calls_of(SERVER)
    if len(servers) != 1:
        text = "the file with the device setter must call tf.train.Server exactly once"
        place = servers[1] if servers else module.tree
        plan.obstacles.append(Refusal(place, text, "call tf.train.Server once in this file"))
        return plan
    plan.server = servers[0]
    roles = role_plan(module, plan.server)
    plan.task_uses += roles.task_uses
    replaced = list(_replaced(module))
    names = [edit.node for edit in replaced]
    plan.edits += [*roles.edits, *replaced, *runtime_import(module, COORDINATOR, *names)]
    plan.obstacles += roles.problems
    return plan


def _in_other_files(program: Program, module: Module) -> Iterator[Refusal]:
    for other in files_around(program, module):
        if other is module:
            continue
        for use in other.uses_of(SERVER, *_MANAGED):
            name = use.qualified.rpartition(".")[2]
            text = f"{name} and the device setter are in different files"
            yield Refusal(use.node, text, f"move {name} to the file of the device setter")


def _unsupported(module: Module, has_data: bool) -> Iterator[Refusal]:
    """Yields what a coordinator cannot run; ``has_data``: whether the program uses tf.data."""
    for use in module.uses:
        if use.qualified in _UNSUPPORTED:
            yield Refusal(use.node, *_UNSUPPORTED[use.qualified])
    for node in module.all(ast.Attribute):
        if node.attr in _ITERATORS:
            kind = kind_of(module, node.value)
            if kind is Kind.OTHER and module.resolve(node) is None:
                continue
            if kind is Kind.ITERATOR or node.attr in _OF_DATASETS:
                yield Refusal(node, _DATA, "feed the batches")
            # `get_next` of an unknown object: only where the program has datasets at all.
            elif kind is None and has_data:
                yield Refusal(node, _MAYBE_DATA, "feed the batches")
    for call in module.calls_of(_MANAGED[0]):
        if len(call.args) > 1:
            text = "Supervisor has positional arguments after `graph`"
            yield Refusal(call, text, "pass the arguments after `graph` by keyword")
    for use in module.uses_of(*_REPLACED):
        if not module.call_of(use.node):
            name = use.qualified.rpartition(".")[2]
            text = f"unsupported use: {name} is referenced without being called"
            yield Refusal(use.node, text, f"call {name} here")


def _replaced(module: Module) -> Iterator[ReplaceExpression]:
    runtime = runtime_name(module, COORDINATOR)
    for use in module.uses_of(*_REPLACED):
        # A session without a target evaluates or exports here, on a graph that is no cluster's.
        if use.qualified == _SESSION and not _has_target(module, use):
            continue
        name = use.qualified.rpartition(".")[2]
        yield ReplaceExpression(use.node, Code(f"{runtime}.{name}"))


def _has_target(module: Module, use: Use) -> bool:
    """Returns whether a session runs on a server; others run in this process, and stay."""
    call = module.call_of(use.node)
    target = argument(call, 0, "target") if call else None
    return target is not None and not (isinstance(target, ast.Constant) and not target.value)
