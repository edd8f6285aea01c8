"""Writing a SavedModel of a trained model."""

import os
from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import devices
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.spec import EstimatorSpec


def write(
    spec: EstimatorSpec,
    receiver: Any,
    checkpoint_path: str,
    export_dir: str,
    config: RunConfig,
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    strip_default_attrs: bool,
    signatures: Mapping[str, Any] | None = None,
) -> None:
    """Writes the default graph, restored from a checkpoint, as a SavedModel.

    It is written next to its place and moved there when it is whole.

    Args:
        spec: what the model function returned for PREDICT.
        receiver: the serving input receiver.
        checkpoint_path: the checkpoint to restore.
        export_dir: the folder to make.
        config: the RunConfig.
        assets_extra: files to copy, by their path below assets.extra.
        as_text: whether the proto is text.
        strip_default_attrs: whether attributes with default values are left out.
        signatures: its signatures by name, None for those of the spec's export_outputs.
    """
    partial = os.path.join(os.path.dirname(export_dir), "temp-" + os.path.basename(export_dir))
    scaffold = spec.scaffold or tf.train.Scaffold()
    init_op = scaffold.local_init_op or tf.train.Scaffold.default_local_init_op()
    session_config = devices.session_config(config.session_config, [None])
    with tf.Session(config=session_config) as session:
        saver = scaffold.saver or tf.train.Saver(sharded=True)
        saver.restore(session, checkpoint_path)
        builder = tf.saved_model.Builder(partial)
        builder.add_meta_graph_and_variables(
            session,
            [tf.saved_model.tag_constants.SERVING],
            signature_def_map=signatures_of(spec, receiver) if signatures is None else signatures,
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=init_op,
            saver=saver,
            strip_default_attrs=strip_default_attrs,
        )
        builder.save(as_text)
    publish(partial, export_dir, assets_extra)


def publish(partial: str, export_dir: str, assets_extra: Mapping[str, str] | None) -> None:
    """Adds files to a SavedModel that was written next to its place, and moves it there."""
    for destination, source in (assets_extra or {}).items():
        target = os.path.join(partial, "assets.extra", os.fsdecode(destination))
        tf.gfile.MakeDirs(os.path.dirname(target))
        tf.gfile.Copy(source, target)
    tf.gfile.Rename(partial, export_dir)


def signatures_of(spec: EstimatorSpec, receiver: Any) -> dict[str, Any]:
    """Returns the signatures of a graph that predicts, by name."""
    outputs = spec.export_outputs or {}
    signatures: dict[str, Any] = {}
    for name, output in outputs.items():
        _add_signature(signatures, name, output, receiver.receiver_tensors)
    if not signatures:
        tf.logging.warning(
            "The SavedModel has no signatures, so it cannot be served: set export_outputs."
        )
    for name, tensors in (receiver.receiver_tensors_alternatives or {}).items():
        receivers = tensors if isinstance(tensors, Mapping) else {"input": tensors}
        for output_name, output in outputs.items():
            _add_signature(signatures, f"{name}:{output_name}", output, receivers)
    return signatures


def _add_signature(signatures: dict[str, Any], name: str, output: Any, receivers: Any) -> None:
    """Adds a signature, or says why the SavedModel goes without it, as tf.estimator did."""
    try:
        signatures[name] = output.signature(receivers)
    except ValueError as error:  # classify and regress take nothing but serialized examples
        tf.logging.warning("Signature %s is not in the SavedModel: %s", name, error)
