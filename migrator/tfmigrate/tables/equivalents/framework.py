"""tf.contrib.framework."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.framework"
# The core's functions for checkpoints name contrib's first parameter differently.
_CHECKPOINT = {"checkpoint_dir": "ckpt_dir_or_file", "filepattern": "ckpt_dir_or_file"}
NAMES: Mapping[str, Equivalent] = {
    # Aliases of the same functions (contrib/framework/__init__.py, python/ops/variables.py).
    **{
        name: Equivalent(f"train.{name}")
        for name in (
            "assert_global_step",
            "create_global_step",
            "get_global_step",
            "get_or_create_global_step",
        )
    },
    "TensorSpec": Equivalent("TensorSpec"),
    # The ops of the core, whose functions tf.raw_ops has with keywords only.
    "audio_ops.audio_spectrogram": Equivalent(
        "raw_ops.AudioSpectrogram", ("input", "window_size", "stride", "magnitude_squared", "name")
    ),
    "audio_ops.decode_wav": Equivalent("audio.decode_wav"),
    "audio_ops.encode_wav": Equivalent("audio.encode_wav"),
    "audio_ops.mfcc": Equivalent(
        "raw_ops.Mfcc",
        (
            "spectrogram",
            "sample_rate",
            "upper_frequency_limit",
            "lower_frequency_limit",
            "filterbank_channel_count",
            "dct_coefficient_count",
            "name",
        ),
    ),
    "argsort": Equivalent("argsort"),
    "assert_same_float_dtype": Equivalent("debugging.assert_same_float_dtype"),
    "assert_scalar": Equivalent("debugging.assert_scalar"),
    "convert_to_tensor_or_sparse_tensor": Equivalent("convert_to_tensor_or_sparse_tensor"),
    "is_tensor": Equivalent("is_tensor"),
    "sort": Equivalent("sort"),
    # The functions that moved from here to tf.train (python/training/checkpoint_utils.py).
    **{
        name: Equivalent(f"train.{name}", renamed=_CHECKPOINT)
        for name in ("init_from_checkpoint", "list_variables", "load_checkpoint", "load_variable")
    },
}
_WARM_START = Missing(
    "it initializes a variable from rows of a checkpoint that a vocabulary selects; TensorFlow 2 "
    "has its kernel only behind tf.estimator.WarmStartSettings",
    "use WarmStartSettings with VocabInfo (tfmigrate_runtime.estimator), or load the rows with "
    "tf.train.load_variable",
)
_ORTHOGONAL = Missing(
    "it was only in tf.contrib; core TensorFlow has only tf.initializers.orthogonal",
    "use tf.initializers.orthogonal, or compute the initial values",
)
MISSING: Mapping[str, Missing] = {
    "BoundedTensorSpec": Missing(
        "compat.v1 has no TensorSpec with bounds", "use tf.TensorSpec, and check the bounds"
    ),
    "RecordInput": Missing(
        "compat.v1 has no RecordInput", "read the records with tf.data.TFRecordDataset"
    ),
    "convolutional_delta_orthogonal": _ORTHOGONAL,
    "convolutional_orthogonal_1d": _ORTHOGONAL,
    "convolutional_orthogonal_2d": _ORTHOGONAL,
    "convolutional_orthogonal_3d": _ORTHOGONAL,
    "fuse_op": Missing(
        "it rewrites a GraphDef for fused operations that TensorFlow 2 does not have",
        "let Grappler fuse operations, or copy the function from TensorFlow 1.15 into the program",
    ),
    "get_graph_from_inputs": Missing(
        "it calls a private function of TensorFlow 1.x",
        "use the graph of an input tensor (tensor.graph)",
    ),
    "load_and_remap_matrix_initializer": _WARM_START,
    "load_embedding_initializer": _WARM_START,
    "load_linear_multiclass_bias_initializer": _WARM_START,
    "load_variable_slot_initializer": _WARM_START,
    "py_func": Missing(
        "it passes nested structures and keywords to a Python function, which tf.py_func cannot",
        "use tf.py_func (or tf.numpy_function) with a flat list of tensors",
    ),
    "zero_initializer": Missing(
        "TensorFlow 2 does not have its kernel, which set a variable to zeros in place",
        "create the variable with tf.zeros_initializer()",
    ),
}
