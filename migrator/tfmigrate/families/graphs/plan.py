"""Whether a program of sessions becomes eager, and the edits that make it so.

The graph is built once, by the program's own lines. A form that traced them anew for each set of
fetches was tried: assigns, counters and changed Python values ran again in each trace, and about 9
of 51 variations of programs differed without an error.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.graphs.builders import Builders
from tfmigrate.families.graphs.names import MODES, OBSTACLES, SERVERS, SESSIONS
from tfmigrate.families.graphs.regions import Regions
from tfmigrate.model.edits import Code, Edit, ReplaceExpression, ReplaceStatement, StatementsToBlock
from tfmigrate.rulekit.basics import Module, Program, Refusal
from tfmigrate.rulekit.runtime_import import runtime_import, runtime_name
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name
from tfmigrate.tables.runtime_api import GRAPHS as PACKAGE


@dataclass(frozen=True)
class EagerPlan:
    """What becomes of a program of sessions.

    Attributes:
        edits: by file the place to report and the edits; of no file where there are obstacles.
        obstacles: what keeps the program in its default form.
    """

    edits: dict[Module, tuple[ast.AST, tuple[Edit, ...]]]
    obstacles: tuple[Refusal, ...] = ()


def eager_plan(program: Program) -> EagerPlan | None:
    """Returns what becomes of a program with ``--target eager``; None without a session."""
    if not program.eager or not any(m.uses_of(*SESSIONS) for m in program.modules):
        return None
    if obstacles := tuple(_obstacles(program)):
        return EagerPlan({}, obstacles)
    builders = Builders(program)
    module_edits = {module: tuple(_edits(module, builders)) for module in program.modules}
    return EagerPlan({m: (_place(m), edits) for m, edits in module_edits.items() if edits})


def becomes_eager(program: Program) -> bool:
    """Returns whether a program becomes eager, or is eager and has graphs."""
    if (plan := program.once(eager_plan)) is not None:
        return not plan.obstacles
    return any(
        binding.qualified.startswith(PACKAGE.target)
        for module in program.modules
        if module.mentions("tfmigrate_runtime")
        for binding in module.import_bindings
    )


def _obstacles(program: Program) -> Iterator[Refusal]:
    for module in program.modules:
        for name, (reason, action) in OBSTACLES.items():
            yield from (Refusal(use.node, reason, action) for use in module.uses_of(name))
        for keyword in module.all(ast.keyword):
            is_false = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            if keyword.arg == "use_resource" and is_false:
                reason = "reference variables live in a session"
                yield Refusal(keyword.value, reason, "remove `use_resource=False`")
        for attribute in module.all(ast.Attribute):
            if attribute.attr == "partial_run":
                yield Refusal(attribute, "a function cannot be continued", "use separate calls")


def _edits(module: Module, builders: Builders) -> Iterator[Edit]:
    if not module.uses:
        return
    replaced = SESSIONS | SERVERS
    if sessions := [use for use in module.uses if use.qualified in replaced]:
        yield from runtime_import(module, PACKAGE, *(use.node for use in sessions))
        package = runtime_name(module, PACKAGE)
        for use in sessions:
            yield ReplaceExpression(use.node, Code(f"{package}.{replaced[use.qualified]}"))
    for use in module.uses:
        statement = module.statement(use.node) if use.qualified in MODES else None
        if isinstance(statement, ast.Expr):
            yield ReplaceStatement(statement)
    for block in Regions(module, builders).blocks():
        name = tensorflow_name(module, block[0])
        yield StatementsToBlock(*block, f"with {name}.get_default_graph().as_default():")
        yield from tensorflow_import(module, block[0])


def _place(module: Module) -> ast.AST:
    """Returns the first session of a file, or its first name of TensorFlow."""
    nodes = [use.node for use in module.uses]
    sessions = [use.node for use in module.uses if use.qualified in SESSIONS]
    return min(sessions or nodes, key=module.position)
