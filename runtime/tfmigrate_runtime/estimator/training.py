"""Training a model: the graph, the hooks and the session that tf.estimator made."""

import contextlib
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import checkpoints, cluster, devices, progress, replicas
from tfmigrate_runtime.estimator.model_graph import ModelGraph
from tfmigrate_runtime.estimator.new_values import NewValues
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.spec import EstimatorSpec
from tfmigrate_runtime.estimator.step_plan import most_steps
from tfmigrate_runtime.estimator.training_loop import TrainingLoop, fused_steps_of
from tfmigrate_runtime.train.peers import PeerWatch, named


def train(
    model: ModelGraph,
    model_dir: str,
    config: RunConfig,
    hooks: Sequence[Any],
    saving_listeners: Sequence[Any],
) -> Any:
    """Runs training steps until a hook or the end of the input stops it.

    Args:
        model: the model, built for training in the default graph.
        model_dir: where checkpoints and events are written.
        config: the RunConfig.
        hooks: the caller's hooks.
        saving_listeners: called around every checkpoint.

    Returns:
        The loss of the last step, None where there was none.

    Raises:
        ValueError: there are saving listeners but no checkpoints.
        tf.train.NanLossDuringTrainingError: the loss became NaN.
    """
    spec = model.of_all
    train_op = tf.group(*[s.train_op for s in model.specs], name="train_op_of_replicas")
    tf.add_to_collection(tf.GraphKeys.LOSSES, model.loss)
    scaffold = spec.scaffold or tf.train.Scaffold()
    _ensure_saver(scaffold, config)
    nan_hook = tf.train.NanTensorHook(model.loss)
    worker_hooks = [*model.input_hooks, *hooks, nan_hook]
    global_step = replicas.read_step_before_increment(model.global_step)
    logged_step = global_step
    # What train_distribute was given in TensorFlow 1.x; towers that became replicas had none.
    was_distributed = config.train_distribute is not None and not config.global_batch
    in_cluster = bool(config.task.cluster)
    if not was_distributed and not in_cluster:
        worker_hooks.insert(0, NewValues())
    if not was_distributed:
        # The line had the step that the increment led to, that of a strategy the one before.
        with tf.control_dependencies([train_op]):
            logged_step = tf.identity(model.global_step_on_one_device.read_value())
    shows_progress = config.log_step_count_steps is not None and progress.is_shown()
    if config.log_step_count_steps is not None and not shows_progress:
        logged = {"loss": model.loss, "step": logged_step}
        worker_hooks.append(
            tf.train.LoggingTensorHook(logged, every_n_iter=config.log_step_count_steps)
        )
    worker_hooks += spec.training_hooks
    chief_hooks: list[Any] = []
    if config.is_chief:
        chief_hooks = [
            *_saver_hooks(spec, worker_hooks, scaffold, model_dir, config, saving_listeners),
            *spec.training_chief_hooks,
        ]
    steps = most_steps([*worker_hooks, *chief_hooks])
    fused = None if in_cluster else fused_steps_of(model, train_op, config, steps)
    loop = TrainingLoop(fused, nan_hook, global_step, shows_progress)
    with contextlib.ExitStack() as stack:
        stack.enter_context(checkpoints.naming_full_disks(model_dir))
        if in_cluster:
            peers = cluster.needed_tasks(config)
            watch = PeerWatch(named(config.task), peers, config.experimental_peer_timeout_secs)
            loop.on_step = stack.enter_context(watch.watching()).step_made
        session = stack.enter_context(
            _session(model_dir, config, scaffold, worker_hooks, chief_hooks)
        )
        loop.run(session, [train_op, model.loss])
    if not loop.any_step_done:
        tf.logging.warning(
            "Training with estimator made no steps. Perhaps input is empty or misspecified."
        )
    return loop.last_loss


def _session(
    model_dir: str,
    config: RunConfig,
    scaffold: Any,
    hooks: Sequence[Any],
    chief_hooks: Sequence[Any],
) -> Any:
    """Returns the session: in a cluster, that of this task's server."""
    session_config = devices.session_config(config.session_config, [config.train_distribute])
    if config.task.cluster:
        session_config = cluster.session_config(config, session_config)
    # Every worker of a synchronous strategy has variables of its own to make or to restore.
    starts = config.is_chief or cluster.is_multi_worker(config.train_distribute)
    return tf.train.MonitoredTrainingSession(
        master=config.master,
        is_chief=starts,
        checkpoint_dir=model_dir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_hooks,
        save_checkpoint_secs=None,
        save_checkpoint_steps=None,  # saving is the affair of a hook
        save_summaries_steps=config.save_summary_steps if config.is_chief else None,
        save_summaries_secs=None,
        config=session_config,
        max_wait_secs=config.session_creation_timeout_secs,
        log_step_count_steps=config.log_step_count_steps if config.is_chief else None,
        save_graph_def=config.checkpoint_save_graph_def,
    )


def summarize_loss(loss: Any) -> None:
    """Adds a summary "loss", unless the model made one."""
    if not any(x.op.name == "loss" for x in tf.get_collection(tf.GraphKeys.SUMMARIES)):
        tf.summary.scalar("loss", loss)


def _ensure_saver(scaffold: Any, config: RunConfig) -> None:
    if scaffold.saver or tf.get_collection(tf.GraphKeys.SAVERS):
        return
    saver = tf.train.Saver(
        sharded=True,
        max_to_keep=config.keep_checkpoint_max,
        keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
        defer_build=True,
        save_relative_paths=True,
    )
    tf.add_to_collection(tf.GraphKeys.SAVERS, saver)


def _saver_hooks(
    spec: EstimatorSpec,
    worker_hooks: Sequence[Any],
    scaffold: Any,
    model_dir: str,
    config: RunConfig,
    listeners: Sequence[Any],
) -> list[Any]:
    """Returns the checkpoint hook to add: none where the caller or the model brought one."""
    brought = [
        hook
        for hook in (*worker_hooks, *spec.training_chief_hooks)
        if isinstance(hook, tf.train.CheckpointSaverHook)
    ]
    if brought:
        replicas.add_saving_listeners(brought[0], listeners)
        return []
    seconds, steps = config.save_checkpoints_secs, config.save_checkpoints_steps
    if not seconds and not steps:
        if listeners:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of "
                "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        return []
    return [
        tf.train.CheckpointSaverHook(
            model_dir,
            save_secs=seconds,
            save_steps=steps,
            scaffold=scaffold,
            listeners=list(listeners),
            save_graph_def=config.checkpoint_save_graph_def,
        )
    ]
