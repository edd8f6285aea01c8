"""Building one graph of a model function for one device or for all replicas of a strategy."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import moving_averages
from tfmigrate_runtime.estimator import (
    cluster,
    devices,
    input_pipeline,
    keras_models,
    own_optimizers,
    replicas,
    scaffolds,
    slots,
    sparse_updates,
    step_reads,
    variable_parts,
)
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.model_function import (
    ModelFunction,
    call_model_function,
    logged_call,
)
from tfmigrate_runtime.estimator.run_config import RunConfig, is_of_cluster
from tfmigrate_runtime.estimator.spec import EstimatorSpec

_AT_THE_END = {
    ModeKeys.TRAIN: input_pipeline.AtTheEnd.STOP,
    ModeKeys.EVAL: input_pipeline.AtTheEnd.NO_ROWS,
    ModeKeys.PREDICT: input_pipeline.AtTheEnd.REPEAT,
}


@dataclass(frozen=True)
class ModelGraph:
    """A model built for every replica.

    Attributes:
        specs: what the model function returned, by replica.
        loss: scalar float tensor: the losses of the replicas combined; None for PREDICT.
        global_step: the global step variable.
        input_hooks: hooks that start the input.
        of_all: the spec whose hooks and scaffold stand for all replicas.
        present: scalar bool tensors by replica: whether the input had a batch for it; None where
            it always has.
    """

    specs: list[EstimatorSpec]
    loss: Any
    global_step: Any
    input_hooks: list[Any]
    of_all: EstimatorSpec
    present: list[Any] | None = None

    @property
    def global_step_on_one_device(self) -> Any:
        """The first replica's copy of the global step."""
        return getattr(self.global_step, "values", (self.global_step,))[0]


@contextlib.contextmanager
def new_graph(config: RunConfig, strategy: Any, device_fn: Any = None) -> Iterator[Any]:
    """Makes a graph the default one, with the random seed and loss scale of a RunConfig.

    Args:
        config: the RunConfig.
        strategy: what the graph is built under, None for one device.
        device_fn: the device function; only training had the RunConfig's.
    """
    if (reduction := config.loss_reduction) is None and config.global_batch:
        reduction = tf.losses.Reduction.MEAN
    if tf.executing_eagerly() and tf.config.get_soft_device_placement():
        # Else the process goes without it, where TensorFlow's devices are first used in a graph.
        tf.config.set_soft_device_placement(True)
    graph = replicas.ReplicaGraph(reduction, for_train_distribute=not config.global_batch)
    if strategy is not None:
        devices.prepare(strategy)
    # Outermost: whether Keras' classes are of version 2 depends on the graph that is left.
    with (
        keras_models.as_in_version_1(graph),
        graph.as_default(),
        tf.device(_device(strategy, device_fn)),
    ):
        tf.set_random_seed(config.tf_random_seed)
        strategies = (config.train_distribute, config.eval_distribute)
        several = any(replicas.replica_count(each) > 1 for each in strategies)
        variables: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
        if config.global_batch:
            variables = variable_parts.of_towers(strategy)
        elif several:
            variables = replicas.whole_variables()
        with variables:
            yield graph


def _device(strategy: Any, device_fn: Any) -> Any:
    """Returns the device of a graph: that of the only replica, where a strategy has just one."""
    if cluster.has_parameter_servers(strategy):
        return None
    if replicas.replica_count(strategy) == 1 and strategy is not None:
        return strategy.extended.worker_devices[0]
    return device_fn


def build_model(
    model_fn: ModelFunction,
    input_fn: input_pipeline.InputFunction,
    mode: str,
    params: Any,
    config: RunConfig,
    strategy: Any,
) -> ModelGraph:
    """Builds a model in the default graph, once for every replica of a strategy.

    Args:
        model_fn: the model function.
        input_fn: the input function.
        mode: one of ModeKeys. For PREDICT consecutive batches go to consecutive replicas.
        params: what the model function gets as params.
        config: the RunConfig.
        strategy: the strategy, None for one device. One of a single replica counts as none: its
            device is that of the graph.

    Returns:
        The model. Losses of N replicas are combined as semantics.md, 1.4 has it: their sum,
        of which each was scaled by 1/N unless the reduction is SUM.
    """
    count = replicas.replica_count(strategy)
    has_servers = cluster.has_parameter_servers(strategy)
    on_one_device = count == 1 and not has_servers
    # The other way of adding changes which updates of concurrent workers are lost.
    adam = contextlib.nullcontext() if has_servers else sparse_updates.adam_in_one_pass()
    if on_one_device:
        global_step = tf.train.get_or_create_global_step()
        inputs = _inputs(input_fn, mode, params, config, count)
    else:
        with strategy.scope():
            # tf.train.get_global_step() must find it before the replicas look for it.
            global_step = tf.train.get_or_create_global_step()
        # Towers' input was made outside of them (a queue's counter of epochs cannot be mirrored);
        # tf.estimator's knew the strategy.
        with contextlib.nullcontext() if config.global_batch else strategy.scope():
            inputs = _inputs(input_fn, mode, params, config, count, strategy)
    if on_one_device or len(inputs.replicas) < replicas.local_replica_count(strategy):
        features, labels = inputs.replicas[0]
        # Without a strategy, the program did not wrap its optimizer.
        is_tower = config.global_batch and strategy is not None
        own = own_optimizers.reducing_first(True) if is_tower else contextlib.nullcontext()
        with adam, own:
            spec = call_model_function(model_fn, features, labels, mode, params, config)
        step_reads.read_before_increments([spec.train_op], global_step)
        tf.get_default_graph().model_is_built()
        return ModelGraph([spec], spec.loss, global_step, inputs.hooks, spec)
    with strategy.scope(), replicas.loss_scaled_by_optimizers(strategy):

        def replica(index: int) -> EstimatorSpec:
            features, labels = inputs.replicas[index]
            # What replicate_model_fn returned was called once for all towers.
            return call_model_function(
                model_fn, features, labels, mode, params, config, logs=not config.global_batch
            )

        updates = count if config.global_batch else 1
        with (
            logged_call() if config.global_batch else contextlib.nullcontext(),
            moving_averages.moving_averages_of_towers(updates),
            scaffolds.savers_of_all_replicas(),
            _slots(config, strategy),
            own_optimizers.reducing_first(of_towers=config.global_batch),
            adam,
        ):
            specs = replicas.for_each_replica(strategy, replica)
        keras_models.forget_copies(tf.get_default_graph(), strategy)
    step_reads.read_before_increments([spec.train_op for spec in specs], global_step)
    tf.get_default_graph().model_is_built()
    loss = None
    if mode != ModeKeys.PREDICT:
        loss = _combined_loss([spec.loss for spec in specs], mode, config, strategy, inputs.present)
    # Towers handed on the last one's hooks in training, the first one's else (1.19).
    last = config.global_batch and mode == ModeKeys.TRAIN
    of_all = scaffolds.with_scaffold_of_all(_last_spec(specs) if last else specs[0], specs)
    return ModelGraph(specs, loss, global_step, inputs.hooks, of_all, inputs.present)


