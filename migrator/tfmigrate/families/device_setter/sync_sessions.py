"""Which strategy a session of a synchronous program belongs to.

The runtime starts the sessions of all workers together, and so must know whose they are. Where two
strategies may be meant (one for a flag, one without), or the session is made in a function that has
no block, the program stays: a session of the wrong strategy waits for workers that never come.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.device_setter.plan import PlannedBlock, conversions
from tfmigrate.families.device_setter.synchrony import Plan
from tfmigrate.resolve.control_flow import exclusive
from tfmigrate.rulekit.basics import Module, Program, Refusal

SESSIONS = ("tensorflow.train.MonitoredTrainingSession", "tensorflow.train.Supervisor")


@dataclass(frozen=True)
class SessionSite:
    """A Supervisor or a MonitoredTrainingSession of a synchronous program.

    Attributes:
        call: the call.
        strategy: the name of the variable with its strategy.
    """

    call: ast.Call
    strategy: str


def session_sites(program: Program, module: Module) -> list[SessionSite]:
    """Returns the sessions of a file with a device setter whose strategy is known there."""
    sites = []
    for call in module.calls_of(*SESSIONS):
        names = _strategies(program, module, call)
        if len(names) == 1:
            sites.append(SessionSite(call, names.pop()))
    return sites


def unknown_strategies(program: Program, module: Module, plan: Plan) -> Iterator[Refusal]:
    """Yields the sessions of a program whose strategy is unknown where they are created.

    Args:
        module: the file with the device setter.
        plan: how the program synchronizes its workers.
    """
    known = {site.call for site in program.once(session_sites, module)}
    for other in plan.files:
        for call in other.calls_of(*SESSIONS):
            if call not in known:
                yield Refusal(
                    call,
                    "the session is created where the strategy of its graph is unknown",
                    "create the session in the function with the device setter, after its block,",
                )
        for call in other.calls_of(SESSIONS[1]):
            if any(keyword.arg == "session_manager" for keyword in call.keywords):
                yield Refusal(
                    call,
                    "this Supervisor has a custom session_manager, which does not start the "
                    "synchronous workers together",
                    "remove `session_manager`",
                )


def _strategies(program: Program, module: Module, call: ast.Call) -> set[str]:
    """Returns the strategies that a session may belong to, by the names of their variables."""
    return {
        planned.strategy
        for conversion in program.once(conversions, module)
        for planned in conversion.blocks
        if _is_seen(module, planned, call)
    }


def _is_seen(module: Module, planned: PlannedBlock, call: ast.Call) -> bool:
    """Returns whether the strategy of a block exists when a session is created."""
    block = planned.block.statement
    function = module.function(block)
    if function is not module.tree and function is not module.function(call):
        return False
    if function is module.tree and module.function(call) is not module.tree:
        return True  # functions are called after the file's own statements, the block among them
    later = module.position(call) > module.position(block)
    return later and not exclusive(module, block, module.statement(call))
