"""The Estimator of contrib.learn without a model: it trains, evaluates and predicts."""

# A model_dir may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118

import copy
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import estimator as core_estimator
from tfmigrate_runtime.compat.shim_ops import evaluation, training_util
from tfmigrate_runtime.contrib.of_learn.calls import Calls
from tfmigrate_runtime.tf1_shim.contrib.learn import array_input
from tfmigrate_runtime.tf1_shim.contrib.learn.interfaces import Parameters
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModelFnOps
from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.hooks import replace_monitors_with_hooks
from tfmigrate_runtime.tf1_shim.contrib.learn.run_config import RunConfig
from tfmigrate_runtime.tf1_shim.contrib.learn.sk_compat import SKCompat

_STEPS_BETWEEN_LOGS = 100
_OPS_ON_PARAMETER_SERVERS = [
    "Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2",
    "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable",
    "MutableDenseHashTableV2", "VarHandleOp",
]  # fmt: skip


class BaseEstimator(Parameters, Calls):
    """Trains, evaluates and predicts with the model that a subclass builds."""

    _of_arrays = staticmethod(array_input.input_and_feed)
    _sk_compat = SKCompat

    def __init__(self, model_dir: str | None = None, config: RunConfig | None = None) -> None:
        """Takes the folder of checkpoints and how to run.

        Args:
            model_dir: by default config's, else a temporary folder.
            config: contrib.learn's RunConfig, or another with its properties.

        Raises:
            ValueError: config has another model_dir.
        """
        self._config: Any = RunConfig() if config is None else config
        self._session_config = self._config.session_config
        if self._session_config is None:
            self._session_config = tf.ConfigProto(allow_soft_placement=True)
        config_dir = self._config.model_dir
        if model_dir is not None and config_dir is not None and model_dir != config_dir:
            raise ValueError(
                "model_dir are set both in constructor and RunConfig, but with different values. "
                f"In constructor: '{model_dir}', in RunConfig: '{config_dir}' "
            )
        self._model_dir = model_dir or config_dir
        if self._model_dir is None:
            self._model_dir = tempfile.mkdtemp()
            tf.logging.warning("Using temporary folder as model directory: %s", self._model_dir)
        if config_dir is None:
            self._config = self._config.replace(model_dir=self._model_dir)
        tf.logging.info("Using config: %s", str(vars(self._config)))
        self._device_fn = _device_setter(self._config)

    @property
    def config(self) -> Any:
        """A copy of the RunConfig."""
        return copy.deepcopy(self._config)

    @property
    def model_dir(self) -> Any:
        """The folder of checkpoints."""
        return self._model_dir

    def _evaluate(
        self,
        path: str,
        input_fn: Callable[[], Any],
        feed_fn: Any,
        steps: int | None,
        metrics: Any,
        name: str | None,
        hooks: list[Any],
        log_progress: bool,
    ) -> dict[str, Any]:
        with tf.Graph().as_default() as graph:
            tf.random.set_random_seed(self._config.tf_random_seed)
            global_step = tf.train.create_global_step(graph)
            features, labels = input_fn()
            self._check_signatures(features, labels)
            model = self._get_eval_ops(features, labels, metrics)
            if feed_fn:
                hooks.append(tf.train.FeedFnHook(feed_fn))
            if steps:
                hooks.append(evaluation._StopAfterNEvalsHook(steps, log_progress=log_progress))
            update, values = _update_and_values(model.eval_metric_ops)
            step_key = "global_step"
            while step_key in values:
                step_key = f"_{step_key}"
            values[step_key] = global_step
            results: dict[str, Any] = evaluation._evaluate_once(
                checkpoint_path=path,
                master=self._config.evaluation_master,
                scaffold=model.scaffold,
                eval_ops=update,
                final_ops=values,
                hooks=hooks,
                config=self._session_config,
            )
        folder = os.path.join(self._model_dir, f"eval_{name}" if name else "eval")
        core_estimator._write_dict_to_summary(folder, results, results[step_key])
        results["global_step"] = results[step_key]
        return results

    def get_variable_value(self, name: str) -> Any:
        """Returns a variable's value in the latest checkpoint."""
        return tf.train.load_variable(self._model_dir, name)

    def get_variable_names(self) -> list[str]:
        """Returns the names of the latest checkpoint's variables."""
        return [name for name, _ in tf.train.list_variables(self._model_dir)]

    def _get_train_ops(self, features: Any, labels: Any) -> ModelFnOps:
        raise NotImplementedError("_get_train_ops not implemented in BaseEstimator")

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> ModelFnOps:
        raise NotImplementedError("_get_eval_ops not implemented in BaseEstimator")

    def _get_predict_ops(self, features: Any) -> ModelFnOps:
        raise NotImplementedError("_get_predict_ops not implemented in BaseEstimator")

    def _train(
        self, input_fn: Any, monitors: Any, steps: int | None, max_steps: int | None
    ) -> None:
        """Trains until a hook stops it or the input ends."""
        hooks = replace_monitors_with_hooks(monitors, self)
        if steps is not None or max_steps is not None:
            hooks.append(tf.train.StopAtStepHook(steps, max_steps))
        with tf.Graph().as_default() as graph, graph.device(self._device_fn):
            tf.random.set_random_seed(self._config.tf_random_seed)
            global_step = tf.train.create_global_step(graph)
            features, labels = input_fn()
            self._check_signatures(features, labels)
            training_util._get_or_create_global_step_read()
            model = self._get_train_ops(features, labels)
            tf.add_to_collection(tf.GraphKeys.LOSSES, model.loss)
            logged = {"loss": model.loss, "step": global_step}
            own_hooks = [
                tf.train.NanTensorHook(model.loss),
                tf.train.LoggingTensorHook(logged, every_n_iter=_STEPS_BETWEEN_LOGS),
            ]
            scaffold = model.scaffold or tf.train.Scaffold()
            self._add_saver(scaffold)
            all_hooks = [*hooks, *own_hooks, *model.training_hooks]
            chief_hooks = self._checkpoint_hooks(scaffold, all_hooks + model.training_chief_hooks)
            with tf.train.MonitoredTrainingSession(
                master=self._config.master,
                is_chief=self._config.is_chief,
                checkpoint_dir=self._model_dir,
                scaffold=scaffold,
                hooks=all_hooks,
                chief_only_hooks=chief_hooks + model.training_chief_hooks,
                save_checkpoint_secs=0,  # its own hook would be a second one
                save_summaries_steps=self._config.save_summary_steps,
                max_wait_secs=self._config.session_creation_timeout_secs,
                config=self._session_config,
            ) as session:
                loss = None
                while not session.should_stop():
                    _, loss = session.run([model.train_op, model.loss])
        tf.logging.info("Loss for final step: %s.", loss)

    def _add_saver(self, scaffold: Any) -> None:
        if scaffold.saver or tf.get_collection(tf.GraphKeys.SAVERS):
            return
        saver = tf.train.Saver(
            sharded=True,
            max_to_keep=self._config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=self._config.keep_checkpoint_every_n_hours,
            defer_build=True,
            save_relative_paths=True,
        )
        tf.add_to_collection(tf.GraphKeys.SAVERS, saver)

    def _checkpoint_hooks(self, scaffold: Any, others: list[Any]) -> list[Any]:
        """Returns the hook that saves checkpoints, unless another one does or none is wanted."""
        seconds, steps = self._config.save_checkpoints_secs, self._config.save_checkpoints_steps
        saves = any(isinstance(hook, tf.train.CheckpointSaverHook) for hook in others)
        if saves or not (seconds or steps):
            return []
        return [
            tf.train.CheckpointSaverHook(
                self._model_dir, save_secs=seconds, save_steps=steps, scaffold=scaffold
            )
        ]

    def _infer(
        self,
        input_fn: Any,
        feed_fn: Any,
        outputs: Sequence[str] | None,
        as_iterable: bool,
        iterate_batches: bool,
    ) -> Any:
        """Predicts; an iterator ends after one batch of what is neither fed nor from queues."""
        path = self._fitted_checkpoint()
        with tf.Graph().as_default() as graph:
            tf.random.set_random_seed(self._config.tf_random_seed)
            tf.train.create_global_step(graph)
            result = input_fn()
            features = result[0] if isinstance(result, (list, tuple)) else result
            model = self._get_predict_ops(features)
            predictions = _chosen(model.predictions, outputs)
            creator = tf.train.ChiefSessionCreator(
                checkpoint_filename_with_path=path,
                scaffold=model.scaffold,
                config=self._session_config,
            )
            session = tf.train.MonitoredSession(session_creator=creator)
            if as_iterable:
                return _batches(session, predictions, feed_fn, iterate_batches)
            with session:
                return session.run(predictions, feed_fn() if feed_fn else None)


