"""Whether a program of a session can become training steps, and the edits that make it so."""

from __future__ import annotations

import ast

from tfmigrate.families.device_setter.synchrony import Synchrony, synchrony
from tfmigrate.families.native.cells import check_cells
from tfmigrate.families.native.conversion import Conversion, refuse
from tfmigrate.families.native.driver import estimators
from tfmigrate.families.native.earlier_form import as_earlier_form, convert_earlier_form
from tfmigrate.families.native.experiments import EXPERIMENT
from tfmigrate.families.native.mnist_arrays import convert_mnist
from tfmigrate.families.native.rest import convert_rest
from tfmigrate.families.native.unused import check_removed
from tfmigrate.families.native_steps.clusters import SERVER
from tfmigrate.families.native_steps.graph import SESSIONS, TRAINING
from tfmigrate.families.native_steps.session_program import SessionConversion
from tfmigrate.families.native_steps.summaries import has_summaries
from tfmigrate.families.native_steps.supervised import supervised_sessions
from tfmigrate.families.native_steps.tower_program import TowerConversion
from tfmigrate.families.towers.loops import has_tower_loops
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program

_OTHERS = (
    "tensorflow.train.Supervisor",
    "tensorflow.train.MonitoredSession",
    "tensorflow.train.SingularMonitoredSession",
    "tensorflow.InteractiveSession",
)
SESSIONS_OF_ANY_KIND = (*SESSIONS, *_OTHERS, "tensorflow.contrib.slim.learning.train")
_UNWRITTEN = "summaries are not written"
_OF_RUNTIME = ("tfmigrate_runtime.between_graph", "tfmigrate_runtime.coordinator")


def step_conversion(program: Program) -> Conversion | Refusal | None:
    """Returns the conversion of a program, why there is none, or None without a session."""
    program = as_earlier_form(program)
    kept = _kept_summaries(program)
    found = _converted(program, f"{_UNWRITTEN}: {kept}" if kept else "")
    if isinstance(found, Refusal) and not kept and has_summaries(program):
        without = _converted(program, f"{_UNWRITTEN}: {found.reason}")
        return without if isinstance(without, Conversion) else found
    return found


def _kept_summaries(program: Program) -> str:
    """Returns why summaries cannot be written; "" where they may be."""
    if not has_summaries(program):
        return ""
    if any(map(has_tower_loops, program.modules)):
        return "they are made by towers"
    for module in program.modules:
        workers = module.calls_of(SERVER) and program.once(synchrony, module).synchrony
        if workers is Synchrony.NEVER:
            return "each asynchronous worker has its own"
    return ""


def _converted(program: Program, unwritten: str) -> Conversion | Refusal | None:
    """Returns the conversion of a program.

    Args:
        program: the program.
        unwritten: why its summaries are left out; "" to write them.
    """
    plan = Conversion(program)
    plan.unwritten = unwritten
    if estimators(plan) or any(module.calls_of(EXPERIMENT) for module in program.modules):
        return None
    found = [
        (m, call)
        for m in program.modules
        for call in (*m.calls_of(*SESSIONS), *supervised_sessions(m))
    ]
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
        kind = TowerConversion if has_tower_loops(module) else SessionConversion
        made = kind(plan, module, call)
        made.convert()
        made.check_state()
        convert_mnist(plan, batches=True)
        convert_earlier_form(plan)
        convert_rest(plan)
        check_removed(plan)
        check_cells(plan)
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
