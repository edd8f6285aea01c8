"""An Estimator that passes ``params["batch_size"]`` to its functions."""

import copy
import functools
import math
import os
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.step_plan import until_step_is_done
from tfmigrate_runtime.estimator.tpu.run_config import InputPipelineConfig, RunConfig, iterations_of
from tfmigrate_runtime.estimator.tpu.tpu_spec import TPUEstimatorSpec
from tfmigrate_runtime.train.passed_on import argument_names, pass_on

_RESERVED = ("batch_size", "context")


class TPUEstimator(Estimator):
    """What tf.estimator.tpu.TPUEstimator was with ``use_tpu=False``."""

    def __init__(
        self,
        model_fn: Callable[..., Any],
        model_dir: str | os.PathLike[str] | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = None,
    ) -> None:
        """Makes a TPUEstimator; nothing is built yet.

        Args:
            model_fn: takes params, and what an Estimator's model function may take; returns an
                EstimatorSpec or a TPUEstimatorSpec.
            model_dir: as for an Estimator, and so is warm_start_from.
            config: a RunConfig of this package.
            params: handed to model_fn and input functions, with "batch_size" and "use_tpu".
            use_tpu: False.
            train_batch_size: ``params["batch_size"]`` in training, None for none.
            eval_batch_size: the same in evaluation.
            predict_batch_size: the same in prediction.
            batch_axis: has no effect without TPUs, like eval_on_tpu.
            eval_on_tpu: see batch_axis.
            export_to_tpu: SavedModels for TPUs are not written: a warning says so.
            export_to_cpu: whether exports have the graph for CPUs and GPUs.
            warm_start_from: a checkpoint, a folder with one, or WarmStartSettings.
            embedding_config_spec: None.
            export_saved_model_api_version: has no effect without TPUs.

        Raises:
            NotImplementedError: it is to train on TPUs.
            ValueError: an argument is not as it should be.
        """
        if use_tpu or embedding_config_spec is not None:
            raise NotImplementedError(
                "TPUEstimator(use_tpu=True): tfmigrate_runtime trains on CPUs and GPUs; pass "
                "use_tpu=False, or write the program for tf.distribute.TPUStrategy"
            )
        if not isinstance(config, RunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")
        if params is not None and any(key in params for key in _RESERVED):
            raise ValueError(f"{list(_RESERVED)} are reserved keys but existed in params {params}.")
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        self._log_every_steps = config.log_step_count_steps
        self._export_to_cpu, self._export_to_tpu = export_to_cpu, export_to_tpu
        self._exporting = False
        if "params" not in argument_names(model_fn):
            raise ValueError(
                f"model_fn ({model_fn}) does not include params argument, required by "
                "TPUEstimator to pass batch size as params['batch_size']"
            )
        super().__init__(
            self._model_function(model_fn),
            model_dir,
            # The hook below logs instead of the Estimator's.
            config.replace(log_step_count_steps=None),
            params or {},
            warm_start_from,
        )

    def train(self, input_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Estimator:
        """Trains the model, as ``Estimator.train``; input_fn must take params."""
        return super().train(self._input_function(input_fn), *args, **kwargs)

    def evaluate(self, input_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Evaluates a checkpoint, as ``Estimator.evaluate``; input_fn must take params."""
        return super().evaluate(self._input_function(input_fn), *args, **kwargs)

    def predict(self, input_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Yields predictions, as ``Estimator.predict``; input_fn must take params."""
        yield from super().predict(self._input_function(input_fn), *args, **kwargs)

    @functools.wraps(Estimator._write_saved_model)
    def _write_saved_model(self, **arguments: Any) -> bytes:  # type: ignore[override]
        if not self._export_to_cpu:
            raise NotImplementedError(
                "TPUEstimator(export_to_cpu=False): SavedModels for TPUs are not written"
            )
        if self._export_to_tpu:
            tf.logging.warning("The SavedModel has no graph for TPUs (export_to_tpu=True).")
        with mock.patch.object(self, "_exporting", True):
            return super()._write_saved_model(**arguments)

    def _input_function(self, input_fn: Callable[..., Any]) -> Callable[..., Any]:
        if "params" not in argument_names(input_fn):
            raise ValueError(
                f"input_fn ({input_fn}) does not include params argument, required by "
                'TPUEstimator to pass batch size as params["batch_size"]'
            )

        def with_batch_size(mode: str, params: Any, config: RunConfig) -> Any:
            if config.tpu_config.eval_training_input_configuration == InputPipelineConfig.SLICED:
                raise ValueError(
                    "Invalid TPUConfig `eval_training_input_configuration` value. SLICED mode "
                    "only works on use_tpu = True."
                )
            params = self._with_batch_size(params, mode)
            return pass_on(input_fn, {"mode": mode, "params": params, "config": config})

        return with_batch_size

    def _model_function(self, model_fn: Callable[..., Any]) -> Callable[..., Any]:
        names = argument_names(model_fn)

        def with_batch_size(
            features: Any, labels: Any, mode: str, params: Any, config: RunConfig
        ) -> Any:
            params = _with(copy.deepcopy(params), "use_tpu", False)
            if not self._exporting:
                params = self._with_batch_size(params, mode)
            offered = {"labels": labels, "mode": mode, "params": params, "config": config}
            if "labels" not in names and labels is not None:
                raise ValueError("model_fn does not take labels, but input_fn returns labels.")
            tf.logging.info("Running %s on CPU", mode)
            spec = pass_on(model_fn, offered, features=features)
            if isinstance(spec, TPUEstimatorSpec):
                spec = spec.as_estimator_spec()
            return spec._replace(training_hooks=spec.training_hooks + self._log_hooks(mode))

        return with_batch_size

    def _with_batch_size(self, params: Any, mode: str) -> Any:
        size = self._batch_sizes[mode]
        return params if size is None else _with(copy.deepcopy(params), "batch_size", size)

    def _log_hooks(self, mode: str) -> tuple[Any, ...]:
        """Returns the hook that logs the speed of training."""
        config = self._config
        assert isinstance(config, RunConfig)
        number, is_seconds = iterations_of(config.tpu_config.iterations_per_loop)
        size = self._batch_sizes[ModeKeys.TRAIN]
        if mode != ModeKeys.TRAIN or not (is_seconds or self._log_every_steps) or size is None:
            return ()
        folder = self.model_dir if config.save_summary_steps else None
        if is_seconds:
            return (_ExamplesPerSecondHook(size, None, number, folder),)
        # TPUs were asked once a loop; the steps between two lines are fewer without them, too.
        steps = math.ceil(self._log_every_steps / number)
        return (_ExamplesPerSecondHook(size, steps, None, folder),)


class _ExamplesPerSecondHook(tf.train.StepCounterHook):  # type: ignore[misc]
    """Logs steps and examples a second."""

    def __init__(
        self, batch_size: int, steps: int | None, seconds: int | None, folder: str | None
    ) -> None:
        super().__init__(steps, seconds, folder)
        self._batch_size = batch_size

    def steps_without_me(self, global_step: int) -> int:
        """Returns how many steps need not be seen, as for any StepCounterHook."""
        return until_step_is_done(self, global_step)

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        steps = elapsed_steps / elapsed_time
        examples = self._batch_size * steps
        if self._summary_writer is not None:
            for tag, value in (("global_step/sec", steps), ("examples/sec", examples)):
                summary = tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])
                self._summary_writer.add_summary(summary, global_step)
        tf.logging.info("global_step/sec: %g", steps)
        tf.logging.info("examples/sec: %g", examples)


def _with(params: Any, key: str, value: Any) -> Any:
    """Returns params, a dict or an HParams, with one value more."""
    if not hasattr(params, "set_hparam"):
        params[key] = value
    elif key in params:
        params.set_hparam(key, value)
    else:
        params.add_hparam(key, value)
    return params
