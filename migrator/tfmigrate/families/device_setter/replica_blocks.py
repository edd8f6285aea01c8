"""Plans how the block under a device setter becomes a replica function, or says why it cannot.

A function, where ``with strategy.scope()`` would be shorter: ``Optimizer.apply_gradients`` and
tf.metrics need the context of a replica (they call ``merge_call``), which only ``strategy.run`` of
a function gives; under the scope alone they raise.

What moves into a function changes its scope. Names that it assigns are returned, names that it
reads and assigns are passed, and whatever sees the difference is refused: a function that reads a
name from outside, ``locals()``, a ``del``. Random programs, run before and after, look for what
that list lacks (tests/migrator/test_replica_function_properties.py).
"""

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from tfmigrate.families.towers.obstacles import NAME_TABLES, in_function
from tfmigrate.resolve import name_flow
from tfmigrate.resolve.block_sessions import graph_part, run_by
from tfmigrate.resolve.scopes import Scope
from tfmigrate.rulekit.basics import Module, Refusal

_TRAINING_OPS = ("minimize", "apply_gradients")
_BEFORE_SESSION = "build this part of the graph before the session"


@dataclass
class ReplicaBlock:
    """How a block becomes a replica function.

    Attributes:
        size: how many of its statements move into the function; the session part follows them.
        parameters: names of the scope that the block reads and assigns.
        results: names that the block assigns and later code reads.
        unset: results that the block assigns on some paths only, and nothing before it.
        returns: whether the block ends with a ``return`` of the function around it.
        problems: what prevents the conversion, each with its place.
    """

    size: int
    parameters: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    unset: list[str] = field(default_factory=list)
    returns: bool = False
    problems: list[Refusal] = field(default_factory=list)


@dataclass(frozen=True)
class Region:
    """Statements that become the body of a function.

    Attributes:
        first: the statement that the function replaces: a ``with``, or the first of them.
        last: the statement that later code follows: the same ``with``, or the last of them.
        part: the statements.
        tail: the following statements of the ``with``.
    """

    first: ast.stmt
    last: ast.stmt
    part: Sequence[ast.stmt]
    tail: Sequence[ast.stmt] = ()


def plan_block(
    module: Module,
    block: ast.With,
    others: Collection[str] = frozenset(),
    asynchronous: bool = False,
) -> ReplicaBlock:
    """Returns the plan for one block.

    Args:
        others: names that other files may read from this one.
        asynchronous: whether each worker trains independently: then its replica function may
            contain the session too, which it must if graph and session cannot be separated.
    """
    size = graph_part(module, block)
    late_statements = list(_only_in_replica(module, block.body[size:]))
    # The session of a synchronous program must see the steps of all workers: it stays outside.
    if late_statements and asynchronous:
        size, late_statements = len(block.body), []
    if size == 0:
        text = "it creates a session before it builds a graph"
        action = "build the graph before the session"
        return ReplicaBlock(0, problems=[Refusal(block.body[0], text, action)])
    region = Region(block, block, block.body[:size], block.body[size:])
    plan = plan_region(module, region, others)
    plan.problems += late_statements
    return plan


def plan_region(
    module: Module, region: Region, others: Collection[str] = frozenset()
) -> ReplicaBlock:
    """Returns the plan for some statements.

    Args:
        region: the statements.
        others: names that other files may read from this one.
    """
    plan = ReplicaBlock(len(region.part))
    plan.problems += _control_flow(module, region, plan)
    scope = module.names.scope_of[region.first]
    if isinstance(scope.node, ast.ClassDef):
        text = "it is in a class body"
        plan.problems.append(Refusal(region.first, text, "move the block into a function"))
        return plan
    _plan_names(module, region, scope, plan, others)
    return plan


def _only_in_replica(module: Module, tail: Sequence[ast.stmt]) -> Iterator[Refusal]:
    """Yields code after the creation of the session that needs the context of a replica.

    Source: compat.v1's Optimizer.apply_gradients and tf.metrics call merge_call.
    """
    seen: set[str] = set()
    for statement in tail:
        for node in run_by(module, statement, seen):
            name = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
            qualified = module.resolve(node.func) if isinstance(node, ast.Call) else None
            if name in _TRAINING_OPS:
                text = f"`{name}` is called after the block creates its session"
                yield Refusal(node, text, _BEFORE_SESSION)
            elif (qualified or "").startswith("tensorflow.metrics."):
                text = f"tf.metrics.{name} is called after the block creates its session"
                yield Refusal(node, text, _BEFORE_SESSION)


def _control_flow(module: Module, region: Region, plan: ReplicaBlock) -> Iterator[Refusal]:
    """Yields statements that leave the block or name its variables; notes a final ``return``."""
    for exit_ in name_flow.loop_exits(region.part):
        kind = "break" if isinstance(exit_, ast.Break) else "continue"
        text = f"`{kind}` jumps out of the block to a loop around it"
        yield Refusal(exit_, text, f"move the `{kind}` out of the block")
    # In a function `globals()` has what it had before; at the top it has the block's names.
    at_top = module.function(region.first) is module.tree
    tables = (*NAME_TABLES, *["globals"] * at_top)
    for node in name_flow.own_nodes(region.part):
        if isinstance(node, ast.Return):
            if node is region.part[-1] and not region.tail:
                plan.returns = True
            else:
                text = "`return` exits the block before its end"
                yield Refusal(node, text, "return only at the end of the block")
        else:
            yield from in_function(node, "block", tables)
    if any(isinstance(n, (ast.For, ast.AsyncFor)) for n in _loops_around(module, region.first)):
        yield Refusal(region.first, "it is inside a `for` loop", "move the block out of the loop")


