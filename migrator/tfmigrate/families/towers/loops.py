"""Finds loops that build one tower per iteration, each on its device; plans their functions.

The body becomes a function that the strategy runs once for each device, in the order of the loop:
it appends to the program's own lists (``tower_grads.append``) as before, and the code below the
loop that averages them stays. The alternative, gradients by ``strategy.reduce`` and one apply,
reads better and would change what the program does between the two: clip by tower, skip one, weigh.

Names that the body rebinds for the code around it stay shared by ``nonlocal``: what the loop leaves
behind is the last tower's, and programs use it (the last tower's loss, its summaries, its updates
of batch normalization).
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.families.towers.devices import TowerDevice, names_in, tower_device
from tfmigrate.families.towers.evidence import builds_towers
from tfmigrate.families.towers.obstacles import obstacles
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.name_flow import FUNCTIONS, flow_of, read_after
from tfmigrate.rulekit.basics import Program, Refusal
from tfmigrate.tables.runtime_api import TOWERS

_DEVICE = "tensorflow.device"
_LOOKS = ("range", "xrange", "enumerate", "zip", "len")
_ONCE = ("map", "filter", "zip", "iter", "enumerate", "reversed")


@dataclass
class TowerLoop:
    """A loop over towers, and how its body becomes a replica function.

    Attributes:
        loop: the loop.
        device: where a tower computes.
        removed: the items of ``with`` statements that only place a tower on its device.
        shared: names that the function rebinds for the code around it, by ``nonlocal``.
        statement: the keyword for them, "nonlocal" or "global".
        unbound: those among them that nothing else binds.
        results: names that the last tower assigns and later code reads.
        parameter: the parameter of the function; the loop's own target if that is one name.
        values_once: whether the loop's values can only be computed once.
        problems: what prevents the conversion.
    """

    loop: ast.For
    device: TowerDevice
    removed: list[tuple[ast.With, ast.withitem]] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    statement: str = "nonlocal"
    unbound: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    parameter: str = ""
    values_once: bool = False
    problems: list[Refusal] = field(default_factory=list)


@asked_once
def has_tower_loops(module: Module) -> bool:
    """Returns whether a file has a loop over towers."""
    return module.mentions("device") and any(_candidates(module))


def devices_of_towers(module: Module) -> set[ast.AST]:
    """Returns the ``tf.device`` calls of a file that place towers on their devices."""
    if not module.mentions("device"):
        return set()
    devices: set[ast.AST] = {item.context_expr for _, _, item in _candidates(module)}
    return devices | set(_devices_of_replicas(module))


def _devices_of_replicas(module: Module) -> Iterator[ast.Call]:
    """Yields the ``tf.device`` calls of towers that are already replica functions."""
    if not module.mentions(TOWERS.target.rpartition(".")[0]):
        return
    runs = [c for c in module.all(ast.Call) if module.resolve(c.func) == f"{TOWERS.target}.run"]
    names = {a.id for call in runs for a in call.args if isinstance(a, ast.Name)}
    functions = [f for f in module.all(ast.FunctionDef) if f.name in names]
    for call in module.calls_of(_DEVICE):
        if any(function in module.ancestors(call) for function in functions):
            yield call


def tower_loops(program: Program, module: Module) -> list[TowerLoop]:
    """Returns the loops over towers of a file, in the order of the text."""
    plans = []
    for loop, statement, item in _candidates(module):
        plan = TowerLoop(loop, tower_device(program, module, loop, item))
        plan.values_once = _only_once(module, loop)
        plan.problems += plan.device.problems
        plan.problems += obstacles(program, module, loop)
        if _contains_all(loop, statement):
            plan.removed.append((statement, item))
        if isinstance(module.names.scope_of[loop].node, ast.ClassDef):
            text = "it is in a class body"
            plan.problems.append(Refusal(loop, text, "move the loop into a function"))
        else:
            _plan_names(module, plan)
        plans.append(plan)
    return plans


def _candidates(module: Module) -> Iterator[tuple[ast.For, ast.With, ast.withitem]]:
    """Yields the loops over towers, each with the first ``with`` that places its tower."""
    for loop in module.all(ast.For):
        for statement in _withs(loop):
            if (item := _device_item(module, loop, statement)) is not None:
                call = item.context_expr
                if isinstance(call, ast.Call) and builds_towers(module, loop, call.args[0]):
                    yield loop, statement, item
                break  # a second one inside it places parts of the tower, and stays


def _withs(node: ast.AST) -> Iterator[ast.With]:
    """Yields the ``with`` statements of a loop, except those in nested loops and functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.expr, *FUNCTIONS, ast.ClassDef, ast.For)):
            continue
        if isinstance(child, ast.With):
            yield child
        yield from _withs(child)


