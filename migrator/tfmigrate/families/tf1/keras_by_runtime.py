"""Which files import a package of the runtime that selects Keras 2, now or after migration."""

from tfmigrate.families.device_setter.plan import Outcome, conversions
from tfmigrate.families.device_setter.setters import uses_device_setter
from tfmigrate.families.graphs.names import SESSIONS
from tfmigrate.families.graphs.plan import becomes_eager
from tfmigrate.families.tf1.is_tf1 import uses_estimator, uses_family
from tfmigrate.families.towers.loops import has_tower_loops, tower_loops
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.program import Program
from tfmigrate.tables.runtime_modules import RUNTIME

_ASKING = tuple(
    f"{RUNTIME}.{name}" for name in ("between_graph", "coordinator", "graphs", "learn", "towers")
)


def imports_runtime(program: Program, module: Module, constructs_stay: bool = False) -> bool:
    """Returns whether a file imports such a package, or will.

    Args:
        constructs_stay: whether its device setters and tower loops stay as they are.
    """
    if uses_estimator(module) or uses_family(module):
        return True
    if any(b.qualified.startswith(_ASKING) for b in imports(module)):
        return True
    if program.once(becomes_eager) and module.uses_of(*SESSIONS):
        return True
    return not constructs_stay and will_import_runtime(program, module)


def will_import_runtime(program: Program, module: Module) -> bool:
    """Returns whether a file will, if its device setters or tower loops are not kept."""
    if uses_device_setter(module):
        setter_conversions = program.once(conversions, module)
        cluster = all(
            c.outcome is not Outcome.ONE_MACHINE and not c.problems for c in setter_conversions
        )
        return bool(setter_conversions) and cluster
    return has_tower_loops(module) and not any(
        plan.problems for plan in program.once(tower_loops, module)
    )