def _loops_around(module: Module, block: ast.stmt) -> Iterator[ast.AST]:
    for outer in module.ancestors(block):
        if isinstance(outer, (*name_flow.FUNCTIONS, ast.ClassDef)):
            return
        yield outer


def _plan_names(
    module: Module, region: Region, scope: Scope, plan: ReplicaBlock, others: Collection[str]
) -> None:
    """Decides which names the function takes and which it returns.

    It returns what code outside of it reads. A result that not every path assigns is a parameter
    too: on the other paths it has the value of before, as in the block.
    """
    flow = name_flow.flow_of(module, scope)
    part, block = region.part, region.first
    assigned = flow.stores(part)
    effect = flow.effect(part)
    sure = name_flow.surely_assigned_before(flow, module, block)
    inside = {id(n) for statement in part for n in module.walk(statement)}
    readers = _outside_readers(module, flow, inside)
    live = name_flow.read_after(flow, module, region.last, region.tail) | readers.keys()
    stated = {n for n, kind in scope.outer_names.items() if kind == "global"}
    live |= stated
    elsewhere = {name for name, place in flow.bindings() if id(place) not in inside}
    earlier = {name for name in elsewhere if _assigned_earlier(module, flow, name, block, inside)}
    if scope.parent is None:
        # At the top of a file a name that only the block assigns may be one of the builtins before.
        live |= set(others)
        unbound = {name for name in set(assigned) - elsewhere if hasattr(builtins, name)}
        sure |= unbound
        earlier |= unbound
    for name in assigned:
        always = effect.writes is None or name in effect.writes
        is_read = name in effect.reads and name in earlier
        if is_result := name in live and not plan.returns:
            plan.results.append(name)
        if plan.returns and (name in readers or name in stated):
            text = f"another function uses `{name}`, and the block ends with `return`"
            plan.problems.append(Refusal(part[-1], text, "return after the block"))
        if is_read or (is_result and not always):
            if name in sure:
                plan.parameters.append(name)
            elif not is_read and name not in earlier:
                # Only those paths read it: with None on the others the program is the same.
                plan.unset.append(name)
            else:
                plan.problems.append(_unsure(module, region, name, is_read))
    plan.problems += _hidden_readers(module, part, assigned, readers)
    plan.problems += _rebound_later(module, flow, part, assigned, inside, block)


def _unsure(module: Module, region: Region, name: str, is_read: bool) -> Refusal:
    places = [
        n for s in region.part for n in module.walk(s) if isinstance(n, ast.Name) and n.id == name
    ]
    place: ast.AST = min(places, key=module.position) if places else region.first
    action = f"assign `{name}` on all paths before the block"
    if is_read:
        text = f"`{name}` is read and assigned in the block, but may not be assigned before it"
        return Refusal(place, text, action)
    text = f"`{name}` is used after the block, but may not be assigned in or before it"
    return Refusal(place, text, action)


def _assigned_earlier(
    module: Module, flow: name_flow.NameFlow, name: str, block: ast.stmt, inside: set[int]
) -> bool:
    looped = any(isinstance(n, (ast.While, ast.For)) for n in _loops_around(module, block))
    return any(
        looped or module.position(place) < module.position(block) or isinstance(place, ast.arg)
        for bound, place in flow.bindings()
        if bound == name and id(place) not in inside
    )


def _outside_readers(
    module: Module, flow: name_flow.NameFlow, inside: set[int]
) -> dict[str, list[ast.AST]]:
    """Returns the functions outside a block that read a name of its scope, by name."""
    around = {flow.scope.node, *module.ancestors(flow.scope.node)}
    outside_readers: dict[str, list[ast.AST]] = {}
    for index in (flow.readers(), name_flow.declarers(module)):
        for name, functions in index.items():
            if outside := [f for f in functions if id(f) not in inside and f not in around]:
                known = outside_readers.get(name, ())
                outside_readers[name] = list(dict.fromkeys([*known, *outside]))
    return outside_readers


def _outer_names(function: ast.AST) -> set[str]:
    """Returns the names that a function declares global or nonlocal."""
    stated = (n for n in ast.walk(function) if isinstance(n, (ast.Global, ast.Nonlocal)))
    return {name for node in stated for name in node.names}


def _hidden_readers(
    module: Module,
    part: Sequence[ast.stmt],
    assigned: Sequence[str],
    readers: dict[str, list[ast.AST]],
) -> Iterator[Refusal]:
    """Yields names that a function called in the block reads from outside it."""
    seen: set[str] = set()
    run = {id(n) for statement in part for n in run_by(module, statement, seen)}
    for name in assigned:
        for function in readers.get(name, ()):
            body = getattr(function, "body", [])
            first = body[0] if isinstance(body, list) else body
            if id(first) in run:
                text = f"`{name}` is assigned in the block and read by a function that it calls"
                yield Refusal(function, text, f"pass `{name}` to the function as an argument")
                break


def _rebound_later(
    module: Module,
    flow: name_flow.NameFlow,
    part: Sequence[ast.stmt],
    assigned: Sequence[str],
    inside: set[int],
    block: ast.stmt,
) -> Iterator[Refusal]:
    """Yields functions of the block that would miss an assignment after it."""
    later = {
        name
        for name, place in flow.bindings()
        if id(place) not in inside and module.position(place) > module.position(block)
    }
    for statement in part:
        for function in module.walk(statement):
            if not isinstance(function, name_flow.FUNCTIONS):
                continue
            for name in sorted(_outer_names(function) & set(assigned)):
                text = f"both the block and a function in it assign `{name}`"
                yield Refusal(function, text, "return the value from the function instead")
            for name in sorted(flow.loads(function) & later & set(assigned)):
                text = f"a function in the block reads `{name}`, which is reassigned later"
                yield Refusal(function, text, f"pass `{name}` to the function as an argument")
