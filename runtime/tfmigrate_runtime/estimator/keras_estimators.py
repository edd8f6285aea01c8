"""An Estimator from a compiled Keras model (``tf.keras.estimator.model_to_estimator``).

It uses what tf.estimator used of Keras. The checkpoints of "checkpoint" format have the keys of
``tf.train.Checkpoint``, from TensorFlow's ``tf.__internal__.tracking.ObjectGraphView``.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any
from unittest import mock

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.keras import (
    backend,
    cloning,
    convert_to_legacy_optimizer,
    optimizer,
    training_utils_v1,
)
from tfmigrate_runtime.estimator.estimator import Estimator
from tfmigrate_runtime.estimator.export import PredictOutput
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.model_graph import new_graph
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.spec import EstimatorSpec

_FOLDER, _CHECKPOINT = "keras", "keras_model.ckpt"
_WEIGHTED = {"features", "sample_weights"}
_FORMATS = (None, "checkpoint", "saver")


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    model_dir: str | os.PathLike[str] | None = None,
    config: RunConfig | None = None,
    checkpoint_format: str | None = None,
    use_v2_estimator: bool = False,
) -> Estimator:
    """Makes an Estimator from a compiled tf.keras model.

    Features are the model's inputs, labels its targets: a tensor, or tensors by the name of the
    input or output. For weighted samples the features are ``{"features": ..., "sample_weights":
    ...}``. Trainable weights that the model has already are the initial ones. With a strategy
    each replica takes its own batch, as in TensorFlow 1.15.

    Args:
        keras_model: the model, compiled.
        keras_model_path: a saved model to load instead.
        custom_objects: own classes and functions of the model, by name.
        model_dir: the folder of checkpoints and events.
        config: the RunConfig.
        checkpoint_format: "saver" for checkpoints by the names of variables; None or "checkpoint"
            for those that ``Model.load_weights`` reads too.
        use_v2_estimator: accepted; the Estimator is the same.

    Raises:
        ValueError: not exactly one of model and path is given, the model is not compiled, the
            format is unknown, or not possible for a subclassed model, or the RunConfig splits
            batches (``global_batch``).
    """
    if keras_model is None and not keras_model_path:
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model is not None and keras_model_path:
        raise ValueError("Please specify either `keras_model` or `keras_model_path`, but not both.")
    if keras_model is None:
        keras_model = tf.keras.models.load_model(keras_model_path, custom_objects)
    if not isinstance(keras_model, tf.keras.Model):
        raise ValueError(
            f"keras_model must be a model of tf.keras (Keras 2), given: {type(keras_model)}. "
            "Import its layers from tensorflow.keras, after tfmigrate_runtime."
        )
    if checkpoint_format not in _FORMATS:
        raise ValueError(
            f'Checkpoint format must be one of "checkpoint" or "saver". Got {checkpoint_format}'
        )
    if not getattr(keras_model, "optimizer", None):
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with "
            "`model.compile()` before calling `model_to_estimator()`."
        )
    if config is not None and config.global_batch:
        raise ValueError("model_to_estimator needs one batch per replica: set global_batch=False")
    by_objects = checkpoint_format != "saver"
    if by_objects and not (
        keras_model._is_graph_network or isinstance(keras_model, tf.keras.Sequential)
    ):
        raise ValueError(
            "Object-based checkpoints are currently not supported with subclassed models: give "
            'checkpoint_format="saver".'
        )
    maker = _Maker(keras_model, custom_objects, by_objects)
    # The Estimator chooses the folder, which the first checkpoint lies in.
    config = Estimator(maker.model_fn, model_dir, config).config
    if not keras_model._is_graph_network:
        if keras_model.built:
            tf.logging.warning(
                "The Estimator does not start from the weights of a subclassed model, but from "
                "new initial values"
            )
        return Estimator(maker.model_fn, config=config)
    start = _first_checkpoint(maker, config)
    return Estimator(maker.model_fn, config=config, warm_start_from=start)


class _Maker:
    """Builds a Keras model again, in a graph of an Estimator."""

    def __init__(self, model: Any, custom_objects: Any, by_objects: bool) -> None:
        """Takes the options; the optimizer's are read where its values can be."""
        self.model, self._custom, self.by_objects = model, custom_objects, by_objects
        if isinstance(model.optimizer, optimizer.Optimizer):
            # Keras 2.11 and later have optimizers of their own for programs that run eagerly.
            model.optimizer = convert_to_legacy_optimizer(model.optimizer)
        self._compile_args = model._get_compile_args()
        try:
            self._options = model.optimizer.get_config()
        except (NotImplementedError, AttributeError):
            self._options = None  # a tf.train optimizer

    def build(self, mode: str, features: Any = None, labels: Any = None) -> Any:
        """Returns the model built on tensors, or on placeholders where there are none."""
        weights = None
        if isinstance(features, dict) and set(features) == _WEIGHTED:
            features, weights = features["features"], features["sample_weights"]
        model = self.model
        backend.set_learning_phase(int(mode == ModeKeys.TRAIN))
        step = None
        if mode != ModeKeys.PREDICT:
            step = tf.train.get_or_create_global_step()
            backend.track_variable(step)
        known = model._is_graph_network  # a subclassed model's inputs are numbered
        model._get_compile_args = lambda: self._compile_args  # those of its class outside of graphs
        # Keras names metrics ("mae" or "mean_absolute_error") by the behaviour that is enabled.
        with mock.patch.object(training_utils_v1.tf.__internal__.tf2, "enabled", lambda: False):
            clone = cloning.clone_and_build_model(
                model,
                _in_order(features, model.input_names if known else None, "input"),
                _in_order(labels, model.output_names if known else None, "output"),
                self._custom,
                compile_clone=mode != ModeKeys.PREDICT,
                in_place_reset=not known,
                optimizer_iterations=step,
                optimizer_config=self._options,
            )
        model.__dict__.pop("_get_compile_args", None)  # another replica may have done so
        if weights is not None and mode != ModeKeys.PREDICT:
            weights = training_utils_v1.standardize_sample_weights(weights, clone.output_names)
            clone._compile_weights_loss_and_weighted_metrics(weights)
        return clone

    def model_fn(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """The model function of the Estimator."""
        model = self.build(mode, features, labels)
        names = model.output_names
        if tf.distribute.has_strategy():
            # Replicas count the names of layers; what they return has the same names.
            names = [re.sub(r"_\d$", "", name) for name in names]
        predictions = dict(zip(names, model.outputs, strict=True))
        loss = train_op = metrics = None
        if mode == ModeKeys.TRAIN:
            model._make_train_function()
            train_op = model.train_function.updates_op
        elif mode == ModeKeys.EVAL:
            model._make_test_function()
        if mode != ModeKeys.PREDICT:
            loss = model.total_loss
            metrics = {metric.name: metric for metric in model._compile_metric_functions}
        if getattr(self.model, "_original_attributes_cache", None) is not None:
            cloning.in_place_subclassed_model_state_restoration(self.model)
        return EstimatorSpec(
            mode,
            predictions,
            loss,
            train_op,
            metrics,
            {"serving_default": PredictOutput(predictions)},
            scaffold=_scaffold(model) if self.by_objects else None,
        )


def _in_order(values: Any, order: Sequence[str] | None, what: str) -> list[Any] | None:
    """Returns tensors in the order of a model's inputs or outputs."""
    if values is None:
        return None
    if isinstance(values, dict):
        order = order or [f"{what}_{number}" for number in range(1, len(values) + 1)]
        if set(values) != set(order):
            raise KeyError(
                f"The names of {what}s differ: the Keras model has {sorted(order)}, the input "
                f"function {sorted(values)}"
            )
        values = [values[name] for name in order]
    if not isinstance(values, (list, tuple)):
        values = [values]
    return [tf.convert_to_tensor_or_sparse_tensor(value) for value in values]


def _scaffold(model: Any) -> Any:
    """Returns a Scaffold whose saver has the keys of tf.train.Checkpoint."""
    model._track_trackable(tf.train.get_global_step(), "estimator_global_step")
    tracked = tf2.__internal__.tracking.ObjectGraphView(model)
    return tf.train.Scaffold(saver=tf.train.Saver(tracked.frozen_saveable_objects(), sharded=True))


def _first_checkpoint(maker: _Maker, config: RunConfig) -> str:
    """Returns the checkpoint of the model's weights; it is made where there is none."""
    folder = os.path.join(str(config.model_dir), _FOLDER)
    if path := tf.train.latest_checkpoint(folder):
        return str(path)
    weights = maker.model.get_weights() if _has_values(maker.model) else None
    tf.gfile.MakeDirs(folder)
    with new_graph(config, None), tf.Session(config=config.session_config) as session:
        tf.train.create_global_step()
        model = maker.build(ModeKeys.TRAIN)
        model._make_train_function()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        if weights:
            for variable, value in zip(model.weights, weights, strict=True):
                variable.load(value, session)
        # With the keys of later ones: an export before any training restores it.
        saver = _scaffold(model).saver if maker.by_objects else tf.train.Saver()
        return str(saver.save(session, os.path.join(folder, _CHECKPOINT)))


def _has_values(model: Any) -> bool:
    """Returns whether a model has weights, that Keras initialised or that were set."""
    return tf.executing_eagerly() or any(
        hasattr(weight, "_keras_initialized") for weight in model.weights
    )
