"""What keeps the programs of a run from Keras: for each that is started, all that is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tfmigrate.families.native.conversion import Conversion
from tfmigrate.families.native.driver import estimators
from tfmigrate.families.native.whole_program import conversion
from tfmigrate.families.native_steps.whole_program import SESSIONS_OF_ANY_KIND, step_conversion
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program

_CANNED = re.compile(
    r"tensorflow\.(contrib\.\w+|estimator(\.\w+)?|keras\.estimator)\."
    r"(\w+(Classifier|Regressor|Estimator\w*)|KMeans\w*|model_to_estimator)"
)
_NEVER = tuple(
    f"tensorflow.{name}"
    for name in (
        *("while_loop", "map_fn", "scan", "py_func", "assign", "assign_add", "assign_sub"),
        *("scatter_update", "scatter_add", "import_graph_def", "contrib.slim.", "contrib.seq2seq."),
        *("contrib.crf.", "contrib.tpu.", "contrib.gan."),
    )
)
_NEVER_IN_STEPS = tuple(
    f"tensorflow.{name}"
    for name in (
        *("cond", "case", "metrics.", "nn.rnn_cell.", "nn.dynamic_rnn", "nn.static_rnn"),
        "contrib.rnn.",
    )
)


def obstacles(program: Program) -> list[list[Refusal]]:
    """Returns why each program of a run is not converted; [] where all are, or none trains."""
    found = program.once(conversion) or program.once(step_conversion)
    if isinstance(found, Conversion):
        return []
    starts = program.starts() or program.modules
    of_each = [_of_start(program, start, found) for start in starts]
    return [refusals for refusals in of_each if refusals]


def _of_start(program: Program, start: Module, whole: Refusal | None) -> list[Refusal]:
    """Returns why the program that a file starts is not converted; [] if it has nothing to be."""
    reached = program.reachable(start)
    alone = len(reached) == len(program.modules)
    part = program if alone else program.read_as(only=reached)
    found = whole if alone else (conversion(part) or step_conversion(part))
    if isinstance(found, Conversion):
        reason = "it shares files with another program, which is not converted"
        return [Refusal(start.tree, reason)]
    others = list(_others(part, runs_anything=found is not None))
    if found is None and not others:
        return []
    first = [found] if found is not None else []
    for other in others:
        if not any(other.reason in refusal.reason for refusal in first):
            first.append(other)
    return first


def _others(program: Program, runs_anything: bool) -> Iterator[Refusal]:
    """Yields further places of a program that no Keras form has, in the order of their files."""
    for module in program.modules:
        for call in sorted(module.all(ast.Call), key=module.position):
            name = module.resolve(call.func) or ""
            shown = f"`{name.replace('tensorflow.', 'tf.', 1)}`"
            if _CANNED.fullmatch(name) and not name.endswith((".Estimator", "TowerEstimator")):
                runs_anything = True
                yield Refusal(call, f"{shown} brings its own model function")
            elif name in SESSIONS_OF_ANY_KIND and not runs_anything:
                runs_anything = True
                yield Refusal(call, "this session trains nothing that is made in these files")
    if not runs_anything:
        return
    steps = not estimators(Conversion(program))
    never = (*_NEVER, *(_NEVER_IN_STEPS if steps else ()))
    for module in program.modules:
        for call in sorted(module.all(ast.Call), key=module.position):
            name = module.resolve(call.func) or ""
            if name in never or name.startswith(tuple(n for n in never if n.endswith("."))):
                yield Refusal(call, f"`{name.replace('tensorflow.', 'tf.', 1)}`")
