"""What keeps the programs of a run from Keras: for each that is started, all that is known.

A run may hold several programs, and one reason for all would not say what to change in which.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.graphs.names import SESSIONS
from tfmigrate.rulekit.basics import Module, Program, Refusal
from tfmigrate_keras.conversion import Conversion
from tfmigrate_keras.driver import estimators
from tfmigrate_keras.whole_program import conversion

_OF_ESTIMATORS = ("tensorflow.contrib.", "tensorflow.estimator.", "tensorflow.keras.estimator.")
_CANNED = ("Classifier", "Regressor", "Estimator", "KMeans", "KMeansClustering")
_OWN = ("Estimator", "TowerEstimator")  # their model function is the program's
_NEVER = tuple(
    f"tensorflow.{name}"
    for name in (
        *("while_loop", "map_fn", "scan", "py_func", "assign", "assign_add", "assign_sub"),
        *("scatter_update", "scatter_add", "import_graph_def", "contrib.slim.", "contrib.seq2seq."),
        *("contrib.crf.", "contrib.tpu.", "contrib.gan."),
    )
)


def obstacles(program: Program) -> list[list[Refusal]]:
    """Returns why each program of a run is not converted; [] where all are, or none trains."""
    outcome = program.once(conversion)
    if isinstance(outcome, Conversion):
        return []
    starts = program.starts() or program.modules
    of_each = [_of_start(program, start, outcome) for start in starts]
    return [refusals for refusals in of_each if refusals]


def _of_start(program: Program, start: Module, whole: Refusal | None) -> list[Refusal]:
    """Returns why the program that a file starts is not converted; [] if it has nothing to be."""
    reached = program.reachable(start)
    alone = len(reached) == len(program.modules)
    part = program if alone else program.read_as(only=reached)
    outcome = whole if alone else conversion(part)
    if isinstance(outcome, Conversion):
        reason = "it shares files with another program, which is not converted"
        return [Refusal(start.tree, reason)]
    others = list(_others(part, runs_anything=outcome is not None))
    if outcome is None and not others:
        return []
    first = [outcome] if outcome is not None else []
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
            if name.startswith(_OF_ESTIMATORS) and _is_canned(name.rpartition(".")[2]):
                runs_anything = True
                yield Refusal(call, f"{shown} has its own model function")
    if not runs_anything:
        sessions = (call for m in program.modules for call in m.calls_of(*SESSIONS))
        for call in sessions:
            reason = "a program of sessions becomes eager, not a Keras model"
            yield Refusal(call, reason, "use `--target eager` and go on from there")
            return
    if not estimators(Conversion(program)):
        return
    for module in program.modules:
        for call in sorted(module.all(ast.Call), key=module.position):
            name = module.resolve(call.func) or ""
            if name in _NEVER or name.startswith(tuple(n for n in _NEVER if n.endswith("."))):
                yield Refusal(call, f"`{name.replace('tensorflow.', 'tf.', 1)}`")


def _is_canned(name: str) -> bool:
    """Returns whether a class, or a function, makes an Estimator with its own model function."""
    return name not in _OWN and (name.endswith(_CANNED) or name == "model_to_estimator")
