"""Writing a SavedModel of a trained model."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import devices
from tfmigrate_runtime.estimator.mode_keys import ModeKeys
from tfmigrate_runtime.estimator.model_graph import new_graph
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.spec import EstimatorSpec
from tfmigrate_runtime.train.export_folders import get_timestamped_export_dir

# Training has the optimizer's variables too: its graph comes first.
TAGS = {ModeKeys.TRAIN: "train", ModeKeys.EVAL: "eval", ModeKeys.PREDICT: "serve"}


def write(
    modes: Iterable[str],
    build: Callable[[str], tuple[Any, Mapping[str, Any]]],
    checkpoint_path: str,
    export_dir_base: str | bytes | os.PathLike[str],
    config: RunConfig,
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    strip_default_attrs: bool,
) -> bytes:
    """Writes a SavedModel with a graph for every mode, and one set of variables.

    It is written next to its place, a folder named after the time, and moved there when whole.

    Args:
        modes: of ModeKeys; the variables are those of the first.
        build: builds the model of a mode in the default graph; returns its Scaffold, None for the
            default, and its signatures by name.
        checkpoint_path: the checkpoint to restore.
        export_dir_base: where the folder is made.
        config: the RunConfig.
        assets_extra: files to copy, by their path below assets.extra.
        as_text: whether the proto is text.
        strip_default_attrs: whether attributes with default values are left out.

    Returns:
        The folder, as bytes, as tf.estimator had it.
    """
    export_dir = os.fsdecode(get_timestamped_export_dir(export_dir_base))
    partial = os.path.join(os.path.dirname(export_dir), "temp-" + os.path.basename(export_dir))
    builder = tf.saved_model.Builder(partial)
    for number, mode in enumerate(modes):
        with new_graph(config, None):
            scaffold, signatures = build(mode)
            scaffold = scaffold or tf.train.Scaffold()
            saver = scaffold.saver or tf.train.Saver(sharded=True)
            options = {
                "signature_def_map": signatures,
                "main_op": scaffold.local_init_op or tf.train.Scaffold.default_local_init_op(),
                "saver": saver,
                "strip_default_attrs": strip_default_attrs,
                "assets_collection": tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            }
            if number:
                builder.add_meta_graph([TAGS[mode]], **options)
                continue
            with tf.Session(config=devices.session_config(config.session_config, [])) as session:
                saver.restore(session, checkpoint_path)
                builder.add_meta_graph_and_variables(session, [TAGS[mode]], **options)
    builder.save(as_text)
    for destination, source in (assets_extra or {}).items():
        target = os.path.join(partial, "assets.extra", os.fsdecode(destination))
        tf.gfile.MakeDirs(os.path.dirname(target))
        tf.gfile.Copy(source, target)
    tf.gfile.Rename(partial, export_dir)
    return os.fsencode(export_dir)


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
