"""Metrics that only tf.contrib.metrics had."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import metrics

tf.disable_v2_behavior()

random = np.random.RandomState(6)
scores = tf.constant(random.uniform(size=[20]).astype(np.float32))
truth = tf.constant(random.randint(0, 2, size=[20]).astype(np.int64))
guesses = tf.cast(scores > 0.5, tf.int64)
found = {
    "accuracy": (metrics.accuracy(guesses, truth), tf.no_op()),
    "f1": metrics.f1_score(truth, scores, num_thresholds=30),
    "kappa": metrics.cohen_kappa(truth, guesses, 2),
    "count": metrics.count(scores),
    "concatenated": metrics.streaming_concat(scores),
    "recall_at_precision": metrics.recall_at_precision(truth, scores, 0.5),
    "precision_at_recall": metrics.precision_at_recall(truth, scores, 0.7),
    "dynamic_auc": metrics.streaming_dynamic_auc(truth, scores),
}
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run([update for _, update in found.values()])
    result = {name: session.run(value) for name, (value, _) in found.items()}
    result["matrix"] = session.run(tf.confusion_matrix(truth, guesses, 2, tf.int64))
    result["common"] = session.run(
        tf.sets.size(tf.sets.intersection(tf.constant([[1, 2]]), tf.constant([[2, 3]])))
    )
