"""How an asynchronous program becomes one whose loop a coordinator runs (``--coordinator``)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.families.device_setter.coordinator_roles import role_plan
from tfmigrate.families.device_setter.plan import Outcome, conversions
from tfmigrate.families.device_setter.setters import uses_device_setter
from tfmigrate.families.device_setter.synchrony import Synchrony, files_around, synchrony
from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.module import Module, Use
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.tables.runtime_api import COORDINATOR

SERVER = "tensorflow.train.Server"
_SESSION = "tensorflow.Session"
_MANAGED = ("tensorflow.train.Supervisor", "tensorflow.train.MonitoredTrainingSession")
_REPLACED = (SERVER, _SESSION, *_MANAGED)
_QUEUES = "an input queue belongs to one process, and a step of the loop may run on any worker"
_PYTHON = "a Python function in the graph is known to one process, and steps run on the workers"
_MAKER = "sessions of this kind are not made by the coordinator"
_TRACE = "a step on a worker leaves no trace"
_IN_THE_WAY = {
    **dict.fromkeys(
        (
            "tensorflow.train.batch",
            "tensorflow.train.batch_join",
            "tensorflow.train.shuffle_batch",
            "tensorflow.train.shuffle_batch_join",
            "tensorflow.train.maybe_batch",
            "tensorflow.train.maybe_shuffle_batch",
            "tensorflow.train.string_input_producer",
            "tensorflow.train.input_producer",
            "tensorflow.train.range_input_producer",
            "tensorflow.train.slice_input_producer",
            "tensorflow.train.start_queue_runners",
            "tensorflow.train.QueueRunner",
            "tensorflow.train.add_queue_runner",
            "tensorflow.FIFOQueue",
            "tensorflow.RandomShuffleQueue",
            "tensorflow.PaddingFIFOQueue",
            "tensorflow.TFRecordReader",
            "tensorflow.TextLineReader",
            "tensorflow.WholeFileReader",
            "tensorflow.FixedLengthRecordReader",
        ),
        _QUEUES,
    ),
    "tensorflow.py_func": _PYTHON,
    "tensorflow.py_function": _PYTHON,
    "tensorflow.numpy_function": _PYTHON,
    "tensorflow.InteractiveSession": _MAKER,
    "tensorflow.train.MonitoredSession": _MAKER,
    "tensorflow.train.SingularMonitoredSession": _MAKER,
    "tensorflow.train.SessionManager": _MAKER,
    "tensorflow.train.ChiefSessionCreator": _MAKER,
    "tensorflow.train.WorkerSessionCreator": _MAKER,
    "tensorflow.train.ProfilerHook": _TRACE,
    "tensorflow.RunMetadata": _TRACE,
}
_PACKAGE = "tensorflow.data."
_OF_DATASETS = ("make_one_shot_iterator", "make_initializable_iterator")
_ITERATORS = (*_OF_DATASETS, "get_next")
_DATA = "a tf.data iterator belongs to one process: feed the batches, or keep a loop on each worker"
_MAYBE = f"this may be one of tf.data, and {_DATA}"


@dataclass
class CoordinatorPlan:
    """What becomes of an asynchronous program under ``--coordinator``.

    Attributes:
        module: the file with its device setter.
        server: the call that starts its servers, where there is exactly one.
        edits: what to change beside the blocks of the setter.
        obstacles: why nothing can be changed; none where it can.
        task_uses: what only the loop of task 0 will do.
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
        if uses_device_setter(module) and _has_strategy(program, module)
    ]


def runs_on_coordinator(program: Program, module: Module) -> bool:
    """Says whether the strategy of a file's device setters is to be that of the coordinator."""
    return program.coordinator and program.once(synchrony, module).synchrony is Synchrony.NEVER


def _has_strategy(program: Program, module: Module) -> bool:
    return any(c.outcome is Outcome.STRATEGY for c in program.once(conversions, module))


def _planned(program: Program, module: Module) -> CoordinatorPlan:
    plan = CoordinatorPlan(module)
    sync = program.once(synchrony, module)
    for _, call in sync.optimizers:
        text = "the program trains synchronously, which a coordinator does not"
        plan.obstacles.append(Refusal(call, text))
    for conversion in program.once(conversions, module):
        text = "whether there are parameter servers is decided when the program runs"
        plan.obstacles += [Refusal(node, text) for node in conversion.setter.nothings]
    plan.obstacles += _in_other_files(program, module)
    around = files_around(program, module)
    has_data = any(use.qualified.startswith(_PACKAGE) for m in around for use in m.uses)
    plan.obstacles += _in_the_way(module, has_data)
    servers = module.calls_of(SERVER)
    if len(servers) != 1:
        text = "the file does not make the server of its jobs in exactly one place"
        plan.obstacles.append(Refusal(servers[1] if servers else module.tree, text))
        return plan
    plan.server = servers[0]
    roles = role_plan(module, plan.server)
    plan.task_uses += roles.task_uses
    plan.edits += [*roles.edits, *_replaced(module), *runtime_import(module, COORDINATOR)]
    plan.obstacles += roles.problems
    return plan


def _in_other_files(program: Program, module: Module) -> Iterator[Refusal]:
    for other in files_around(program, module):
        if other is module:
            continue
        for use in other.uses_of(SERVER, *_MANAGED):
            name = use.qualified.rpartition(".")[2]
            text = f"{name} stands in another file than the device setter"
            yield Refusal(use.node, text)


def _in_the_way(module: Module, has_data: bool) -> Iterator[Refusal]:
    """Yields what a coordinator cannot run; ``has_data``: whether the program uses tf.data."""
    for use in module.uses:
        if use.qualified in _IN_THE_WAY:
            yield Refusal(use.node, _IN_THE_WAY[use.qualified])
    for node in module.all(ast.Attribute):
        if node.attr in _ITERATORS:
            kind = kind_of(module, node.value)
            if kind is Kind.OTHER and module.resolve(node) is None:
                continue
            if kind is Kind.ITERATOR or node.attr in _OF_DATASETS:
                yield Refusal(node, _DATA)
            elif kind is None and has_data:
                yield Refusal(node, _MAYBE)
    for call in module.calls_of(_MANAGED[0]):
        if len(call.args) > 1:
            text = "Supervisor is given more than its graph by position: name the arguments"
            yield Refusal(call, text)
    called = [call.func for call in module.calls_of(*_REPLACED)]
    for use in module.uses_of(*_REPLACED):
        if use.node not in called:
            yield Refusal(use.node, "what this is used for here is not followed")


def _replaced(module: Module) -> Iterator[Edit]:
    runtime = runtime_name(module, COORDINATOR)
    for use in module.uses_of(*_REPLACED):
        if use.qualified == _SESSION and not _has_target(module, use):
            continue
        name = use.qualified.rpartition(".")[2]
        yield ReplaceExpression(use.node, Code(f"{runtime}.{name}"))


def _has_target(module: Module, use: Use) -> bool:
    """Says whether a session is one of a server; others are of this process, and stay."""
    call = module.parent(use.node)
    if not isinstance(call, ast.Call):
        return False
    targets = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "target")]
    return any(not (isinstance(t, ast.Constant) and not t.value) for t in targets)
