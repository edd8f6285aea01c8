"""What becomes of every device setter of a file: a strategy with replica functions, or nothing.

A setter that does nothing is removed before its blocks are looked at: without parameter servers
``replica_device_setter`` returns None, and most single-machine copies of cluster tutorials are so.
The others become a strategy only as a whole: with one block converted and another left, variables
of one graph would be placed by two rules, and a checkpoint of half of them is found at the restore.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.families.device_setter.foreign_training import trained_by_libraries
from tfmigrate.families.device_setter.replica_blocks import ReplicaBlock, plan_block
from tfmigrate.families.device_setter.setters import Block, Setter, is_kept_in_variable, setters
from tfmigrate.families.device_setter.synchrony import Synchrony, synchrony
from tfmigrate.families.towers.obstacles import run_in_program
from tfmigrate.resolve.block_sessions import runs_estimator, starts_training
from tfmigrate.resolve.calls import called, called_on
from tfmigrate.resolve.control_flow import exclusive
from tfmigrate.resolve.module import free_name
from tfmigrate.rulekit.basics import Module, Program, Refusal

_FUNCTIONAL = "the device setter is also used as a device function here"
_SEPARATE_CALL = "call replica_device_setter separately for this use"
_STRATEGY_NAMES = ("strategy", "replica_strategy", "between_graph_strategy")
_FUNCTION_NAMES = ("replica_fn", "replica_function", "between_graph_replica_fn")


class Outcome(enum.Enum):
    """What becomes of a device setter."""

    STRATEGY = "its blocks become replica functions of a strategy"
    ONE_MACHINE = "it is removed: it had no effect without parameter servers"
    ESTIMATOR = "it is removed: it had no effect on the graph of the Estimator"
    OTHER_GRAPH = "it is removed: it had no effect on the new graph of the block"
    LEFT = "it stays: no migrated code uses it"


@dataclass(frozen=True)
class PlannedBlock:
    """One block of a device setter, and how it becomes a replica function.

    Attributes:
        block: the block.
        plan: the plan of the function.
        strategy: the name of its strategy.
        function: the name of its replica function.
    """

    block: Block
    plan: ReplicaBlock
    strategy: str
    function: str


@dataclass
class Conversion:
    """What becomes of one device setter.

    Attributes:
        module: the file.
        setter: the device setter.
        outcome: what becomes of it.
        blocks: with STRATEGY, its blocks.
        problems: what prevents the conversion; if there is any, the program stays as it is.
    """

    module: Module
    setter: Setter
    outcome: Outcome
    blocks: list[PlannedBlock] = field(default_factory=list)
    problems: list[Refusal] = field(default_factory=list)


def conversions(program: Program, module: Module) -> list[Conversion]:
    """Returns what becomes of the device setters of a file, in the order of the text."""
    device_setters = program.once(setters, module)
    names = _NamesOfBlocks(module)
    elsewhere = _names_read_elsewhere(program, module)
    # Workers that train independently may hold their session in the replica function, too.
    alone = program.once(synchrony, module).synchrony is Synchrony.NEVER
    setter_conversions = [
        _conversion(module, setter, device_setters, names, elsewhere, alone)
        for setter in device_setters
    ]
    for conversion in setter_conversions:
        for planned in conversion.blocks:
            conversion.problems += _trained_elsewhere(program, module, planned)
    return setter_conversions


def _trained_elsewhere(
    program: Program, module: Module, planned: PlannedBlock
) -> Iterator[Refusal]:
    """Yields the first session or Estimator that a replica function would run elsewhere."""
    block = planned.block.statement
    part = block.body[: planned.plan.size]
    for owner, node in run_in_program(program, module, part, by_method=False):
        if owner is module or not isinstance(node, ast.Call):
            continue
        if starts_training(owner.resolve(node.func) or ""):
            yield _training(block, f"{owner.source.display}:{node.lineno}")
            return
    for call in trained_by_libraries(program, module, part):
        yield _training(block, f"`{ast.unparse(call.func)}` at line {call.lineno}")
        return


def _training(block: ast.With, place: str) -> Refusal:
    text = f"it runs a whole training ({place}), which is not a graph of a replica"
    return Refusal(block, text, "build the graph in the block, and train after it,")


def _names_read_elsewhere(program: Program, module: Module) -> set[str]:
    """Returns the names that files which import a module may read from it."""
    read_names: set[str] = set()
    for other in program.modules:
        if other is not module and module in program.reachable(other):
            read_names |= {n.attr for n in other.all(ast.Attribute)}
            read_names |= {alias.name for n in other.all(ast.ImportFrom) for alias in n.names}
            if any(alias.name == "*" for n in other.all(ast.ImportFrom) for alias in n.names):
                read_names |= module.names.scope_of[module.tree].bindings.keys()
    return read_names


def _conversion(
    module: Module,
    setter: Setter,
    others: list[Setter],
    names: _NamesOfBlocks,
    elsewhere: set[str],
    asynchronous: bool,
) -> Conversion:
    conversion = Conversion(module, setter, _outcome(module, setter))
    conversion.problems += setter.problems
    if setter.blocks:
        conversion.problems += [
            Refusal(use, _FUNCTIONAL, _SEPARATE_CALL) for use in setter.functional
        ]
    if conversion.outcome is not Outcome.STRATEGY:
        return conversion
    if not setter.blocks and not setter.problems:
        text = "no `with tf.device(...)` uses the device setter"
        action = "remove the device setter, or use it in `with tf.device(...)`,"
        conversion.problems.append(Refusal(setter.call, text, action))
    for block in setter.blocks:
        plan = plan_block(module, block.statement, elsewhere, asynchronous)
        conversion.problems += plan.problems
        conversion.problems += _nested(module, block, others)
        conversion.problems += _other_items(block, plan)
        strategy, function = names.of(block)
        conversion.blocks.append(PlannedBlock(block, plan, strategy, function))
    return conversion


def _outcome(module: Module, setter: Setter) -> Outcome:
    is_used = setter.blocks or setter.problems
    if not is_used and (setter.functional or not setter.assignments):
        return Outcome.LEFT
    # A variable that may hold another setter still needs `tf.device` for that one.
    if setter.does_nothing and not setter.shared:
        return Outcome.ONE_MACHINE
    # An Estimator builds its own graph, on the devices of its RunConfig (semantics.md, 3).
    if setter.blocks and all(runs_estimator(module, b.statement) for b in setter.blocks):
        return Outcome.ESTIMATOR
    if setter.blocks and all(_makes_graph(module, b) for b in setter.blocks):
        return Outcome.OTHER_GRAPH
    return Outcome.STRATEGY


def _makes_graph(module: Module, block: Block) -> bool:
    """Returns whether a whole block is in a new graph, which ignores devices of the outer one."""
    statement = block.statement
    items = statement.items[statement.items.index(block.item) + 1 :]
    first = statement.body[0]
    if not items and len(statement.body) == 1 and isinstance(first, ast.With):
        items = first.items[:1]
    call = items[0].context_expr if items else None
    return called(module, called_on(call, "as_default")) == "tensorflow.Graph"


def _nested(module: Module, block: Block, others: list[Setter]) -> Iterator[Refusal]:
    around = set(module.ancestors(block.statement))
    for other in others:
        for outer in other.blocks:
            if outer.statement in around or (
                outer.statement is block.statement and outer.item is not block.item
            ):
                text = "it is nested in the block of another device setter"
                yield Refusal(block.statement, text, "move the inner block out of the outer one")


def _other_items(block: Block, plan: ReplicaBlock) -> Iterator[Refusal]:
    items = block.statement.items
    if items[-1] is not block.item and plan.size < len(block.statement.body):
        text = "the `with` has items after the device setter, and its block creates a session"
        yield Refusal(block.statement, text, "move those items into a `with` inside the block")
    inner = items[items.index(block.item) + 1 :]
    if any(item.optional_vars is not None for item in inner):
        text = "the `with` binds names after the device setter"
        yield Refusal(block.statement, text, "move those items into a `with` inside the block")


class _NamesOfBlocks:
    """Names for the strategies and the replica functions, one each for the blocks of a scope."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._strategy, self._function = free_names(module)
        self._numbers: dict[ast.AST, list[tuple[ast.With, int]]] = {}

    def of(self, block: Block) -> tuple[str, str]:
        """Returns the names of the strategy and of the replica function of the next block."""
        known = self._numbers.setdefault(self._module.function(block.statement), [])
        others = [n for w, n in known if not exclusive(self._module, w, block.statement)]
        count = next((n for w, n in known if w is block.statement), max(others, default=0) + 1)
        known.append((block.statement, count))
        number = f"_{count}" if count > 1 else ""
        strategy = f"{self._strategy}{number}"
        if is_kept_in_variable(self._module, block.setter):
            strategy = ast.unparse(block.setter)
        return strategy, f"{self._function}{number}"


def free_names(module: Module) -> tuple[str, str]:
    """Returns names for a strategy and a replica function that a file does not use."""
    return free_name(module, *_STRATEGY_NAMES), free_name(module, *_FUNCTION_NAMES)
