"""tf.contrib.learn's LinearClassifier and LinearRegressor."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import layers, learn


def input_fn():
    features = {
        "age": tf.constant([[1.0], [2.0], [-1.0], [0.5]]),
        "kind": tf.SparseTensor([[0, 0], [1, 0], [1, 1], [3, 0]], ["a", "b", "c", "a"], [4, 2]),
    }
    return features, tf.constant([[2], [0], [1], [2]])


def named_fn():
    features, _ = input_fn()
    return features, tf.constant([["toy"], ["bag"], ["pen"], ["toy"]])


def numbers_fn():
    features, labels = input_fn()
    return features, tf.cast(labels, tf.float32)


age = layers.real_valued_column("age")
kind = layers.sparse_column_with_hash_bucket("kind", hash_bucket_size=20)
columns = [kind, layers.bucketized_column(age, [0.0, 1.5]), age]
classifier = learn.LinearClassifier(columns, model_dir="classifier", n_classes=3)
classifier.fit(input_fn=input_fn, steps=6)
found = classifier.evaluate(input_fn=input_fn, steps=1)
named = learn.LinearClassifier(
    columns[:1],
    model_dir="named",
    n_classes=3,
    label_keys=["bag", "pen", "toy"],
    optimizer=tf.train.GradientDescentOptimizer(0.2),
    gradient_clip_norm=0.5,
    _joint_weight=True,
)
named.fit(input_fn=named_fn, steps=6)
regressor = learn.LinearRegressor(columns, model_dir="regressor", optimizer="Adagrad")
regressor.fit(input_fn=numbers_fn, steps=3)
result = {"c " + name: value for name, value in found.items()}
result.update(
    {"n " + name: value for name, value in named.evaluate(input_fn=named_fn, steps=1).items()}
)
result.update(
    {
        "r " + name: value
        for name, value in regressor.evaluate(input_fn=numbers_fn, steps=1).items()
    }
)
result["names"] = sorted(n for n in classifier.get_variable_names() if "learning_rate" not in n)
result["bias"] = classifier.get_variable_value("linear/bias_weight")
result["classes"] = list(classifier.predict(input_fn=input_fn))[:4]
result["keys"] = list(named.predict(input_fn=named_fn))[:4]
result["probabilities"] = list(classifier.predict_proba(input_fn=input_fn))[:4]
result["scores"] = list(regressor.predict(input_fn=numbers_fn))[:4]
