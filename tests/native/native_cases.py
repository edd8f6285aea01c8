"""Lines of TensorFlow 1.x, one and more for every entry of tables/, and their inputs.

TensorFlow 1.15 runs them (scripts/record/record_native.py, Python 3.7); the tests run what
``--target keras`` makes of them. Entries of the tables get their lines from the tables, so that an
entry without a line is an error here.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfmigrate_keras.tables.initializers import ACTIVATIONS, INITIALIZERS, REGULARIZERS
from tfmigrate_keras.tables.layers import CLASSES, FUNCTIONS
from tfmigrate_keras.tables.operations import COMPOSED, OPERATIONS


def _values(shape: tuple, start: int = 0) -> Any:
    """Returns numbers in [-2, 2], in no order, among them -0.5, 0, 0.5 and 1.5."""
    size = int(np.prod(shape))
    values = ((np.arange(start, start + size) * 37) % 41 - 20) / 10.0
    return values.reshape(shape).astype(np.float32)


INPUTS: dict[str, Any] = {
    "x": _values((4, 6)),
    "y": _values((4, 6), 5),
    "p": np.abs(_values((4, 6))) + 0.1,
    "b": _values((4, 6)) > 0,
    "c": _values((4, 6), 5) > 0,
    "n": (np.arange(24).reshape(4, 6) * 7 % 5).astype(np.int32),
    "ids": np.array([3, 0, 2, 2], np.int32),
    "words": np.array([["red", "blue"], ["", "red"], ["pink", ""], ["blue", "blue"]]),
    "numbers": np.array([[3, -1], [0, 2], [7, 3], [-1, -1]], np.int64),
    "column": _values((4, 1)),
    "points": _values((2, 1, 1, 3)),
    "sequence": _values((2, 7, 3)),
    "weights": _values((2, 3, 2)),
    "image": _values((2, 6, 7, 2)),
    "volume": _values((2, 4, 5, 4, 2)),
}


def starting_value(index: int, name: str, shape: tuple) -> Any:
    """Returns what the variable of that number in its case starts with."""
    values = np.sin(np.arange(int(np.prod(shape))) * 0.7 + index).reshape(shape) * 0.5
    values = np.abs(values) + 0.5 if name.startswith("moving_variance") else values
    return values.astype(np.float32)


def names_of(code: str) -> list[str]:
    """Returns the inputs that a line uses, in the order of INPUTS."""
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    return [name for name in INPUTS if name in used]


def follows_mode(code: str) -> bool:
    """Returns whether a line behaves differently in training."""
    return any(isinstance(n, ast.Name) and n.id == "training" for n in ast.walk(ast.parse(code)))


# Arguments of operations that do not take x, or x and y, alone.
_OF_OPERATIONS = {
    **{key: ["p"] for key in ("log", "sqrt", "rsqrt", "math.log", "math.sqrt")},
    "logical_not": ["b"],
    **{key: ["b, c"] for key in ("logical_and", "logical_or")},
    "pow": ["p, y", "p, 2.0", "p, 2"],
    "divide": ["x, p", "n, 2"],
    "multiply": ["x, y", "x, 2.0", "x, column"],
    "nn.leaky_relu": ["x", "x, alpha=0.1"],
    **{key: ["x", "x, axis=0", "x, dim=1"] for key in ("nn.softmax", "nn.log_softmax")},
    **{
        key: [
            "x",
            "x, 1",
            "x, axis=[1]",
            "image, axis=[1, 2]",
            "x, axis=1, keepdims=True",
            "x, 1, keep_dims=True",
            "x, reduction_indices=[1]",
        ]
        for key in (
            *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"),
            "reduce_logsumexp",
        )
    },
    **{key: ["b", "b, axis=1", "b, 1, keepdims=True"] for key in ("reduce_all", "reduce_any")},
    "cast": ["x, tf.int32", "n, tf.float32", "b, tf.float32", "n, dtype=tf.float32"],
    "expand_dims": ["x, 1", "x, -1", "x, axis=0", "x, dim=2"],
    "squeeze": [
        "column",
        "column, 1",
        "points, [1, 2]",
        "column, axis=[1]",
        "points, axis=[1, 2]",
        "column, squeeze_dims=[1]",
    ],
    "reshape": ["x, [-1, 3]", "x, (4, 3, 2)", "tensor=x, shape=[-1, 2]"],
    "concat": ["[x, y], 1", "[x, y], axis=-1", "values=[x, y], axis=0"],
    "transpose": ["x", "sequence, [0, 2, 1]", "sequence, perm=[2, 0, 1]"],
    "tile": ["x, [1, 2]", "x, multiples=[2, 1]"],
    "matmul": ["sequence, weights", "tf.transpose(x), y"],
    **{key: ["x", "x, dtype=tf.int32", "n"] for key in ("zeros_like", "ones_like")},
    "one_hot": ["ids, 4", "ids, depth=5", "ids, 4, axis=0", "ids, 4, dtype=tf.int32"],
    "clip_by_value": ["x, -1.0, 0.5", "x, clip_value_min=0.0, clip_value_max=1.0"],
    **{key: ["x", "x, 1", "x, axis=-1", "x, dimension=1"] for key in ("argmax", "argmin")},
    "stack": ["[x, y]", "[x, y], axis=1", "values=[x, y], axis=-1"],
    "unstack": ["x, axis=1", "x, 6, axis=1", "x, num=4"],
    "gather": ["x, ids", "x, ids, axis=1"],
    **{key: ["x"] for key in ("to_int32", "to_int64")},
    "to_float": ["n", "b"],
    "log1p": ["p"],
    "nn.bias_add": ["x, tf.reduce_mean(y, 0)", "value=image, bias=tf.reduce_mean(weights, [0, 1])"],
    "tensordot": ["sequence, weights, [[2], [1]]", "x, y, axes=[[0], [0]]"],
    "nn.conv2d": [
        "image, tf.reshape(weights, [1, 3, 2, 2]), [1, 2, 2, 1], 'SAME'",
        "image, tf.reshape(weights, [3, 1, 2, 2]), strides=[1, 1, 1, 1], padding='VALID'",
        "image, filter=tf.reshape(weights, [1, 3, 2, 2]), strides=(1, 1, 2, 1), padding='SAME'",
    ],
    **{
        key: [
            "image, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'",
            "value=image, ksize=[1, 3, 2, 1], strides=[1, 1, 1, 1], padding='VALID'",
        ]
        for key in ("nn.max_pool", "nn.avg_pool")
    },
    "nn.xw_plus_b": ["x, tf.transpose(y), tf.reduce_mean(tf.transpose(y), 0)"],
    "squared_difference": ["x, y", "x, column"],
    "nn.l2_loss": ["x", "t=x"],
}
_TWO = (
    *("add", "subtract", "maximum", "minimum", "equal", "not_equal", "greater"),
    *("greater_equal", "less", "less_equal"),
)


def _operations() -> Iterator[str]:
    for qualified in (*OPERATIONS, *COMPOSED):
        name = qualified[len("tensorflow.") :]
        short = name[len("math.") :] if name.startswith("math.") else name
        given = ["x, y", "x=x, y=y"] if short in _TWO else ["x"]
        for arguments in _OF_OPERATIONS.get(name, _OF_OPERATIONS.get(short, given)):
            yield f"tf.{name}({arguments})"


# The input and the other arguments that a layer must have.
_OF_LAYERS = {
    "dense": ("x", "3"),
    "conv1d": ("sequence", "3, 2"),
    "conv2d": ("image", "3, 3"),
    "separable_conv1d": ("sequence", "3, 2"),
    "separable_conv2d": ("image", "3, 3"),
    "conv3d": ("volume", "3, 2"),
    "conv2d_transpose": ("image", "3, 3"),
    "conv3d_transpose": ("volume", "3, 2"),
    "max_pooling1d": ("sequence", "2, 2"),
    "max_pooling2d": ("image", "2, 2"),
    "max_pooling3d": ("volume", "2, 2"),
    "average_pooling1d": ("sequence", "2, 2"),
    "average_pooling2d": ("image", "2, 2"),
    "average_pooling3d": ("volume", "2, 2"),
    "flatten": ("image", ""),
    "batch_normalization": ("image", "training=training"),
    "fully_connected": ("x", "3"),
    "relu": ("x", "3"),
    "linear": ("x", "3"),
    "convolution2d": ("image", "3, 3"),
    "max_pool2d": ("image", "2"),
    "avg_pool2d": ("image", "2"),
}
_CONSTANT = "tf.constant_initializer(0.3)"
# What a parameter of a layer is tried with; with several, more than one line.
_OF_PARAMETERS = {
    **{key: ["tf.tanh", "None"] for key in ("activation", "activation_fn")},
    **{key: ["2"] for key in ("strides", "stride", "depth_multiplier")},
    "padding": ["'same'", "'VALID'", "'SAME'"],
    "data_format": ["'channels_last'"],
    **{key: ["2"] for key in ("dilation_rate", "rate")},
    **{key: ["False"] for key in ("use_bias", "trainable", "center", "scale")},
    **{key: ["'one'"] for key in ("name", "scope")},
    "momentum": ["0.9"],
    "epsilon": ["0.01"],
    "axis": ["-1"],
    **{
        f"{variable}_regularizer": ["tf.contrib.layers.l2_regularizer(0.1)"]
        for variable in (
            *("kernel", "bias", "weights", "biases", "beta", "gamma", "depthwise", "pointwise"),
        )
    },
    **{
        f"{variable}_initializer": [_CONSTANT]
        for variable in (
            *("kernel", "bias", "weights", "biases", "beta", "gamma", "moving_mean"),
            *("moving_variance", "depthwise", "pointwise"),
        )
    },
    "fused": ["False"],
}
_GIVEN = ("inputs", "units", "filters", "kernel_size", "num_outputs", "pool_size", "training")
_WITHOUT_KERNEL = ("batch_normalization", "BatchNormalization")


def _layers() -> Iterator[str]:
    for qualified, entry in FUNCTIONS.items():
        name = qualified.rpartition(".")[2]
        if name == "dropout":
            continue  # random: DROPOUT
        value, required = _OF_LAYERS[name]
        start = qualified.replace("tensorflow.", "tf.") + "(" + value
        for arguments in _arguments(required, entry):
            yield start + (", " if arguments else "") + arguments + ")"
        if name in ("dense", "fully_connected"):
            yield f"{start}, {required}, 'sigmoid')" if name == "dense" else f"{start}, 2)"
    yield "tf.layers.dense(inputs=x, units=3)"
    yield "tf.layers.batch_normalization(x, training=training)"
    yield "tf.layers.batch_normalization(x, axis=1, training=training)"
    yield "tf.layers.batch_normalization(sequence, training=training)"
    yield "tf.layers.max_pooling2d(inputs=image, pool_size=[2, 2], strides=1, padding='SAME')"
    yield "tf.layers.average_pooling2d(image, 3, strides=(2, 1), padding='same')"
    for qualified in ACTIVATIONS:
        yield f"tf.layers.dense(x, 3, activation={qualified.replace('tensorflow.', 'tf.')})"
    for qualified in REGULARIZERS:
        short = qualified.replace("tensorflow.", "tf.")
        yield f"tf.layers.dense(x, 3, kernel_regularizer={short}(0.1))"


def _arguments(required: str, entry: Any) -> Iterator[str]:
    yield required
    for parameter in entry.parameters:
        if not parameter.new or parameter.old in _GIVEN:
            continue
        if parameter.old == "strides" and entry.named("pool_size"):
            continue  # always given
        for value in _OF_PARAMETERS[parameter.old]:
            others = [required] if required else []
            if "rate" in parameter.old and parameter.old != "rate":
                others.append("padding='same'")
            yield ", ".join([*others, f"{parameter.old}={value}", *_fixed(parameter.old, entry)])


def _fixed(name: str, entry: Any) -> list[str]:
    """Returns the other initializers: variables of a line with initializers keep their values.

    Without an activation: with equal weights, sums of the inputs, which are multiples of 0.1, are
    zero save for rounding, and whether a ReLU's gradient is 0 or 1 there depends on the CPU.
    """
    kernels = ("kernel", "weights", "depthwise", "pointwise")
    if not name.endswith("_initializer"):
        return []
    found = [f"{k}_initializer" for k in kernels if entry.named(f"{k}_initializer")]
    linear = ["activation_fn=None"] if entry.named("activation_fn") else []
    return [*(f"{other}={_CONSTANT}" for other in found if other != name), *linear]


def _classes() -> Iterator[str]:
    for qualified in CLASSES:
        value, required = next(v for k, v in _OF_LAYERS.items() if _is_class(k, qualified))
        yield f"{qualified.replace('tensorflow.', 'tf.')}({required})({value})"


def _is_class(name: str, qualified: str) -> bool:
    return name.replace("_", "").lower() == qualified.rpartition(".")[2].lower()


_COLUMN = "tf.feature_column."
_VOCABULARY = "categorical_column_with_vocabulary_list("
# Columns of the input of that name.
_OF_COLUMNS = (
    "numeric_column('x', shape=[6])",
    "numeric_column('x', [6], dtype=tf.float32)",
    "numeric_column('column')",
    "numeric_column('n', shape=6)",
    f"bucketized_column({_COLUMN}numeric_column('x', 6), [-1.0, 0.0, 0.5])",
    f"bucketized_column({_COLUMN}numeric_column('column'), boundaries=[0, 1])",
    f"indicator_column({_COLUMN}categorical_column_with_identity('ids', 5))",
    f"indicator_column({_COLUMN}{_VOCABULARY}'words', ['red', 'green', 'blue']))",
    f"indicator_column({_COLUMN}{_VOCABULARY}'numbers', [3, 7], dtype=tf.int64))",
    f"indicator_column({_COLUMN}categorical_column_with_hash_bucket('words', 5))",
    f"indicator_column({_COLUMN}categorical_column_with_hash_bucket('numbers', 7, tf.int64))",
    *(
        f"embedding_column({_COLUMN}categorical_column_with_hash_bucket('words', 5), {rest})"
        for rest in (
            *("3", "dimension=2, combiner='sum'", "2, combiner='sqrtn'", "2, 'mean'"),
            "2, initializer=tf.constant_initializer(0.3)",
        )
    ),
    f"embedding_column({_COLUMN}categorical_column_with_identity('numbers', 8), 2)",
    f"embedding_column({_COLUMN}bucketized_column({_COLUMN}numeric_column('x', 6), [0.0]), 3)",
)


def _columns() -> Iterator[str]:
    for column in _OF_COLUMNS:
        (name,) = (n for n in INPUTS if f"('{n}'" in column)
        yield f"{_COLUMN}input_layer({{'{name}': {name}}}, [{_COLUMN}{column}])"
    several = f"{_COLUMN}numeric_column('x', 6), {_COLUMN}{_OF_COLUMNS[2]}"
    yield f"{_COLUMN}input_layer({{'x': x, 'column': column}}, [{several}])"


def forward() -> list[str]:
    """Returns the lines that compute something of inputs."""
    lines = itertools.chain(_operations(), _layers(), _classes(), _columns())
    return list(dict.fromkeys(lines))


LAWS: list[str] = [
    *(
        f"{qualified.replace('tensorflow.', 'tf.')}({arguments})"
        for qualified in INITIALIZERS
        for arguments in (["0.3"] if "constant" in qualified else [""])
    ),
    *("tf.random_normal_initializer(0.5, 0.1)", "tf.random_normal_initializer(stddev=0.02)"),
    *("tf.truncated_normal_initializer(stddev=0.1)", "tf.random_uniform_initializer(-1, 1)"),
    *("tf.truncated_normal_initializer(0.5, 0.1)", "tf.random_uniform_initializer(minval=-0.1)"),
    *("tf.orthogonal_initializer(gain=0.5)", "tf.constant_initializer(value=2.0)"),
    "tf.variance_scaling_initializer(scale=2.0, mode='fan_avg', distribution='uniform')",
    "tf.variance_scaling_initializer(scale=2.0, mode='fan_out')",
    "tf.variance_scaling_initializer(scale=2.0, distribution='untruncated_normal')",
]
"""Initializers; of each, numbers of a matrix and of a convolution's kernel are compared."""
DROPOUT: list[str] = [
    "tf.layers.dropout(x, 0.3, training=training)",
    "tf.layers.dropout(inputs=x, rate=0.3, seed=1, training=training, name='drop')",
    "tf.layers.dropout(x, training=training)",
    "tf.contrib.layers.dropout(x, 0.3, is_training=training)",
    "tf.contrib.layers.dropout(x, keep_prob=0.3, is_training=training)",
    "tf.contrib.layers.dropout(x, is_training=training)",
]
SHAPES = {"matrix": (300, 200), "kernel": (5, 5, 40, 60)}
QUANTILES = np.array([0, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98, 1])
