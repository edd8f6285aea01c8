"""Writes an Estimator of contrib.learn as a SavedModel."""

# A model_dir may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118, PTH120

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.keys import COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModelFnOps
from tfmigrate_runtime.tf1_shim.contrib.learn.utils.saved_model_export_utils import (
    build_all_signature_defs,
    get_input_alternatives,
    get_output_alternatives,
    get_temp_export_dir,
    get_timestamped_export_dir,
)
from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated


class GraphRewriteSpec(NamedTuple):
    """Tags of an exported graph, and how it is transformed."""

    tags: Sequence[str]
    transforms: Sequence[str]


AS_IT_IS = (GraphRewriteSpec(("serve",), ()),)


def check_rewrites(specs: Sequence[GraphRewriteSpec]) -> None:
    """Refuses transformed graphs, whose tool TensorFlow no longer has.

    Raises:
        ValueError: the first graph is transformed, or there is none.
        AttributeError: there are further ones.
    """
    if not specs or specs[0].transforms:
        raise ValueError("The first element of graph_rewrite_specs must specify no transforms.")
    if len(specs) > 1:
        raise not_emulated("export_savedmodel with several graph_rewrite_specs")


def write(
    export_dir_base: Any,
    checkpoint_path: str,
    serving_input_fn: Callable[[], Any],
    model_fn: Callable[[Any], ModelFnOps],
    default_head: str | None,
    assets_extra: dict[str, str] | None,
    as_text: bool,
    tags: Sequence[str],
    strip_default_attrs: bool,
) -> bytes:
    """Writes a SavedModel next to its place, then moves it there; returns the folder.

    Args:
        export_dir_base: the folder in which it gets one named by the time.
        checkpoint_path: whose variables are written.
        serving_input_fn: returns InputFnOps.
        model_fn: makes the model of features.
        default_head: the head that is served by default.
        assets_extra: files to be copied, by their names in ``assets.extra``.
        as_text: whether it is written as text.
        tags: the graph's.
        strip_default_attrs: whether default attributes of ops are left out.
    """
    folder = get_timestamped_export_dir(export_dir_base)
    temporary = get_temp_export_dir(folder)
    builder = tf.saved_model.Builder(tf.compat.as_str_any(temporary))
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step(graph)
        input_ops = serving_input_fn()
        inputs, features = get_input_alternatives(input_ops)
        for name in input_ops.features:
            tf.add_to_collection(COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS, name)
        model = model_fn(features)
        heads, default = get_output_alternatives(model, default_head)
        signatures = build_all_signature_defs(inputs, heads, default)
        with tf.Session() as session:
            _saver(model).restore(session, checkpoint_path)
            builder.add_meta_graph_and_variables(
                session,
                tags,
                signature_def_map=signatures,
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
                main_op=_initializer(),
                strip_default_attrs=bool(strip_default_attrs),
            )
    for name, source in (assets_extra or {}).items():
        target = os.path.join(tf.compat.as_str_any(temporary), "assets.extra", name)
        tf.gfile.MakeDirs(os.path.dirname(target))
        tf.gfile.Copy(source, target)
    builder.save(as_text)
    tf.gfile.Rename(temporary, folder)
    return folder


def _saver(model: ModelFnOps) -> Any:
    own = model.scaffold.saver if model.scaffold is not None else None
    if own is not None:
        return own
    saved = [
        *tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES),
        *tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS),
    ]
    return tf.train.Saver(saved, sharded=True)


def _initializer() -> Any:
    """Returns what a serving session runs first: local variables, resources, tables."""
    resources = [each.create for each in tf.get_collection(tf.GraphKeys.RESOURCES)]
    return tf.group(tf.local_variables_initializer(), *resources, tf.tables_initializer())
