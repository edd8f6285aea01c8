"""Whether a program can become a Keras 3 model, and the edits that make it one.

A program is converted by passes, one after another: a pass removes what it converts, and the last
ones refuse what is left of TensorFlow 1.x. Nothing is written until all have passed.
"""

import ast
import math
from collections.abc import Callable

from tfmigrate.model.edits import StatementsToFunction
from tfmigrate.rulekit.basics import Program, Refusal
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.driver import convert_estimators, estimators
from tfmigrate_keras.earlier_form import as_earlier_form, convert_earlier_form
from tfmigrate_keras.experiments import experiments
from tfmigrate_keras.feature_columns import convert_feature_columns
from tfmigrate_keras.hparams import convert_hparams
from tfmigrate_keras.mnist_arrays import convert_mnist
from tfmigrate_keras.own_hooks import convert_hooks
from tfmigrate_keras.rest import convert_rest
from tfmigrate_keras.run_config import remove_configs
from tfmigrate_keras.strategies import convert_strategies
from tfmigrate_keras.unused import check_removed


def check_alone(plan: Conversion) -> None:
    """Refuses a program that sets up the tasks of a cluster: each would train a model alone."""
    for module in plan.program.modules:
        if not any(node.value == "TF_CONFIG" for node in module.all(ast.Constant)):
            continue
        for node in module.all(ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "cluster" and _tasks(value) > 1:
                    refuse(node, "the program sets a TF_CONFIG of several tasks")


def _tasks(cluster: ast.expr) -> float:
    """Returns the number of tasks of a cluster; infinity where they are not written out."""
    if not isinstance(cluster, ast.Dict):
        return math.inf
    return sum(len(v.elts) if isinstance(v, ast.List) else math.inf for v in cluster.values)


def check_cells(plan: Conversion) -> None:
    """Checks that what becomes a function stands in one cell.

    Raises:
        Refusal: it is spread over several cells.
    """
    for module, edits in plan.edits.items():
        for edit in edits:
            if not isinstance(edit, StatementsToFunction):
                continue
            first, last = module.cell(edit.first), module.cell(edit.last)
            if first != last:
                reason = f"lines from here to cell {last} would become one function"
                refuse(edit.first, reason, "merge these cells, then run tfmigrate again")


PASSES: tuple[Callable[[Conversion], None], ...] = (
    check_alone,
    convert_feature_columns,
    convert_estimators,
    convert_hooks,
    convert_hparams,
    convert_mnist,
    remove_configs,
    convert_strategies,
    convert_earlier_form,
    convert_rest,  # refuses names of TensorFlow 1.x that none of those above replaced or removed
    check_removed,
    check_cells,
)
"""What plans the edits of a program, in this order: each sees what those above left of it."""


def conversion(program: Program) -> Conversion | Refusal | None:
    """Returns the conversion of a program, why there is none, or None without an Estimator."""
    plan = Conversion(as_earlier_form(program))
    if not estimators(plan) and not experiments(plan):
        return None
    try:
        for convert in PASSES:
            convert(plan)
    except Refusal as refusal:
        return refusal
    return plan
