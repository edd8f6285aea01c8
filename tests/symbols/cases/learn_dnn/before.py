"""tf.contrib.learn's DNNClassifier and DNNRegressor: trained, evaluated, asked."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, learn


def rising(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.linspace(-0.5, 0.5, int(np.prod(shape))), shape)


def start_at_numbers():
    return tf.contrib.framework.arg_scope(
        [tf.contrib.layers.fully_connected], weights_initializer=rising
    )


def input_fn():
    features = {
        "age": tf.constant([[1.0], [2.0], [-1.0], [0.5]]),
        "shop": tf.constant([["north"], ["south"], ["east"], ["north"]]),
        "weight": tf.constant([1.0, 2.0, 0.5, 1.0]),
    }
    return features, tf.constant([[1], [0], [1], [1]])


def numbers_fn():
    features, labels = input_fn()
    return features, tf.cast(labels, tf.float32) * 3.0


columns = [
    layers.real_valued_column("age"),
    layers.embedding_column(
        layers.sparse_column_with_hash_bucket("shop", 10), dimension=3, initializer=rising
    ),
]
with start_at_numbers():
    classifier = learn.DNNClassifier(
        hidden_units=[4, 3],
        feature_columns=columns,
        model_dir="classifier",
        weight_column_name="weight",
        activation_fn=tf.nn.tanh,
        gradient_clip_norm=1.0,
        embedding_lr_multipliers={columns[1]: 0.5},
    )
    classifier.fit(input_fn=input_fn, steps=5)
    found = classifier.evaluate(input_fn=input_fn, steps=1)
    regressor = tf.contrib.learn.DNNRegressor(
        hidden_units=[3],
        feature_columns=columns,
        model_dir="regressor",
        optimizer=tf.train.GradientDescentOptimizer(0.1),
    )
    regressor.fit(input_fn=numbers_fn, steps=4)
    numbers = regressor.evaluate(
        input_fn=numbers_fn,
        steps=1,
        metrics={
            "error": learn.MetricSpec(tf.contrib.metrics.streaming_mean_absolute_error, "scores")
        },
    )
    result = {"c " + name: value for name, value in found.items()}
    result.update({"r " + name: value for name, value in numbers.items()})
    names = [name for name in classifier.get_variable_names() if "learning_rate" not in name]
    result["names"] = sorted(names)
    result["weights"] = classifier.get_variable_value("dnn/hiddenlayer_0/weights")
    result["classes"] = list(classifier.predict_classes(input_fn=input_fn))[:4]
    result["probabilities"] = list(classifier.predict_proba(input_fn=input_fn))[:4]
    result["scores"] = list(regressor.predict_scores(input_fn=numbers_fn))[:4]
