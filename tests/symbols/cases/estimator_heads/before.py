"""The heads of tf.contrib.estimator, and the private functions behind them, in every mode."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import estimator as contrib_estimator
from tensorflow.contrib.estimator import regression_head
from tensorflow.python.estimator.canned import head as head_lib

ROWS = 8
X = np.linspace(-1.0, 1.0, ROWS * 4, dtype=np.float32).reshape(ROWS, 4) ** 3
WEIGHTS = np.array([1, 0, 2, 1, 1, 3, 0, 1], np.float32)
TWO = (np.arange(ROWS) % 3 == 0).astype(np.int64)
THREE = (np.arange(ROWS) % 3).reshape(ROWS, 1)
SHARES = (np.arange(ROWS) / 9.0).astype(np.float32)
COUNTS = (np.arange(ROWS * 2).reshape(ROWS, 2) % 4).astype(np.float32)
WORDS = np.array(["b", "a", "c", "a", "b", "b", "c", "a"])
SUM = tf.losses.Reduction.SUM


def away(labels, logits, features):
    difference = tf.abs(tf.cast(labels, tf.float32) - logits)
    return difference * tf.expand_dims(features["w"], -1)


HEADS = {
    "binary": (lambda: tf.contrib.estimator.binary_classification_head(thresholds=[0.4]), TWO),
    "binary weights": (
        lambda: tf.contrib.estimator.binary_classification_head("w", name="two", loss_fn=away),
        TWO,
    ),
    "multi": (lambda: contrib_estimator.multi_class_head(3, "w", name="three"), THREE),
    "words": (lambda: contrib_estimator.multi_class_head(3, None, ["a", "b", "c"]), WORDS),
    "regression": (lambda: regression_head("w", 2, loss_reduction=SUM), COUNTS),
    "poisson": (lambda: contrib_estimator.poisson_regression_head(None, 2), COUNTS),
    "poisson short": (
        lambda: contrib_estimator.poisson_regression_head(None, 2, compute_full_loss=False),
        COUNTS,
    ),
    "logistic": (lambda: contrib_estimator.logistic_regression_head(name="share"), SHARES),
    "private binary": (
        lambda: head_lib._binary_logistic_head_with_sigmoid_cross_entropy_loss("w"),
        TWO,
    ),
    "private multi": (
        lambda: head_lib._multi_class_head_with_softmax_cross_entropy_loss(n_classes=3),
        THREE,
    ),
    "private regression": (lambda: head_lib._regression_head(label_dimension=2), COUNTS),
    "private two": (lambda: head_lib._binary_logistic_or_multi_class_head(2, None, None, SUM), TWO),
    "private more": (
        lambda: head_lib._binary_logistic_or_multi_class_head(3, "w", None, SUM),
        THREE,
    ),
}
result = {}


def spec_of(head, mode, labels):
    kernel = tf.get_variable("kernel", initializer=tf.constant(X[:4, : head.logits_dimension]))
    logits = tf.matmul(tf.constant(X), kernel)
    features = {"w": tf.constant(WEIGHTS)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return head.create_estimator_spec(features, mode, logits)
    created = head.create_loss(features, mode, logits, tf.constant(labels))
    penalty = [0.1 * tf.nn.l2_loss(kernel)]
    optimizer = tf.train.AdamOptimizer(0.1)
    if head.name:

        def train_op_fn(loss):
            return optimizer.minimize(loss, tf.train.get_global_step())

        spec = head.create_estimator_spec(
            features, mode, logits, tf.constant(labels), None, train_op_fn, penalty
        )
    else:
        spec = head.create_estimator_spec(features, mode, logits, tf.constant(labels), optimizer)
    return spec, created


for name, (make, labels) in HEADS.items():
    for mode in ("train", "eval", "infer"):
        with tf.Graph().as_default() as graph:
            step = tf.train.get_or_create_global_step()
            made = spec_of(make(), mode, labels)
            session = tf.Session()
            session.run(
                [tf.global_variables_initializer(), tf.local_variables_initializer()],
            )
            session.run(tf.tables_initializer())
            key = name + " " + mode
            if mode == "infer":
                for part, value in session.run(made.predictions).items():
                    result[key + " " + part] = value
                result[key + " outputs"] = sorted(
                    (k, type(output).__name__) for k, output in made.export_outputs.items()
                )
                continue
            spec, created = made
            result[key + " loss"] = session.run(spec.loss)
            result[key + " created"] = session.run(created.training_loss)
            result[key + " unreduced"] = session.run(created.unreduced_loss)
            if mode == "eval":
                session.run([update for _, update in spec.eval_metric_ops.values()])
                for part, (value, _) in spec.eval_metric_ops.items():
                    result[key + " " + part] = session.run(value)
                continue
            session.run(spec.train_op)
            result[key + " step"] = session.run(step)
            result[key + " kernel"] = session.run(tf.trainable_variables()[0])
            result[key + " variables"] = sorted(v.name for v in tf.global_variables())
            result[key + " summaries"] = sorted(
                tensor.name for tensor in graph.get_collection("summaries")
            )
