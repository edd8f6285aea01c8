"""Writing one SavedModel with the graphs of several modes."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import devices, saved_model
from tfmigrate_runtime.estimator.export import PredictOutput
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.spec import EstimatorSpec

# The first of those that are wanted saves the variables: training has the optimizer's too.
_ORDER = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)
_TAGS = {ModeKeys.TRAIN: "train", ModeKeys.EVAL: "eval", ModeKeys.PREDICT: "serve"}
_METHODS = {
    ModeKeys.TRAIN: "tensorflow/supervised/training",
    ModeKeys.EVAL: "tensorflow/supervised/eval",
}


@dataclass(frozen=True)
class SupervisedInputReceiver:
    """The inputs of a graph that trains or evaluates.

    Attributes:
        features: what the model function gets as features.
        labels: what it gets as labels.
        receiver_tensors: the placeholders that are fed, by name.
    """

    features: Any
    labels: Any
    receiver_tensors: Any


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """Returns a function that makes a placeholder for every feature and label.

    Args:
        features: a tensor, or tensors by name: they give dtypes and shapes, batch axis first.
        labels: the same.
        default_batch_size: the size of the batch axis, None for any.

    Raises:
        ValueError: a feature and a label have the same name.
    """
    groups = [
        dict(value) if isinstance(value, Mapping) else {name: value}
        for name, value in (("input", features), ("label", labels))
    ]
    if both := sorted(set(groups[0]) & set(groups[1])):
        raise ValueError(f"features and labels must have different names, both have {both}")

    def placeholders(tensors: Mapping[str, Any]) -> dict[str, Any]:
        by_name = {}
        for name, tensor in tensors.items():
            shape = [default_batch_size, *tensor.shape.as_list()[1:]]
            by_name[name] = tf.placeholder(tensor.dtype, shape, name=name)
        return by_name

    def receiver_fn() -> SupervisedInputReceiver:
        placeholder_groups = [placeholders(tensors) for tensors in groups]
        parts = [
            values if isinstance(value, Mapping) else next(iter(values.values()))
            for value, values in zip((features, labels), placeholder_groups, strict=True)
        ]
        return SupervisedInputReceiver(
            parts[0], parts[1], {**placeholder_groups[0], **placeholder_groups[1]}
        )

    return receiver_fn


def write(
    receivers: Mapping[str, Callable[[], Any]],
    build: Callable[[str, Any], tuple[Any, EstimatorSpec]],
    new_graph: Callable[[], Any],
    checkpoint_path: str,
    export_dir: str,
    config: RunConfig,
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
) -> None:
    """Writes a SavedModel with a graph for every mode, and one set of variables.

    Args:
        receivers: functions that make the inputs, by mode.
        build: calls the model function for a mode and a receiver, in the default graph.
        new_graph: makes a graph the default one.
        checkpoint_path: the checkpoint to restore.
        export_dir: the folder to make.
        config: the RunConfig.
        assets_extra: files to copy, by their path below assets.extra.
        as_text: whether the proto is text.

    Raises:
        ValueError: there is no mode, or an unknown one.
    """
    if not receivers or set(receivers) - set(_ORDER):
        raise ValueError(
            f"input_receiver_fn_map has the modes {sorted(receivers)}; allowed are {_ORDER}"
        )
    partial = os.path.join(os.path.dirname(export_dir), "temp-" + os.path.basename(export_dir))
    builder = tf.saved_model.Builder(partial)
    has_variables = False
    for mode in (mode for mode in _ORDER if mode in receivers):
        with new_graph():
            receiver, spec = build(mode, receivers[mode]())
            scaffold = spec.scaffold or tf.train.Scaffold()
            saver = scaffold.saver or tf.train.Saver(sharded=True)
            options = {
                "signature_def_map": _signatures(mode, spec, receiver),
                "main_op": scaffold.local_init_op or tf.train.Scaffold.default_local_init_op(),
                "saver": saver,
                "strip_default_attrs": True,
                "assets_collection": tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            }
            if has_variables:
                builder.add_meta_graph([_TAGS[mode]], **options)
                continue
            with tf.Session(config=devices.session_config(config.session_config, [])) as session:
                saver.restore(session, checkpoint_path)
                builder.add_meta_graph_and_variables(session, [_TAGS[mode]], **options)
                has_variables = True
    builder.save(as_text)
    saved_model.publish(partial, export_dir, assets_extra)


def _signatures(mode: str, spec: EstimatorSpec, receiver: Any) -> dict[str, Any]:
    if mode == ModeKeys.PREDICT:
        return saved_model.signatures_of(spec, receiver)
    outputs = {"loss": spec.loss}
    predictions = spec.predictions
    if isinstance(predictions, Mapping):
        outputs.update(
            {f"predictions/{n}": value for n, value in PredictOutput(predictions).by_name().items()}
        )
    elif predictions is not None:
        outputs["predictions"] = predictions
    for name, (value, update) in spec.eval_metric_ops.items():
        outputs[f"metrics/{name}/value"] = value
        if isinstance(update, tf.Tensor):
            outputs[f"metrics/{name}/update_op"] = update
    signature = tf.saved_model.build_signature_def(
        {
            name: tf.saved_model.build_tensor_info(t)
            for name, t in receiver.receiver_tensors.items()
        },
        {name: tf.saved_model.build_tensor_info(t) for name, t in outputs.items()},
        _METHODS[mode],
    )
    return {_TAGS[mode]: signature}
