"""Schedules, optimizers, losses and metrics of TensorFlow 1.x, and what they are given.

See native_cases.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 45
SCHEDULES: list[str] = [
    "tf.train.exponential_decay(0.1, step, 10, 0.5)",
    "tf.train.exponential_decay(0.1, step, 10, 0.5, staircase=True)",
    "tf.train.exponential_decay(0.1, global_step=step, decay_steps=7, decay_rate=0.9)",
    "tf.train.piecewise_constant(step, [10, 20], [0.1, 0.02, 0.004])",
    "tf.train.piecewise_constant(step, boundaries=[1, 30], values=[1.0, 0.5, 0.1])",
    "tf.train.piecewise_constant_decay(step, [10, 20], [0.1, 0.02, 0.004])",
    "tf.train.polynomial_decay(0.1, step, 20)",
    "tf.train.polynomial_decay(0.1, step, 20, 0.01, power=2.0)",
    "tf.train.polynomial_decay(0.1, step, 20, end_learning_rate=0.01, cycle=True)",
    "tf.train.inverse_time_decay(0.1, step, 10, 0.5)",
    "tf.train.inverse_time_decay(0.1, step, 10, 0.5, staircase=True)",
    "tf.train.cosine_decay(0.1, step, 30)",
    "tf.train.cosine_decay(0.1, step, 30, alpha=0.1)",
    "tf.train.cosine_decay_restarts(0.1, step, 10)",
    "tf.train.cosine_decay_restarts(0.1, step, 10, t_mul=1.5, m_mul=0.8, alpha=0.1)",
]

UPDATES = 30
_EXPONENTIAL = "tf.train.exponential_decay(0.1, tf.train.get_global_step(), 10, 0.5)"
OPTIMIZERS: list[str] = [
    "tf.train.GradientDescentOptimizer(0.1)",
    "tf.train.GradientDescentOptimizer(learning_rate=0.1)",
    f"tf.train.GradientDescentOptimizer({_EXPONENTIAL})",
    "tf.train.MomentumOptimizer(0.1, 0.9)",
    "tf.train.MomentumOptimizer(0.1, momentum=0.9, use_nesterov=True)",
    f"tf.train.MomentumOptimizer({_EXPONENTIAL}, 0.9)",
    f"tf.train.MomentumOptimizer({_EXPONENTIAL}, 0.9, use_nesterov=True)",
    "tf.train.AdamOptimizer()",
    "tf.train.AdamOptimizer(0.05)",
    "tf.train.AdamOptimizer(0.05, beta1=0.8, beta2=0.99, epsilon=1e-4)",
    "tf.train.AdamOptimizer(0.1, beta2=0.999)",
    f"tf.train.AdamOptimizer({_EXPONENTIAL})",
    "tf.train.AdagradOptimizer(0.1)",
    "tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.5)",
    f"tf.train.AdagradOptimizer({_EXPONENTIAL})",
    "tf.train.RMSPropOptimizer(0.02)",
    "tf.train.RMSPropOptimizer(0.02, decay=0.95, momentum=0.9, epsilon=0.01)",
    f"tf.train.RMSPropOptimizer({_EXPONENTIAL}, momentum=0.9)",
    "tf.train.FtrlOptimizer(0.1)",
    "tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.1)",
    "tf.train.FtrlOptimizer(0.1, learning_rate_power=-0.6, initial_accumulator_value=0.2)",
    "tf.train.AdadeltaOptimizer()",
    "tf.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-6)",
]
_OPTIMIZE = "tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), "
OPTIMIZED_LOSSES: list[str] = [
    *(
        f"{_OPTIMIZE}0.05, '{name}')"
        for name in ("SGD", "Momentum", "Adam", "Adagrad", "RMSProp", "Ftrl")
    ),
    "tf.contrib.layers.optimize_loss(loss, None, learning_rate=0.1, optimizer='SGD', name='x')",
    f"{_OPTIMIZE}0.05, tf.train.AdamOptimizer, summaries=[])",
    f"{_OPTIMIZE}None, optimizer=tf.train.MomentumOptimizer(0.1, 0.9))",
    f"{_OPTIMIZE}0.1, lambda rate: tf.train.MomentumOptimizer(rate, 0.8, use_nesterov=True))",
    f"{_OPTIMIZE}0.1, functools.partial(tf.train.MomentumOptimizer, momentum=0.8))",
    f"{_OPTIMIZE}0.1, 'SGD', clip_gradients=2.0)",
    f"{_OPTIMIZE}0.1, 'Adam', clip_gradients=2.0, learning_rate_decay_fn="
    "lambda rate, step: tf.train.exponential_decay(rate, step, 10, 0.5))",
    f"{_OPTIMIZE}0.1, lambda r: tf.train.MomentumOptimizer(r, 0.9), learning_rate_decay_fn="
    "functools.partial(tf.train.exponential_decay, decay_steps=7, decay_rate=0.5))",
]


def _numbers(size: int, start: int) -> Any:
    return (((np.arange(start, start + size) * 37) % 41 - 20) / 10.0).astype(np.float32)


def gradient(step: int) -> Any:
    """Returns the gradient of a matrix with five rows in a step."""
    return _numbers(15, step * 7).reshape(5, 3)


def sparse_gradient(step: int) -> Any:
    """Returns gradients of rows and their numbers: some rows twice, some not at all."""
    rows = np.array([step % 5, (step + 1) % 4, step % 5], np.int32)
    return _numbers(9, step * 5).reshape(3, 3), rows


LABELS: dict[str, Any] = {
    "classes": lambda n: (np.arange(n) * 7 % 3).astype(np.int32),
    "one_hot": lambda n: np.eye(3, dtype=np.float32)[np.arange(n) * 7 % 3],
    "answers": lambda n: (np.arange(n * 2) % 3 % 2).astype(np.float32).reshape(n, 2),
    "values": lambda n: _numbers(n * 2, 3).reshape(n, 2),
    "line": lambda n: _numbers(n, 3),
    "answer": lambda n: (np.arange(n) % 3 % 2).astype(np.float32),
    "answer_column": lambda n: (np.arange(n) % 3 % 2).astype(np.int32).reshape(n, 1),
}
OUTPUTS: dict[str, Any] = {
    "classes": lambda n: _numbers(n * 3, 0).reshape(n, 3),
    "one_hot": lambda n: _numbers(n * 3, 0).reshape(n, 3),
    "answers": lambda n: _numbers(n * 2, 0).reshape(n, 2),
    "values": lambda n: _numbers(n * 2, 0).reshape(n, 2),
    "line": lambda n: _numbers(n, 0),
    "answer": lambda n: _numbers(n, 0),
    "answer_column": lambda n: _numbers(n, 0).reshape(n, 1),
}
BATCHES = (8, 8, 5)
# Each line with the kind of its labels, above.
LOSSES: dict[str, str] = {
    "tf.losses.sparse_softmax_cross_entropy(labels, output)": "classes",
    "tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=output)": "classes",
    "tf.losses.softmax_cross_entropy(tf.one_hot(labels, 3), output)": "classes",
    "tf.losses.softmax_cross_entropy(labels, output)": "one_hot",
    "tf.losses.softmax_cross_entropy(labels, output, label_smoothing=0.1)": "one_hot",
    "tf.losses.sigmoid_cross_entropy(labels, output)": "answers",
    "tf.losses.sigmoid_cross_entropy(labels, logits=output)": "answer",
    "tf.losses.sigmoid_cross_entropy(tf.cast(labels, tf.float32), output)": "answer_column",
    "tf.losses.mean_squared_error(labels, output)": "values",
    "tf.losses.mean_squared_error(labels=labels, predictions=output)": "line",
    "tf.losses.mean_squared_error(labels, output, reduction=tf.losses.Reduction.SUM)": "values",
    "tf.losses.mean_squared_error(predictions=output, labels=labels,"
    " reduction=tf.losses.Reduction.SUM)": "line",
    "tf.losses.mean_squared_error(labels, output, reduction=tf.losses.Reduction.MEAN)": "values",
    "tf.losses.mean_squared_error(labels, output, weights=1.0)": "values",
    "tf.losses.absolute_difference(labels, output)": "values",
    "tf.losses.absolute_difference(labels=labels, predictions=output)": "line",
    "tf.losses.absolute_difference(labels, output, reduction=tf.losses.Reduction.SUM)": "line",
    "tf.losses.huber_loss(labels, output)": "values",
    "tf.losses.huber_loss(labels, output, delta=0.5)": "line",
    **{
        f"tf.reduce_mean(tf.nn.{name}(labels=labels, logits=output))": kind
        for name, kind in {
            "sparse_softmax_cross_entropy_with_logits": "classes",
            "softmax_cross_entropy_with_logits": "one_hot",
            "softmax_cross_entropy_with_logits_v2": "one_hot",
            "sigmoid_cross_entropy_with_logits": "answers",
        }.items()
    },
    "tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=output)) ": (
        "answer"
    ),
    # What becomes a function of a batch.
    "tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=output))": (
        "classes"
    ),
    "tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits("
    "labels=tf.one_hot(labels, 3), logits=output))": "classes",
    "2.0 * tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2("
    "labels=labels, logits=output))": "one_hot",
    "tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=output)) / 4.0": (
        "answers"
    ),
    "0.5 * tf.losses.sparse_softmax_cross_entropy(labels, output)": "classes",
    "0.5 * tf.losses.softmax_cross_entropy(labels, output)": "one_hot",
    "0.5 * tf.losses.sigmoid_cross_entropy(labels, output)": "answers",
    "0.5 * tf.losses.sigmoid_cross_entropy(labels, output, weights=1.0)": "answer",
    "0.5 * tf.losses.mean_squared_error(labels, output)": "values",
    "0.5 * tf.losses.absolute_difference(labels, predictions=output)": "line",
    "tf.reduce_mean(tf.square(labels - output))": "line",
    "tf.sqrt(tf.reduce_mean(tf.squared_difference(labels, output)))": "values",
    "-tf.reduce_mean(tf.reduce_sum(labels * tf.log(tf.nn.softmax(output)), 1))": "one_hot",
    "tf.reduce_sum(tf.square(output - labels)) / tf.to_float(tf.shape(output)[0])": "values",
    "tf.add_n([tf.reduce_mean(tf.abs(labels - output)), tf.reduce_sum(output)])": "values",
    "tf.reduce_mean(tf.boolean_mask(tf.square(labels - output), tf.greater(labels, 0.0)))": "line",
}
METRICS: dict[str, str] = {
    "tf.metrics.accuracy(labels, tf.argmax(output, 1))": "classes",
    "tf.metrics.accuracy(labels=labels, predictions=tf.argmax(output, axis=-1))": "classes",
    "tf.metrics.accuracy(labels, tf.argmax(tf.nn.softmax(output), 1))": "classes",
    "tf.metrics.accuracy(tf.argmax(labels, 1), tf.argmax(output, 1))": "one_hot",
    "tf.metrics.accuracy(labels, tf.round(tf.nn.sigmoid(output)))": "answers",
    "tf.metrics.accuracy(labels, tf.round(tf.sigmoid(output)))": "answer",
    "tf.metrics.mean_squared_error(labels, output)": "values",
    "tf.metrics.mean_squared_error(labels, output) ": "line",
    "tf.metrics.root_mean_squared_error(labels, output)": "values",
    "tf.metrics.root_mean_squared_error(labels, output) ": "line",
    "tf.metrics.mean_absolute_error(labels, output)": "values",
    "tf.metrics.mean_absolute_error(labels, output) ": "line",
    "tf.metrics.auc(labels, tf.sigmoid(output))": "answers",
    "tf.metrics.auc(labels, tf.nn.sigmoid(output))": "answer",
    "tf.metrics.auc(labels, tf.nn.softmax(output)[:, 1])": "classes",
    "tf.metrics.auc(labels, predictions=tf.nn.softmax(output)[:, 0])": "classes",
    "tf.contrib.metrics.streaming_accuracy(tf.argmax(output, 1), labels)": "classes",
    "tf.contrib.metrics.streaming_accuracy(labels=labels, predictions=tf.argmax(output, 1))": (
        "classes"
    ),
    "tf.contrib.metrics.streaming_mean_squared_error(output, labels)": "values",
    "tf.contrib.metrics.streaming_root_mean_squared_error(output, labels)": "line",
    "tf.contrib.metrics.streaming_mean_absolute_error(output, labels)": "values",
    "tf.contrib.metrics.streaming_auc(tf.sigmoid(output), labels)": "answers",
    "tf.contrib.metrics.streaming_precision(tf.round(tf.sigmoid(output)), labels)": "answers",
    "tf.contrib.metrics.streaming_recall(tf.round(tf.sigmoid(output)), labels)": "answer",
    "tf.contrib.metrics.streaming_mean(tf.to_float(tf.nn.in_top_k(output, labels, 2)))": "classes",
    "tf.metrics.mean(tf.cast(tf.nn.in_top_k(tf.nn.softmax(output), labels, k=1), tf.float32))": (
        "classes"
    ),
    "tf.metrics.precision(labels, tf.round(tf.sigmoid(output)))": "answers",
    "tf.metrics.recall(labels, tf.round(tf.sigmoid(output)))": "answer",
}
REFUSED = {
    ("sparse", "tf.train.RMSPropOptimizer"),
    ("sparse", "tf.train.FtrlOptimizer"),
    ("sparse", "tf.train.AdadeltaOptimizer"),
}
"""Optimizers that change only the rows with a gradient: Keras has no such form of them."""
