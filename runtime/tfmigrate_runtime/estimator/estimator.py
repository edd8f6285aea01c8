"""The Estimator: trains, evaluates, predicts and exports with a model function."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import (
    all_modes,
    checkpoints,
    checks,
    cluster,
    evaluation,
    model_function,
    prediction,
    saved_model,
    training,
    warm_start,
)
from tfmigrate_runtime.estimator.input_pipeline import InputFunction
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.model_graph import build_model, new_graph
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.train.passed_on import pass_on


class Estimator:
    """Trains and evaluates an unchanged TensorFlow 1.x model function (``tf.estimator.Estimator``).

    The model function is built in a graph, once for every replica of the RunConfig's strategy, and
    run by a ``tf.train.MonitoredTrainingSession``: checkpoints, event files, hooks and scaffolds
    are those of TensorFlow 1.x.
    """

    _summarizes_loss = True

    def __init__(
        self,
        model_fn: model_function.ModelFunction,
        model_dir: str | os.PathLike[str] | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        """Makes an Estimator; nothing is built yet.

        Args:
            model_fn: takes features and any of labels, mode, params, config; returns an
                EstimatorSpec.
            model_dir: the folder of checkpoints and events. None: the RunConfig's, else a
                temporary one.
            config: the RunConfig, None for the default.
            params: handed to model_fn and input functions, copied.
            warm_start_from: a checkpoint, a folder with one, or WarmStartSettings.

        Raises:
            ValueError: model_fn's parameters are not as they should be, or model_dir is given
                here and in the RunConfig, differently.
        """
        if config is not None and not isinstance(config, RunConfig):
            raise ValueError(
                "config must be an instance of `RunConfig` of tfmigrate_runtime.estimator, "
                f"given: {type(config).__name__}"
            )
        if config is None:
            tf.logging.info("Using default config.")
        checks.check_overrides(type(self), Estimator)
        self._config = checks.with_model_dir(config or RunConfig(), model_dir)
        model_function.check_model_function(model_fn, params, of_towers=self._config.global_batch)
        tf.logging.info("Using config: %r", self._config)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params if params is not None else {})
        self._warm_start = warm_start.settings_of(warm_start_from)

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and event files."""
        return str(self._config.model_dir)

    _model_dir = model_dir  # which programs read, too

    @property
    def config(self) -> RunConfig:
        """The RunConfig, with the model_dir in use."""
        return copy.copy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the params."""
        return copy.deepcopy(self._params)

    # Programs that wrap an Estimator's model function call this private name of TensorFlow 1.15.
    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: RunConfig) -> Any:
        return model_function.call_model_function(
            self._model_fn, features, labels, mode, self.params, config
        )

    @property
    def model_fn(self) -> Callable[..., Any]:
        """A function (features, labels, mode, config) that calls the model function."""
        return self._call_model_fn

    def train(
        self,
        input_fn: InputFunction,
        hooks: Sequence[Any] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> Estimator:
        """Trains the model.

        Args:
            input_fn: returns a Dataset of (features, labels), or the tensors of one batch.
            hooks: SessionRunHooks.
            steps: how many steps, from where the last checkpoint stands. None: no limit.
            max_steps: the global step to stop at; nothing is done if it is reached already.
            saving_listeners: CheckpointSaverListeners.

        Returns:
            This Estimator.

        Raises:
            ValueError: both limits are given, or one is not positive, or this task is not one that
                trains.
            TypeError: a hook or a listener is none.
        """
        checks.check_trains(self._config)
        checks.check_limits(steps, max_steps)
        if max_steps is not None and self._global_step() >= max_steps:
            tf.logging.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = checks.checked_hooks(hooks)
        listeners = checks.checked_hooks(
            saving_listeners,
            tf.train.CheckpointSaverListener,
            "saving_listeners must be a list of CheckpointSaverListener",
        )
        if steps is not None or max_steps is not None:
            all_hooks.append(tf.train.StopAtStepHook(steps, max_steps))
        strategy = self._strategy(ModeKeys.TRAIN)
        cluster.join(self._config)
        checkpoints.choose_whole_checkpoint(self.model_dir)
        with new_graph(self._config, strategy, self._config.device_fn):
            model = build_model(
                self._model_fn, input_fn, ModeKeys.TRAIN, self.params, self._config, strategy
            )
            if self._warm_start is not None:
                warm_start.warm_start(self._warm_start, self.latest_checkpoint(), strategy)
            if self._summarizes_loss:
                training.summarize_loss(model.loss)
            loss = training.train(model, self.model_dir, self._config, all_hooks, listeners)
        tf.logging.info("Loss for final step: %s.", loss)
        return self

    def evaluate(
        self,
        input_fn: InputFunction,
        steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint.

        Args:
            input_fn: as for ``train``.
            steps: how many batches, None for all.
            hooks: SessionRunHooks.
            checkpoint_path: which checkpoint, None for the latest; where there is none, freshly
                initialised weights are evaluated, as tf.estimator did.
            name: names the folder of events, "eval_<name>".

        Returns:
            The metrics by name, with "loss" and "global_step".
        """
        if not (path := checkpoint_path or self.latest_checkpoint()):
            checkpoints.log_untrained(self.model_dir, "evaluate")
        results = self._evaluate_run(input_fn, steps, hooks, path, name)
        if path:
            evaluation.write_path(self.eval_dir(name), results, path)
        return results

    def _evaluate_run(
        self,
        input_fn: InputFunction,
        steps: int | None,
        hooks: Sequence[Any] | None,
        path: str | None,
        name: str | None,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint, whose path no event tells: one in memory has none."""
        all_hooks = checks.checked_hooks(hooks)
        strategy = self._strategy(ModeKeys.EVAL)
        with new_graph(self._config, strategy):
            model = build_model(
                self._model_fn, input_fn, ModeKeys.EVAL, self.params, self._config, strategy
            )
            warm_start.warm_start(self._warm_start, path, strategy)
            return evaluation.evaluate(
                model, steps, path, self._config, all_hooks, self.eval_dir(name)
            )

    def predict(
        self,
        input_fn: InputFunction,
        predict_keys: str | Sequence[str] | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields predictions, in the order of the input.

        Under ``eval_distribute`` consecutive batches of a Dataset go to consecutive replicas.

        Args:
            input_fn: as for ``train``; labels are ignored.
            predict_keys: which predictions, None for all.
            hooks: SessionRunHooks.
            checkpoint_path: which checkpoint, None for the latest.
            yield_single_examples: whether to yield examples, or whole batches.

        Yields:
            A prediction: an array, or arrays by name.
        """
        all_hooks = checks.checked_hooks(hooks)
        if not (path := checkpoint_path or self.latest_checkpoint()):
            checkpoints.log_untrained(self.model_dir, "predict")
        strategy = self._strategy(ModeKeys.PREDICT)
        with new_graph(self._config, strategy):
            model = build_model(
                model_function.without_labels(self._model_fn),
                input_fn,
                ModeKeys.PREDICT,
                self.params,
                self._config,
                strategy,
            )
            warm_start.warm_start(self._warm_start, path, strategy)
            prediction.warn_if_endless()
            prediction.selected(model.of_all.predictions, predict_keys)
            session = prediction.open_session(model, path, self._config, all_hooks)
        yield from prediction.iterate(session, model, predict_keys, yield_single_examples)

    def export_saved_model(
        self,
        export_dir_base: str | bytes | os.PathLike[str],
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
        *,
        strip_default_attrs: bool = True,
    ) -> bytes:
        """Writes a SavedModel into a folder named after the time.

        Args:
            export_dir_base: where that folder is made.
            serving_input_receiver_fn: returns a ServingInputReceiver.
            assets_extra: files to copy, by their path below assets.extra.
            as_text: whether the proto is text.
            checkpoint_path: which checkpoint, None for the latest.
            experimental_mode: the mode whose graph is written; for TRAIN and EVAL the function
                returns what ``experimental.build_raw_supervised_input_receiver_fn`` gives.
            strip_default_attrs: whether attributes with default values are left out.

        Returns:
            The folder, as bytes, as tf.estimator had it.

        Raises:
            ValueError: there is no checkpoint, or no function.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        receivers = {experimental_mode: serving_input_receiver_fn}
        return pass_on(self._write_saved_model, locals(), input_receiver_fn_map=receivers)

    def export_savedmodel(
        self,
        export_dir_base: str | bytes | os.PathLike[str],
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Writes a SavedModel: the name of ``export_saved_model`` until TensorFlow 1.13."""
        return pass_on(self.export_saved_model, locals())

    def experimental_export_all_saved_models(
        self,
        export_dir_base: str | bytes | os.PathLike[str],
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Writes a SavedModel with a graph for each mode, tagged "train", "eval" and "serve".

        Args:
            export_dir_base: where a folder named after the time is made.
            input_receiver_fn_map: functions that return the inputs, by mode: those of
                ``experimental.build_raw_supervised_input_receiver_fn`` for TRAIN and EVAL.
            assets_extra: files to copy, by their path below assets.extra.
            as_text: whether the proto is text.
            checkpoint_path: which checkpoint, None for the latest.

        Returns:
            The folder, as bytes.

        Raises:
            ValueError: there is no checkpoint, no mode, or an unknown one.
        """
        return pass_on(self._write_saved_model, locals(), strip_default_attrs=True)

    def _write_saved_model(
        self,
        export_dir_base: str | bytes | os.PathLike[str],
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        assets_extra: Mapping[str, str] | None,
        as_text: bool,
        checkpoint_path: str | None,
        strip_default_attrs: bool,
    ) -> bytes:
        if not (wanted := set(input_receiver_fn_map)) or wanted - set(saved_model.TAGS):
            raise ValueError(
                f"input_receiver_fn_map has the modes {sorted(wanted)}; allowed are "
                f"{tuple(saved_model.TAGS)}"
            )
        modes = [mode for mode in saved_model.TAGS if mode in wanted]
        latest = checkpoint_path or self.latest_checkpoint()
        checkpoint_path = warm_start.checkpoint_to_export(self._warm_start, latest, self.model_dir)
        config = self._config

        def build(mode: str) -> tuple[Any, dict[str, Any]]:
            receiver = input_receiver_fn_map[mode]()
            tf.train.get_or_create_global_step()
            labels = getattr(receiver, "labels", None)
            spec = self._call_model_fn(receiver.features, labels, mode, config)
            return spec.scaffold, all_modes.signatures_of(mode, spec, receiver)

        return pass_on(saved_model.write, locals())

    def latest_checkpoint(self) -> str | None:
        """Returns the path of the latest checkpoint, None where there is none."""
        return checkpoints.latest_whole_checkpoint(self.model_dir)

    def eval_dir(self, name: str | None = None) -> str:
        """Returns the folder that evaluations of a name write their events to."""
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables in the latest checkpoint.

        Raises:
            ValueError: there is no checkpoint.
        """
        return [name for name, _ in tf.train.list_variables(self._checkpoint())]

    def get_variable_value(self, name: str) -> Any:
        """Returns the array of a variable in the latest checkpoint.

        Raises:
            ValueError: there is no checkpoint.
        """
        return tf.train.load_variable(self._checkpoint(), name)

    def _checkpoint(self) -> str:
        if (path := self.latest_checkpoint()) is None:
            raise ValueError(f"Could not find trained model in model_dir: {self.model_dir}.")
        return path

    def _global_step(self) -> int:
        path = self.latest_checkpoint()
        return int(tf.train.load_variable(path, tf.GraphKeys.GLOBAL_STEP)) if path else 0

    def _strategy(self, mode: str) -> Any:
        """Returns the strategy of a mode, None where there is none."""
        config = self._config
        strategy = config.train_distribute if mode == ModeKeys.TRAIN else config.eval_distribute
        # Other workers neither evaluate nor predict: their parts would be waited for.
        return None if mode != ModeKeys.TRAIN and cluster.is_of_several(strategy) else strategy
