"""Where a synchronous program computes its gradients: in a replica function, or outside.

Outside of it nothing averages them: each worker would train by itself and end with other values, of
which the chief's are saved. 1.x programs that build the model in the block of the setter and train
below it are common, so this is reported before anything is changed.
"""

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.device_setter.plan import PlannedBlock, conversions
from tfmigrate.families.device_setter.synchrony import Plan
from tfmigrate.resolve.calls import argument, method_calls
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.settled_values import calls_of_function
from tfmigrate.rulekit.basics import Module, Program, Refusal

Nodes = list[tuple[Module, ast.Call]]
_DEPENDENCIES = "tensorflow.control_dependencies"
_TRAINING = ("apply_gradients", "compute_gradients", "minimize")


def replica_code(program: Program, module: Module) -> set[ast.AST]:
    """Returns the nodes of a file that will be in a replica function."""
    return {
        node
        for planned in _planned(program, module)
        for statement in planned.block.statement.body[: planned.plan.size]
        for node in module.walk(statement)
    }


def in_replicas(program: Program, module: Module, plan: Plan, nodes: Nodes) -> Nodes:
    """Returns those of some nodes, each with its file, that will be in a replica function.

    Args:
        module: the file with the device setter.
        plan: how the program synchronizes its workers.
    """
    inside = {m: program.once(replica_code, m) for m in plan.files}
    return [(m, node) for m, node in nodes if _is_in_replica(plan.files, inside, m, node)]


def training_outside(program: Program, module: Module, plan: Plan) -> Iterator[Refusal]:
    """Yields training calls where no strategy would average the gradients.

    Args:
        module: the file with the device setter.
        plan: how the program synchronizes its workers.
    """
    if not (around := {module.function(p.block.statement) for p in _planned(program, module)}):
        return
    around |= {m.function(call) for m, call in plan.optimizers}
    reported = {obstacle.node for obstacle in plan.obstacles}
    calls = [(m, call) for m, call in plan.optimizers if call not in reported]
    for other in plan.files:
        calls += [(other, c) for c in _training_calls(other) if other.function(c) in around]
    calls = list(dict.fromkeys(calls))
    known = in_replicas(program, module, plan, calls)
    for call in (call for other, call in calls if (other, call) not in known):
        yield Refusal(
            call,
            "this is outside the block of the device setter, where no strategy averages the "
            "gradients",
            "move it into the block",
        )


def awaited(program: Program, centre: Module, plan: Plan) -> Iterator[tuple[Module, ast.expr]]:
    """Yields what blocks of ``tf.control_dependencies`` around training calls wait for.

    The updates of layers are left out: they are found by the layers.

    Args:
        centre: the file with the device setter.
        plan: how the program synchronizes its workers.
    """
    steps = [(m, call) for m in plan.files for call in _training_calls(m) if _applies(call)]
    waiting: list[tuple[Module, ast.AST]] = [*in_replicas(program, centre, plan, steps)]
    seen: set[ast.AST] = set()
    while waiting:
        module, place = waiting.pop()
        for outer in module.ancestors(place):
            if outer in seen:
                break  # functions may call each other
            seen.add(outer)
            if isinstance(outer, ast.With):
                for item in outer.items:
                    if _awaits(module, item.context_expr):
                        yield module, item.context_expr
            if isinstance(outer, ast.FunctionDef):
                waiting += [(m, c) for m in plan.files for c in calls_of_function(module, outer, m)]
                break


def _applies(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr != "compute_gradients"


def _awaits(module: Module, node: ast.expr) -> bool:
    """Returns whether it is a block of control dependencies on more than updates of layers."""
    if not isinstance(node, ast.Call) or module.resolve(node.func) != _DEPENDENCIES:
        return False
    inputs = argument(node, 0, "control_inputs")
    input_origins = origins(module, inputs) if inputs is not None else None
    return input_origins is None or not all(_is_of_layers(module, value) for value in input_origins)


def _is_of_layers(module: Module, value: ast.expr) -> bool:
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    key = argument(value, 0, "key") if isinstance(value, ast.Call) else None
    return key is not None and module.resolve(key) == "tensorflow.GraphKeys.UPDATE_OPS"


def _planned(program: Program, module: Module) -> Iterator[PlannedBlock]:
    for conversion in program.once(conversions, module):
        yield from conversion.blocks


def _training_calls(module: Module) -> Iterator[ast.Call]:
    for call, method in method_calls(module, *_TRAINING):
        if module.resolve(method) is None:
            yield call


def _is_in_replica(
    files: Sequence[Module], inside: dict[Module, set[ast.AST]], module: Module, node: ast.AST
) -> bool:
    """Returns whether a node is in a replica function, or is only called from there."""
    waiting, seen, reaches_replica = [(module, node)], set(), False
    while waiting:
        owner, place = waiting.pop()
        if place in inside[owner]:
            reaches_replica = True
            continue
        function = owner.function(place)
        if not isinstance(function, ast.FunctionDef):
            return False
        if function in seen:
            continue
        seen.add(function)
        calls = [(m, call) for m in files for call in calls_of_function(owner, function, m)]
        if not calls:
            return False
        waiting += calls
    return reaches_replica  # functions that only call each other are called from nowhere
