"""Experiments as calls of tf.estimator's own Estimators, for TensorFlow 1.15 to 2.15.

tf.estimator.train_and_evaluate evaluates other checkpoints than an Experiment did
(semantics.md, section 2), so a function that makes the Experiment's calls is
added to the program.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.experiment.experiments import Plan
from tfmigrate.model.edits import Code, Edit, ReplaceExpression, ReplaceStatement
from tfmigrate.resolve.module import Module, Use
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.added_definition import added_definition, written_out
from tfmigrate.rulekit.standard_imports import standard_import, standard_name
from tfmigrate.rulekit.tensorflow_import import import_of_definition
from tfmigrate.tables.runtime_api import LEARN

_NAMES = ("run_experiment", "run_experiment_once", "tfmigrate_run_experiment")
_TRAIN = {"train_input_fn": "input_fn", "train_steps": "max_steps", "train_monitors": "hooks"}
_EVALUATE = {"eval_input_fn": "input_fn", "eval_steps": "steps", "eval_hooks": "hooks"}
# The arguments that tf.contrib.learn's RunConfig and tf.estimator's have in common.
_NOT_OF_ESTIMATOR = ("environment", "get_task_id")
_OF_RUN_CONFIG = (
    "keep_checkpoint_every_n_hours", "keep_checkpoint_max", "log_step_count_steps", "model_dir",
    "save_checkpoints_secs", "save_checkpoints_steps", "save_summary_steps", "session_config",
    "tf_random_seed",
)  # fmt: skip


def can_be_calls(plan: Plan) -> bool:
    """Returns whether tf.estimator's Estimators support all arguments of an Experiment."""
    none = [name for name in ("export_strategies", "saving_listeners") if name in plan.arguments]
    return all(is_none(plan.arguments[name]) for name in none)


def experiment_edits(module: Module, plan: Plan) -> Iterator[Edit]:
    """Yields the edits that make an Experiment into calls of its Estimator."""
    name = module.names.free_name(*_NAMES)
    plan_arguments = plan.arguments
    parts: list[ast.expr] = [plan_arguments["estimator"]]
    train = _dict(plan_arguments, _TRAIN, parts, {})
    # An Experiment evaluates 100 batches by default; None means all of them.
    values = ["{0}", train, _dict(plan_arguments, _EVALUATE, parts, {"steps": "100"})]
    if "min_eval_frequency" in plan_arguments or "check_interval_secs" in plan_arguments:
        values.append(_place(plan_arguments, "min_eval_frequency", parts, "None"))
    if "check_interval_secs" in plan_arguments:
        values.append(_place(plan_arguments, "check_interval_secs", parts, "5"))
    line = ",\n    "
    values_text = f"(\n    {line.join(values)})"
    if isinstance(plan.statement, ast.Return):
        yield ReplaceStatement(plan.statement, (Code(f"return {values_text}", tuple(parts)),))
    else:
        (target,) = plan.statement.targets
        assert isinstance(target, ast.Name)
        code = Code(f"{target.id} = {values_text}", tuple(parts))
        yield ReplaceStatement(plan.statement, (code,))
        for call in plan.methods:
            yield ReplaceExpression(call, Code(f"{name}(*{target.id})"))
    yield from (ReplaceExpression(runner.call, runner.passed_to(name)) for runner in plan.runners)
    time = standard_name(module, "time")
    tf, line, edits = import_of_definition(module)
    yield added_definition(
        module, written_out("run_experiment", name=name, tf=tf, time=time, imports=line)
    )
    yield from standard_import(module, "time")
    yield from edits


def run_configs(module: Module) -> list[Use]:
    """Returns the uses of tf.contrib.learn's RunConfig that tf.estimator's can replace."""
    config_uses: list[Use] = []
    reads_cluster = any(node.attr in _NOT_OF_ESTIMATOR for node in module.all(ast.Attribute))
    if reads_cluster or any(node.value == "TF_CONFIG" for node in module.all(ast.Constant)):
        return config_uses  # tf.estimator's RunConfig lacks these, or reads TF_CONFIG differently
    for use in module.uses_of(f"{LEARN.source}.RunConfig"):
        call = module.call_of(use.node)
        if call and not call.args and all(k.arg in _OF_RUN_CONFIG for k in call.keywords):
            config_uses.append(use)
    return config_uses


def _dict(
    arguments: dict[str, ast.expr],
    names: dict[str, str],
    parts: list[ast.expr],
    defaults: dict[str, str],
) -> str:
    """Returns a ``dict(...)`` of the arguments, and adds their nodes to the parts."""
    texts = []
    for old, new in names.items():
        if old in arguments:
            texts.append(f"{new}={_place(arguments, old, parts, '')}")
        elif new in defaults:
            texts.append(f"{new}={defaults[new]}")
    return f"dict({', '.join(texts)})"


def _place(arguments: dict[str, ast.expr], name: str, parts: list[ast.expr], default: str) -> str:
    if name not in arguments:
        return default
    parts.append(arguments[name])
    return f"{{{len(parts) - 1}}}"
