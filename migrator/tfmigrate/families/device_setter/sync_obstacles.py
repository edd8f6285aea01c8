"""What keeps a synchronous program from moving to MultiWorkerMirroredStrategy.

All workers of a synchronous step wait for each other: one that makes a session of its own, steps
less often, or has no server, lets the others wait forever. In 1.x it would only have been slow. So
each of these is a reason to leave the program whole: with its parameter servers it still runs.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.device_setter.chief_variables import variables_of_some_workers
from tfmigrate.families.device_setter.sync_sessions import SESSIONS, unknown_strategies
from tfmigrate.families.device_setter.sync_training import replica_code, training_outside
from tfmigrate.families.device_setter.synchrony import Plan, synchrony
from tfmigrate.resolve.calls import argument, called, original_calls, same
from tfmigrate.resolve.cluster_calls import OPTIMIZERS, SERVER, SETTER, server_calls
from tfmigrate.rulekit.basics import Module, Program, Refusal

# They create their own sessions, which the runtime does not control.
_OTHER_SESSIONS = (
    "tensorflow.InteractiveSession", "tensorflow.Session", "tensorflow.contrib.slim.learning.train",
    "tensorflow.contrib.training.train", "tensorflow.train.ChiefSessionCreator",
    "tensorflow.train.MonitoredSession", "tensorflow.train.SessionManager",
    "tensorflow.train.SingularMonitoredSession", "tensorflow.train.WorkerSessionCreator",
)  # fmt: skip
_LOCAL = ("tensorflow.Session", "tensorflow.InteractiveSession")


def obstacles(program: Program, module: Module) -> list[Refusal]:
    """Returns why the synchronous program of a file must stay as it is.

    Args:
        module: the file with the replica_device_setter.

    Returns:
        The reasons, in no order; none if the program can be migrated, or never synchronizes.
    """
    plan = program.once(synchrony, module)
    if not plan.optimizers:
        return []
    refusals = [
        *plan.obstacles,
        *_servers(module, plan),
        *unknown_strategies(program, module, plan),
    ]
    refusals += training_outside(program, module, plan)
    refusals += variables_of_some_workers(program, plan)
    for other in plan.files:
        refusals += _names_not_called(other)
        refusals += _sessions(other)
        refusals += _parameter_server_devices(program, other)
    for other, call in plan.optimizers:
        refusals += _backup_replicas(other, call)
    return refusals


def _servers(module: Module, plan: Plan) -> Iterator[Refusal]:
    if not any(server_calls(other) for other in plan.files):
        yield Refusal(
            plan.optimizers[0][1] if plan.optimizers[0][0] is module else module.tree,
            "no tf.train.Server in these files, but synchronous workers connect through one",
            "start a server here, or include the file that starts it,",
        )
    for other in plan.files:
        for call in other.calls_of(f"{SERVER}.create_local_server"):
            yield Refusal(
                call,
                "a local server connects no workers, but synchronous training waits for all of "
                "them",
                "start tf.train.Server with the cluster here",
            )
        for use in other.uses_of(SERVER):
            if not other.call_of(use.node) and not is_asked(other, use.node):
                yield Refusal(
                    use.node,
                    "tf.train.Server is referenced without being called",
                    "call tf.train.Server where the program starts",
                )


def _names_not_called(module: Module) -> Iterator[Refusal]:
    """Yields the uses of the converted names that are neither calls nor isinstance checks."""
    for use in module.uses_of(*OPTIMIZERS, *SESSIONS):
        parent = module.parent(use.node)
        if module.call_of(use.node) or is_asked(module, use.node) or isinstance(parent, ast.Assign):
            continue
        name = use.qualified.rpartition(".")[2]
        yield Refusal(use.node, f"{name} is referenced without being called", f"call {name} here")


def is_asked(module: Module, node: ast.expr) -> bool:
    """Returns whether a name is the class in an ``isinstance`` or ``issubclass`` check."""
    parent = module.parent(node)
    if isinstance(parent, ast.Tuple):
        parent = module.parent(parent)
    return (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in ("isinstance", "issubclass")
    )


def _sessions(module: Module) -> Iterator[Refusal]:
    written_out = original_calls(module, *_OTHER_SESSIONS)
    for call in (*module.calls_of(*_OTHER_SESSIONS), *written_out):
        qualified = module.resolve(call.func) or ""
        if qualified in _LOCAL and _is_of_another_graph(module, call):
            continue
        name = ast.unparse(call.func)
        yield Refusal(
            call,
            f"{name} creates a session that does not start the synchronous workers together",
            "use `tf.train.MonitoredTrainingSession(server.target, is_chief=...)`",
        )


def _is_of_another_graph(module: Module, call: ast.Call) -> bool:
    """Returns whether a session runs in this process, on a graph the program does not train."""
    if argument(call, 0, "target") is not None:
        return False
    if argument(call, 1, "graph") is not None:
        return True
    around = [
        outer
        for outer in module.ancestors(call)
        if isinstance(outer, ast.With) and any(_is_new_graph(module, i) for i in outer.items)
    ]
    setters = module.calls_of(SETTER)
    return bool(around) and not any(around[0] in module.ancestors(setter) for setter in setters)


def _is_new_graph(module: Module, item: ast.withitem) -> bool:
    return any(called(module, n) == "tensorflow.Graph" for n in ast.walk(item.context_expr))


def _parameter_server_devices(program: Program, module: Module) -> Iterator[Refusal]:
    """Yields devices on a parameter server that are outside replica functions.

    In a replica function the strategy places their ops on the worker. A queue was for all workers.
    """
    inside = program.once(replica_code, module)
    for call in module.calls_of("tensorflow.device"):
        texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant)]
        if any(called(module, node) == SETTER for node in ast.walk(call)):
            continue
        on_server = any(isinstance(text, str) and "job:ps" in text for text in texts)
        # A queue on a parameter server hands each element to one of all workers, whatever the
        # strategy does with the devices of a replica function.
        if on_server and (call not in inside or _holds_queue(module, call)):
            yield Refusal(
                call,
                "these ops are placed on a parameter server, which MultiWorkerMirroredStrategy "
                "does not have",
                "place the ops on the workers",
            )


def _holds_queue(module: Module, call: ast.Call) -> bool:
    calls = module.all(ast.Call, module.statement(call))
    return any(called(module, inner).endswith("Queue") for inner in calls)


def _backup_replicas(module: Module, call: ast.Call) -> Iterator[Refusal]:
    """Yields the optimizers that wait for fewer (or more) gradients than there are workers."""
    aggregated = argument(call, 1, "replicas_to_aggregate")
    total = argument(call, 2, "total_num_replicas")
    if aggregated is None or total is None or not _differ(aggregated, total):
        return
    yield Refusal(
        call,
        f"replicas_to_aggregate={ast.unparse(aggregated)} differs from "
        f"total_num_replicas={ast.unparse(total)}, but tf.distribute has no backup replicas",
        "aggregate the gradients of all workers",
    )


def _differ(aggregated: ast.expr, total: ast.expr) -> bool:
    """Returns whether two numbers certainly differ."""
    if isinstance(aggregated, ast.Constant) and isinstance(total, ast.Constant):
        return bool(aggregated.value != total.value)
    for first, second in ((aggregated, total), (total, aggregated)):
        if isinstance(first, ast.BinOp) and isinstance(first.op, (ast.Add, ast.Sub)):
            constant = isinstance(first.right, ast.Constant) and first.right.value != 0
            if constant and same(first.left, second):
                return True
    return False
