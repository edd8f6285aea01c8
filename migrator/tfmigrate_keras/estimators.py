"""The arguments of an Estimator, and the model function that it has.

Estimators and Experiments are made of the same arguments, and read here for both.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.estimator_classes import is_estimator
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, check_stars, refuse, resolved
from tfmigrate_keras.losses import FoundLoss
from tfmigrate_keras.metric_specs import MetricSpec, call_of
from tfmigrate_keras.model_builder import ModelBuilder
from tfmigrate_keras.model_function import ModelFunction, read_model_function
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.run_config import RunConfig
from tfmigrate_keras.steady import check_model_code
from tfmigrate_keras.strategies import Replication, replication_of
from tfmigrate_keras.tensors import source

LEARN = "tensorflow.contrib.learn.Estimator"


@dataclass(frozen=True)
class Estimator:
    """An Estimator whose model function is converted.

    Attributes:
        module: its file.
        call: the call that makes it.
        arguments: its arguments by name; None for those that are not given.
        replication: its model function, and what replicates it.
        model: the model function.
        loss: its loss.
    """

    module: Module
    call: ast.Call
    arguments: dict[str, ast.expr | None]
    replication: Replication
    model: ModelFunction
    loss: FoundLoss


def is_model(module: Module, call: ast.Call) -> bool:
    """Returns whether a call builds an Estimator, of tf.estimator or of tf.contrib.learn."""
    return is_estimator(module, call) or resolved(module, call.func) == LEARN


def read_estimator(
    plan: Conversion,
    module: Module,
    call: ast.Call,
    config: RunConfig,
    exported: bool | None = None,
    metrics: Sequence[MetricSpec] = (),
) -> Estimator:
    """Returns an Estimator, and plans the edits of its model function.

    Args:
        call: the call that makes the Estimator.
        config: its RunConfig.
        exported: whether the program exports its predictions; None where it does not use them.
        metrics: those that an Experiment adds.

    Raises:
        Refusal: something of it has no successor in Keras.
    """
    check_stars(call, "the Estimator")
    arguments = {
        name: argument(call, position, name)
        for position, name in enumerate(("model_fn", "model_dir", "config", "params"))
    }
    for name in ("warm_start_from", "feature_engineering_fn"):
        if argument(call, 4, name) is not None:
            refuse(call, f"`{name}` of the Estimator")
    if arguments["model_fn"] is None:
        refuse(call, "the Estimator has no `model_fn`")
    replication = replication_of(plan, module, arguments["model_fn"], config)
    model_definition = definition(plan, module, source(module, replication.model_fn))
    if model_definition is None:
        refuse(replication.model_fn, "cannot find the model function")
    if model_definition[1] in plan.model_code:
        refuse(call, "several Estimators have the same model function")
    plan.penalty_in_one_replica = replication.per_replica
    model = read_model_function(plan, *model_definition)
    calls = [(spec.name, call_of(plan, module, model, spec)) for spec in metrics]
    loss = ModelBuilder(plan, model, replication, exported, calls).loss
    replication.check(loss.summed, call)
    check_model_code(plan, (module, call))
    return Estimator(module, call, arguments, replication, model, loss)