def _batches(session: Any, predictions: Any, feed_fn: Any, iterate_batches: bool) -> Iterator[Any]:
    """Yields predictions, and closes the session at the end."""
    with session:
        is_constant = not feed_fn and not session.graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        while not session.should_stop():
            batch = session.run(predictions, feed_fn() if feed_fn else None)
            if iterate_batches:
                yield batch
            elif not isinstance(batch, dict):
                yield from batch
            else:
                first = next(iter(batch.values()))
                is_sparse = isinstance(first, tf.SparseTensorValue)
                for row in range((first.dense_shape if is_sparse else first.shape)[0]):
                    yield {name: value[row] for name, value in batch.items()}
            if is_constant:
                return


def _device_setter(config: Any) -> Any:
    if config.num_ps_replicas <= 0:
        return None
    task = f"/job:{config.task_type}/task:{config.task_id}"
    return tf.train.replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=task if config.task_type else "/job:worker",
        merge_devices=True,
        ps_ops=_OPS_ON_PARAMETER_SERVERS,
        cluster=config.cluster_spec,
    )


def _update_and_values(metrics: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Returns one op for all updates, None without any, and the values by name."""
    updates, values = [], {}
    for name, metric in metrics.items():
        values[name] = metric
        if isinstance(metric, (list, tuple)):
            if len(metric) == 2:
                values[name], update = metric
                updates.append(update)
            else:
                tf.logging.warning(
                    "Ignoring metric %s. It returned a list|tuple with len %s, expected 2",
                    name,
                    len(metric),
                )
    return (tf.group(*updates) if updates else None), values


def _chosen(predictions: Any, outputs: Sequence[str] | None) -> Any:
    if not outputs:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("outputs argument is not valid in case of non-dict predictions.")
    chosen = {name: value for name, value in predictions.items() if name in outputs}
    if not chosen:
        raise ValueError(
            f"Expected to run at least one output from {predictions.keys()}, provided {outputs}."
        )
    return chosen
