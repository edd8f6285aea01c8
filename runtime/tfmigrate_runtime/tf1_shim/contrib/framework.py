"""tf.contrib.framework: scopes of arguments and variables from tf_slim, the rest from the core."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import framework
from tfmigrate_runtime.compat.shim_ops import (
    BoundedTensorSpec,
    RecordInput,
    _get_graph_from_inputs,
    gen_audio_ops,
)
from tfmigrate_runtime.tf1_shim.names_of import names_of

ROOTS = ("tf_slim.ops",)
_look_up, _names = names_of(__name__, framework)
__getattr__ = _look_up
__all__ = [
    "BoundedTensorSpec", "RecordInput", "TensorSpec", "argsort", "assert_global_step",
    "assert_same_float_dtype", "assert_scalar", "audio_ops", "convert_to_tensor_or_sparse_tensor",
    "create_global_step", "get_global_step", "get_graph_from_inputs", "get_or_create_global_step",
    "init_from_checkpoint", "is_tensor", "list_variables", "load_checkpoint", "load_variable",
    "sort",
]  # fmt: skip
__all__ += _names

TensorSpec = tf.TensorSpec
argsort = tf.argsort
assert_global_step = tf.train.assert_global_step
assert_same_float_dtype = tf.debugging.assert_same_float_dtype
assert_scalar = tf.debugging.assert_scalar
# A module of its own, and what programs import from framework.python.ops.audio_ops.
audio_ops = gen_audio_ops
audio_spectrogram = gen_audio_ops.audio_spectrogram
decode_wav = gen_audio_ops.decode_wav
encode_wav = gen_audio_ops.encode_wav
mfcc = gen_audio_ops.mfcc
convert_to_tensor_or_sparse_tensor = tf.convert_to_tensor_or_sparse_tensor
create_global_step = tf.train.create_global_step
get_global_step = tf.train.get_global_step
get_graph_from_inputs = _get_graph_from_inputs
get_or_create_global_step = tf.train.get_or_create_global_step
is_tensor = tf.is_tensor
sort = tf.sort


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Any) -> None:
    """Is tf.train.init_from_checkpoint, with the names that its arguments had here."""
    tf.train.init_from_checkpoint(checkpoint_dir, assignment_map)


def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """Is tf.train.list_variables: names and shapes of a checkpoint's variables."""
    variables: list[tuple[str, list[int]]] = tf.train.list_variables(checkpoint_dir)
    return variables


def load_checkpoint(filepattern: str) -> Any:
    """Is tf.train.load_checkpoint: a reader of a checkpoint."""
    return tf.train.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """Is tf.train.load_variable: a variable of a checkpoint, as an array."""
    return tf.train.load_variable(checkpoint_dir, name)
