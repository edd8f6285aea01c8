"""tf.contrib.learn's DNNLinearCombined models: "wide and deep"."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import framework
from tfmigrate_runtime import learn
from tfmigrate_runtime import layers
from tfmigrate_runtime.learn import DNNLinearCombinedClassifier


def rising(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.linspace(-0.5, 0.5, int(np.prod(shape))), shape)


def start_at_numbers():
    return framework.arg_scope(
        [layers.fully_connected], weights_initializer=rising
    )


def input_fn():
    features = {
        "age": tf.constant([[1.0], [2.0], [-1.0], [0.5]]),
        "kind": tf.constant([["a"], ["b"], ["c"], ["a"]]),
    }
    return features, tf.constant([[1], [0], [0], [1]])


age = layers.real_valued_column("age")
kind = layers.sparse_column_with_keys("kind", ["a", "b", "c"])
ages = layers.bucketized_column(age, [0.0, 1.5])
wide = [kind, ages, layers.crossed_column([kind, ages], hash_bucket_size=30)]
deep = [age, layers.embedding_column(kind, dimension=2, initializer=rising)]
with start_at_numbers():
    classifier = DNNLinearCombinedClassifier(
        model_dir="classifier",
        linear_feature_columns=wide,
        dnn_feature_columns=deep,
        dnn_hidden_units=[4, 2],
    )
    # The step counts twice a run: at an even number, chance decides which run is the last.
    classifier.fit(input_fn=input_fn, steps=7)
    found = classifier.evaluate(input_fn=input_fn, steps=1)
    regressor = learn.DNNLinearCombinedRegressor(
        model_dir="regressor",
        linear_feature_columns=wide,
        linear_optimizer=tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        dnn_feature_columns=deep,
        dnn_hidden_units=[3],
        dnn_optimizer=tf.train.AdamOptimizer(0.01),
        fix_global_step_increment_bug=True,
    )
    regressor.fit(input_fn=input_fn, steps=4)
    numbers = regressor.evaluate(input_fn=input_fn, steps=1)
    result = {"c " + name: value for name, value in found.items()}
    result.update({"r " + name: value for name, value in numbers.items()})
    names = [name for name in classifier.get_variable_names() if "learning_rate" not in name]
    result["names"] = sorted(names)
    result["probabilities"] = list(classifier.predict_proba(input_fn=input_fn))[:4]
    result["scores"] = list(regressor.predict_scores(input_fn=input_fn))[:4]
