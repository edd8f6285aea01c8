"""Building one graph of a model function for one device or for all replicas of a strategy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import replicas
from tfmigrate_runtime.estimator.input_pipeline import InputFunction, build_inputs, call_input_fn
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.model_function import ModelFunction, call_model_function
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.spec import EstimatorSpec


@dataclass(frozen=True)
class ModelGraph:
    """A model built for every replica.

    Attributes:
        specs: what the model function returned, by replica.
        loss: scalar float tensor: the losses of the replicas combined; None for PREDICT.
        global_step: the global step variable.
        input_hooks: hooks that start the input.
        of_all: the spec whose hooks and scaffold stand for all replicas.
    """

    specs: list[EstimatorSpec]
    loss: Any
    global_step: Any
    input_hooks: list[Any]
    of_all: EstimatorSpec


@contextlib.contextmanager
def new_graph(config: RunConfig, strategy: Any) -> Iterator[Any]:
    """Makes a graph the default one, with the random seed and loss scale of a RunConfig."""
    reduction = config.loss_reduction
    if reduction is None and config.global_batch:
        reduction = tf.losses.Reduction.MEAN
    graph = replicas.ReplicaGraph(reduction)
    if strategy is not None:
        replicas.prepare(strategy)
    with graph.as_default(), tf.device(config.device_fn):
        tf.set_random_seed(config.tf_random_seed)
        yield graph


def build_model(
    model_fn: ModelFunction,
    input_fn: InputFunction,
    mode: str,
    params: Any,
    config: RunConfig,
    strategy: Any,
) -> ModelGraph:
    """Builds a model in the default graph, once for every replica of a strategy.

    Args:
        model_fn: the model function.
        input_fn: the input function.
        mode: TRAIN or EVAL, or PREDICT without a strategy.
        params: what the model function gets as params.
        config: the RunConfig.
        strategy: the strategy, None for one device.

    Returns:
        The model. Losses of N replicas are combined as docs/semantics.md, 1.4 has it: their sum,
        of which each was scaled by 1/N unless the reduction is SUM.
    """
    if strategy is None:
        global_step = tf.train.get_or_create_global_step()
        inputs = build_inputs(call_input_fn(input_fn, mode, params, config), 1, True)
        features, labels = inputs.replicas[0]
        spec = call_model_function(model_fn, features, labels, mode, params, config)
        tf.get_default_graph().model_is_built()
        return ModelGraph([spec], spec.loss, global_step, inputs.hooks, spec)
    count = replicas.replica_count(strategy)
    with strategy.scope():
        # tf.train.get_global_step() must find it before the replicas look for it.
        global_step = tf.train.get_or_create_global_step()
    # Towers' input was made outside of them; tf.estimator's knew the strategy.
    with contextlib.nullcontext() if config.global_batch else strategy.scope():
        result = call_input_fn(input_fn, mode, params, config)
    with strategy.scope(), replicas.loss_scaled_by_optimizers(strategy):
        inputs = build_inputs(result, count, config.global_batch)

        def replica(index: int) -> EstimatorSpec:
            features, labels = inputs.replicas[index]
            return call_model_function(model_fn, features, labels, mode, params, config)

        updates = count if config.global_batch else 1
        with replicas.moving_averages_of_towers(updates):
            specs = replicas.for_each_replica(strategy, replica)
    tf.get_default_graph().model_is_built()
    loss = _combined_loss([spec.loss for spec in specs], mode, config)
    # Towers handed on the last one's hooks in training, the first one's else (1.19).
    last = config.global_batch and mode == ModeKeys.TRAIN
    return ModelGraph(specs, loss, global_step, inputs.hooks, specs[-1 if last else 0])


def _combined_loss(losses: list[Any], mode: str, config: RunConfig) -> Any:
    """Returns the sum of the replicas' losses, or their mean where they are scaled by 1/N."""
    if config.global_batch:
        mean = config.loss_reduction != tf.losses.Reduction.SUM
    elif mode == ModeKeys.TRAIN:
        mean = replicas.was_loss_scaled(tf.get_default_graph())
    else:
        mean = True
    if len(losses) == 1:
        return losses[0]
    scaled = [loss / float(len(losses)) for loss in losses] if mean else losses
    return tf.add_n(scaled, name="total_loss_of_replicas")
