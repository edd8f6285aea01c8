"""Whether a program can become a Keras 3 model, and the edits that make it one."""

import ast
import math

from tfmigrate.model.edits import StatementsToFunction
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.program import Program
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.driver import convert_estimator, estimators
from tfmigrate_keras.earlier_form import as_earlier_form, convert_earlier_form
from tfmigrate_keras.experiments import EXPERIMENT, convert_experiments
from tfmigrate_keras.feature_columns import convert_feature_columns
from tfmigrate_keras.hparams import convert_hparams
from tfmigrate_keras.mnist_arrays import convert_mnist
from tfmigrate_keras.own_hooks import convert_hooks
from tfmigrate_keras.rest import convert_rest
from tfmigrate_keras.run_config import remove_configs
from tfmigrate_keras.strategies import convert_strategies
from tfmigrate_keras.unused import check_removed


def _check_alone(program: Program) -> None:
    """Refuses a program that sets up the tasks of a cluster: each would train a model alone."""
    for module in program.modules:
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


def conversion(program: Program) -> Conversion | Refusal | None:
    """Returns the conversion of a program, why there is none, or None without an Estimator."""
    plan = Conversion(as_earlier_form(program))
    program = plan.program
    estimator_calls = estimators(plan)
    experiments = any(module.calls_of(EXPERIMENT) for module in program.modules)
    if not estimator_calls and not experiments:
        return None
    try:
        _check_alone(program)
        convert_feature_columns(plan)
        of_experiments = convert_experiments(plan) if experiments else set()
        # Those of Experiments are made by the Experiment's own conversion.
        for module, call in estimator_calls:
            if call not in of_experiments:
                convert_estimator(plan, module, call)
        convert_hooks(plan)
        convert_hparams(plan)
        convert_mnist(plan)
        for module in program.modules:
            remove_configs(plan, module)
        convert_strategies(plan)
        convert_earlier_form(plan)
        # Last: a name of TensorFlow 1.x that nothing has replaced or removed by now is refused.
        convert_rest(plan)
        check_removed(plan)
        check_cells(plan)
    except Refusal as refusal:
        return refusal
    return plan


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
