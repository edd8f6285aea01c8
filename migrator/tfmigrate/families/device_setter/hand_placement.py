"""Finds programs that place variables on parameter servers by ``tf.device`` alone.

Several blocks, one for variables and one for each part of the model, become one function: the
strategy places variables, and the device of the worker is that of the function's call. So they must
stand in one sequence of statements; a session between two of them would run half of a graph.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tfmigrate.families.device_setter.replica_blocks import Region, ReplicaBlock, plan_region
from tfmigrate.families.device_setter.setters import is_device_call, uses_device_setter
from tfmigrate.families.device_setter.synchrony import Synchrony, synchrony
from tfmigrate.resolve.block_sessions import makes_session
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.cluster_calls import server_calls
from tfmigrate.resolve.control_flow import block_of
from tfmigrate.resolve.module import Module, imports
from tfmigrate.rulekit.basics import Program, Refusal
from tfmigrate.tables.runtime_api import BETWEEN_GRAPH

_JOB = re.compile(r"/?job:(ps|worker)\b")
_TASK = re.compile(r"(/?job:worker(?:/replica:\d+)?/task:\d+)(?:/(?:device:)?[cg]pu:\d+)?", re.I)
_CLUSTER = "tensorflow.train.ClusterSpec"
_STRATEGIES = (
    "tensorflow.distribute.experimental.ParameterServerStrategy",
    "tensorflow.contrib.distribute.ParameterServerStrategy",
)


@dataclass
class HandPlacement:
    """The part of a file that builds a graph on parameter servers and a worker.

    Attributes:
        module: the file.
        node: the first ``with`` on a parameter server.
        region: the statements; None if they are not in one sequence.
        plan: how they become a replica function.
        worker: the code of the worker's device.
        cluster: the code of the cluster.
        problems: what prevents the conversion.
    """

    module: Module
    node: ast.With
    region: Region | None = None
    plan: ReplicaBlock | None = None
    worker: str = ""
    cluster: str = ""
    problems: list[Refusal] = field(default_factory=list)


def uses_parameter_server_strategy(module: Module) -> bool:
    """Returns whether a file already uses TensorFlow 1.x's ParameterServerStrategy."""
    return module.mentions("ParameterServerStrategy") and bool(module.uses_of(*_STRATEGIES))


def places_by_hand(module: Module) -> bool:
    """Returns whether a file has blocks on a parameter server and on a worker, and no strategy."""
    if not module.mentions("job:ps") or not module.mentions("job:worker"):
        return False
    if uses_device_setter(module) or uses_parameter_server_strategy(module):
        return False
    if any(b.qualified == BETWEEN_GRAPH.target for b in imports(module)):
        return False
    return {"ps", "worker"} <= {_job(module, block) for block in module.all(ast.With)}


def hand_placement(program: Program, module: Module) -> HandPlacement | None:
    """Returns how the tf.device blocks of a file become a replica function, None without any."""
    if not places_by_hand(module):
        return None
    blocks = [b for b in module.all(ast.With) if _job(module, b)]
    blocks.sort(key=module.position)
    placement = HandPlacement(module, next(b for b in blocks if _job(module, b) == "ps"))
    if program.once(synchrony, module).synchrony is not Synchrony.NEVER:
        text = "SyncReplicasOptimizer is only converted with a replica_device_setter"
        action = "place the variables with replica_device_setter"
        placement.problems.append(Refusal(placement.node, text, action))
    lists = [(block, block_of(module, block)) for block in blocks]
    outer = [pair for pair in lists if not set(module.ancestors(pair[0])) & set(blocks)]
    _, statements = outer[0]
    if any(other is not statements for _, other in outer):
        text = "the tf.device blocks are in different functions or branches"
        action = "move the blocks into one sequence of statements"
        placement.problems.append(Refusal(placement.node, text, action))
        return placement
    _plan(placement, statements, [block for block, _ in outer], blocks)
    return placement


def _plan(
    placement: HandPlacement,
    statements: Sequence[ast.stmt],
    outer: Sequence[ast.With],
    blocks: Sequence[ast.With],
) -> None:
    module = placement.module
    start, end = statements.index(outer[0]), statements.index(outer[-1])
    part = statements[start : end + 1]
    for statement in part:
        if makes_session(module, statement):
            text = "a session is created between the tf.device blocks"
            placement.problems.append(Refusal(statement, text, "create it after the blocks"))
    workers = {_worker(module, b) for b in blocks if _job(module, b) == "worker"}
    if len(workers) > 1:  # in-graph replication: one client builds all workers' graphs
        text = "one process builds the graphs of several workers"
        action = "build the graph of one worker in each process"
        placement.problems.append(Refusal(placement.node, text, action))
    placement.worker = workers.pop()
    placement.cluster = _cluster(module, outer[0])
    if not placement.cluster:
        text = "no ClusterSpec or Server is created before these blocks"
        action = "assign the ClusterSpec to a variable before the blocks"
        placement.problems.append(Refusal(placement.node, text, action))
    placement.region = Region(part[0], part[-1], part)
    placement.plan = plan_region(module, placement.region)
    placement.problems += placement.plan.problems
    if placement.plan.returns:
        text = "the tf.device blocks end with `return`"
        placement.problems.append(Refusal(part[-1], text, "return after the blocks"))
    if module.cell(part[0]) != module.cell(part[-1]):
        text = "the tf.device blocks are in several notebook cells"
        placement.problems.append(Refusal(part[-1], text, "move the blocks into one cell"))


def _job(module: Module, block: ast.With) -> str:
    """Returns the job that a ``with tf.device(...)`` names: "ps", "worker" or ""."""
    for item in block.items:
        device = _device(module, item)
        match = _JOB.match(_beginning(device)) if device is not None else None
        if match:
            return match[1]
    return ""


def _beginning(text: ast.expr) -> str:
    """Returns the beginning of a literal or formatted string."""
    if isinstance(text, ast.BinOp) and isinstance(text.op, (ast.Mod, ast.Add)):
        return _beginning(text.left)
    if isinstance(text, ast.JoinedStr) and text.values:
        return _beginning(text.values[0])
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute):
        return _beginning(text.func.value) if text.func.attr == "format" else ""
    return text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""


def _device(module: Module, item: ast.withitem) -> ast.expr | None:
    call = item.context_expr
    if isinstance(call, ast.Call) and is_device_call(module, call) and len(call.args) == 1:
        return call.args[0]
    return None


def _worker(module: Module, block: ast.With) -> str:
    """Returns the code of a worker's device, without the processor where that is known."""
    device = next(d for d in (_device(module, i) for i in block.items) if d is not None)
    match = _TASK.fullmatch(str(device.value)) if isinstance(device, ast.Constant) else None
    text = module.code(device)
    return f'"{match[1]}"' if match else " ".join(text.split())


def _cluster(module: Module, block: ast.With) -> str:
    """Returns the name of the cluster in the scope of a block, "" if there is none."""
    servers = server_calls(module)
    candidates = [argument(call, 0, "server_or_cluster_def") for call in servers]
    for call in module.calls_of(_CLUSTER):
        assign = module.parent(call)
        if isinstance(assign, ast.Assign):
            candidates += assign.targets
    scope = module.names.scope_of[block]
    for node in candidates:
        if isinstance(node, ast.Name) and module.position(node) < module.position(block):
            ours = scope.lookup(node.id)
            if ours is not None and ours[0] is module.scope(node):
                return node.id
    return ""