def _device_item(module: Module, loop: ast.For, statement: ast.With) -> ast.withitem | None:
    targets = names_in(loop.target)
    targets |= {
        t.id
        for s in loop.body
        if isinstance(s, ast.Assign) and targets & names_in(s.value)
        for t in s.targets
        if isinstance(t, ast.Name)
    }
    for item in statement.items:
        call = item.context_expr
        if not isinstance(call, ast.Call) or module.resolve(call.func) != _DEVICE:
            continue
        if call.args and targets & names_in(call.args[0]):
            return item
    return None


def _contains_all(loop: ast.For, statement: ast.With) -> bool:
    """Returns whether a ``with`` contains the whole loop body, except for ``with`` around it."""
    body: list[ast.stmt] = loop.body
    while len(body) == 1 and isinstance(body[0], ast.With):
        if body[0] is statement:
            return True
        body = body[0].body
    return False


def _plan_names(module: Module, plan: TowerLoop) -> None:
    """Decides which names the function returns, and which it shares with the code around it.

    A function has new variables in each call. So it shares those that an iteration reads from the
    one before it, that not every path assigns, or that other functions read. It returns what else
    is read later.
    """
    loop = plan.loop
    scope = module.names.scope_of[loop]
    flow = flow_of(module, scope)
    inside = {id(n) for n in module.walk(loop)}
    targets = names_in(loop.target)
    effect = flow.effect(loop.body)
    live = read_after(flow, module, loop)
    around = {scope.node, *module.ancestors(loop)}
    readers = {
        name
        for name, functions in flow.readers().items()
        if any(id(f) not in inside and f not in around for f in functions)
    }
    declared = {n for n, kind in scope.outer_names.items() if kind in ("global", "nonlocal")}
    elsewhere = {name for name, place in flow.bindings() if id(place) not in inside}
    always = effect.writes or frozenset()
    for name in flow.stores([loop]):
        carried = name in effect.reads and name not in targets
        conditional = name in live and name not in always | targets
        if carried or conditional or name in readers or name in declared:
            plan.shared.append(name)
            if name not in elsewhere and name not in declared:
                plan.unbound.append(name)
        elif name in live:
            plan.results.append(name)
    kinds = {scope.outer_names.get(name, "nonlocal") for name in plan.shared}
    if scope.parent is None:
        kinds = {"global"} if plan.shared else set()
        plan.unbound = []
    if len(kinds) > 1:
        text = "it assigns both local and global names that later code reads"
        plan.problems.append(Refusal(loop, text, "move the globals out of the loop"))
    plan.problems += _annotated(module, plan)
    plan.statement = next(iter(kinds), "nonlocal")
    if isinstance(loop.target, ast.Name) and loop.target.id not in plan.shared:
        plan.parameter = loop.target.id


def _annotated(module: Module, plan: TowerLoop) -> Iterator[Refusal]:
    """Yields annotations of names that the function rebinds: Python allows none there."""
    for node in module.all(ast.AnnAssign, within=plan.loop):
        if isinstance(node.target, ast.Name) and node.target.id in plan.shared:
            text = f"`{node.target.id}` has an annotation and is assigned by every tower"
            yield Refusal(node, text, "remove the annotation")


def _only_once(module: Module, loop: ast.For) -> bool:
    """Returns whether the values of a loop may differ, or be exhausted, the second time."""
    targets = names_in(loop.target)
    for node in ast.walk(loop.iter):
        if isinstance(node, (ast.Starred, ast.GeneratorExp)):
            return True
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in _LOOKS:
                return True
        elif (isinstance(node, ast.Name) and node.id in targets) or any(
            _is_exhaustible(value) for value in module.values(node)
        ):
            return True
    return False


def _is_exhaustible(value: ast.AST | None) -> bool:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in _ONCE
    return isinstance(value, ast.GeneratorExp)