def _slots(config: RunConfig, strategy: Any) -> contextlib.AbstractContextManager[None]:
    """Lets optimizers name their variables as they did where the program had no strategy."""
    if config.global_batch:
        return slots.slots_of_towers()
    if is_of_cluster(strategy, config):
        return slots.slots_of_scope()
    return contextlib.nullcontext()


def _last_spec(specs: list[EstimatorSpec]) -> EstimatorSpec:
    """Returns the last replica's spec, with what writes summaries from the first replica's.

    Only the first replica makes summaries; in the others ``tf.summary.merge_all()`` is empty.
    """
    first, last = specs[0], specs[-1]
    changes: dict[str, Any] = {}
    for field in ("training_hooks", "training_chief_hooks"):
        pairs = list(zip(getattr(first, field), getattr(last, field), strict=False))
        if len(pairs) == len(getattr(last, field)):
            changes[field] = [
                ours if isinstance(hook, tf.train.SummarySaverHook) else hook
                for ours, hook in pairs
            ]
    if last.scaffold is not None and first.scaffold is not None:
        summary_op = first.scaffold.summary_op
        if summary_op is not None:
            changes["scaffold"] = tf.train.Scaffold(
                summary_op=summary_op, copy_from_scaffold=last.scaffold
            )
    return last._replace(**changes)


def _inputs(
    input_fn: input_pipeline.InputFunction,
    mode: str,
    params: Any,
    config: RunConfig,
    count: int,
    strategy: Any = None,
) -> input_pipeline.Inputs:
    """Calls the input function once; the batch is made, and split, on the CPU."""
    with tf.device("/cpu:0"):
        local = replicas.local_replica_count(strategy)
        first = replicas.first_replica(strategy)
        workers = len(config.task.training_tasks) if mode == ModeKeys.TRAIN else 0
        context = tf.distribute.InputContext(max(1, workers), config.task.number or 0, count)
        result = input_pipeline.call_input_fn(input_fn, mode, params, config, context)
        if mode == ModeKeys.PREDICT and not isinstance(result, tf2.data.Dataset):
            count = 1  # tensors give one batch a step: one device predicts
        if (config.global_batch and mode != ModeKeys.PREDICT) or count == 1:
            # Every worker reads the global batch and takes the rows of its own replicas.
            inputs = input_pipeline.build_inputs(result, count, True)
            return replace(inputs, replicas=inputs.replicas[first : first + local])
        return input_pipeline.build_inputs(result, min(count, local), False, _AT_THE_END[mode])


def _combined_loss(
    losses: list[Any], mode: str, config: RunConfig, strategy: Any, present: list[Any] | None
) -> Any:
    """Returns the sum of the replicas' losses, or their mean where they are scaled by 1/N."""
    if present is not None:
        # The loss of no rows is not a number; the mean is over the batches that are there.
        there = [
            tf.where(p, loss, tf.zeros_like(loss)) for p, loss in zip(present, losses, strict=True)
        ]
        return tf.add_n(there) / tf.cast(
            tf.add_n([tf.cast(p, tf.int32) for p in present]), there[0].dtype
        )
    if config.global_batch:
        mean = config.loss_reduction != tf.losses.Reduction.SUM
    elif mode == ModeKeys.TRAIN:
        mean = replicas.was_loss_scaled(tf.get_default_graph())
    else:
        mean = True
    count = replicas.replica_count(strategy)
    scaled = [loss / float(count) for loss in losses] if mean else losses
    if len(losses) < count:
        return replicas.sum_over_workers(strategy, tf.add_n(scaled))
    # replicate_model_fn called it "loss": hooks find it by that name, and the summary's tag, which
    # has to differ, was "loss_1" (measured on TensorFlow 1.15).
    return tf.add_n(scaled, name="loss" if config.global_batch else "total_loss_of_replicas")
