"""Whether a program of a session can become training steps, and the edits that make it so."""

from __future__ import annotations

import ast

from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native.driver import estimators
from tfmigrate.families.native.earlier_form import as_earlier_form, convert_earlier_form
from tfmigrate.families.native.experiments import EXPERIMENT
from tfmigrate.families.native.rest import convert_rest
from tfmigrate.families.native.unused import check_removed
from tfmigrate.families.native_steps.graph import SESSIONS, TRAINING
from tfmigrate.families.native_steps.session_program import SessionConversion
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program

_OTHERS = (
    "tensorflow.train.Supervisor",
    "tensorflow.train.MonitoredSession",
    "tensorflow.train.SingularMonitoredSession",
    "tensorflow.InteractiveSession",
)
_OF_RUNTIME = ("tfmigrate_runtime.between_graph", "tfmigrate_runtime.coordinator")


def step_conversion(program: Program) -> Conversion | Refusal | None:
    """Returns the conversion of a program, why there is none, or None without a session."""
    plan = Conversion(as_earlier_form(program))
    program = plan.program
    if estimators(plan) or any(module.calls_of(EXPERIMENT) for module in program.modules):
        return None
    found = [(m, call) for m in program.modules for call in m.calls_of(*SESSIONS)]
    if not any(_trains(module) for module in program.modules):
        return None
    try:
        if not found:
            _check_others(program)
            return None
        if len(found) != 1:
            refuse(found[1][1], "the program has several sessions")
        module, call = found[0]
        for other in program.modules:
            if other is not module and other.uses:
                refuse(call, "the graph of the session is built in several files")
        SessionConversion(plan, module, call).convert()
        convert_earlier_form(plan)
        convert_rest(plan)
        check_removed(plan)
    except Refusal as refusal:
        return refusal
    return plan


def _check_others(program: Program) -> None:
    """Refuses sessions that are not followed, those of the runtime among them."""
    for module in program.modules:
        for call in module.calls_of(*_OTHERS):
            refuse(call, f"`{ast.unparse(call.func)}`")
        for binding in module.import_bindings:
            if binding.qualified in _OF_RUNTIME:
                refuse(binding.statement, f"Keras has nothing for `{binding.qualified}`")


def _trains(module: Module) -> bool:
    return any(node.attr in TRAINING for node in module.all(ast.Attribute))
