"""What the heads of tf.contrib.learn's ready-made models compute. Python 3.7."""

import tensorflow as tf
from learn_program_support import case, told

learn, layers = tf.contrib.learn, tf.contrib.layers
AGE = layers.real_valued_column("age")
KIND = layers.sparse_column_with_keys("kind", ["a", "b", "c"])


def rows(labels):
    """Returns an input function with weights."""

    def input_fn():
        features = {
            "age": tf.constant([[1.0], [2.0], [-1.0], [0.5]]),
            "kind": tf.constant([["a"], ["b"], ["c"], ["a"]]),
            "weight": tf.constant([1.0, 2.0, 0.5, 3.0]),
        }
        return features, tf.constant(labels)

    return input_fn


def described(est, labels, outputs):
    """Trains, evaluates and predicts; returns all numbers by name."""
    est.fit(input_fn=rows(labels), steps=3)
    found = est.evaluate(input_fn=rows(labels), steps=1)
    result = {"metric " + name: float(value) for name, value in found.items()}
    for name in est.get_variable_names():
        result["variable " + name] = est.get_variable_value(name).ravel().tolist()
    for name in outputs:
        predicted = est.predict(input_fn=rows(labels), outputs=[name])
        result["output " + name] = [row[name].ravel().tolist() for row in predicted]
    return result


def linear(folder, head, **options):
    """Returns a linear model, which starts from zeros."""
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    columns = [AGE, KIND]
    return learn.LinearEstimator(columns, head, folder, optimizer=optimizer, **options)


@case
def two_classes(folder):
    head = learn.multi_class_head(
        2,
        weight_column_name="weight",
        head_name="two",
        thresholds=[0.4, 0.6],
    )
    outputs = ["logits", "logistic", "probabilities", "classes"]
    return described(linear(folder, head), [[1], [0], [0], [1]], outputs)


@case
def three_classes(folder):
    head = learn.multi_class_head(3, weight_column_name="weight", metric_class_ids=[0, 2])
    return described(linear(folder, head), [[1], [0], [2], [1]], ["probabilities", "classes"])


@case
def numbers(folder):
    head = learn.regression_head(weight_column_name="weight", label_dimension=2)
    labels = [[1.0, 2.0], [0.0, 1.0], [3.0, -1.0], [0.5, 0.5]]
    return described(linear(folder, head), labels, ["scores"])


@case
def counts(folder):
    head = learn.poisson_regression_head()
    return described(linear(folder, head, _joint_weights=False), [1.0, 2.0, 0.0, 4.0], ["scores"])


@case
def centered_biases(folder):
    """The rest of the model may see a step's bias before or after its update: it is left out."""
    heads = {
        "two": learn.multi_class_head(2, weight_column_name="weight", enable_centered_bias=True),
        "three": learn.multi_class_head(3, enable_centered_bias=True, head_name="kind"),
    }
    found = {}
    for name, head in heads.items():
        est = linear(folder + "/" + name, head)
        est.fit(input_fn=rows([[1], [0], [0], [1]]), steps=3)
        names = [each for each in est.get_variable_names() if "centered" in each]
        found[name] = {each: est.get_variable_value(each).tolist() for each in names}
    return found


@case
def own_loss(folder):
    def loss_fn(labels, logits, weights=None):
        return tf.reduce_sum(tf.abs(tf.cast(labels, tf.float32) - logits))

    head = learn.multi_class_head(2, loss_fn=loss_fn)
    return described(linear(folder, head), [[1], [0], [0], [1]], ["logits"])


@case
def names_of_variables(folder):
    """Those of a network are drawn: only their names and shapes are looked at."""
    network = learn.DNNClassifier(
        [3], [AGE, layers.one_hot_column(KIND)], folder, enable_centered_bias=True, dropout=0.5
    )
    network.fit(input_fn=rows([[1], [0], [0], [1]]), steps=2)
    return sorted([name, list(shape)] for name, shape in tf.train.list_variables(folder))


@case
def heads_refuse(folder):
    def no_weights(labels, logits):
        return labels

    calls = {
        "one class": lambda: learn.multi_class_head(1),
        "ids of two": lambda: learn.multi_class_head(2, metric_class_ids=[1]),
        "keys of two": lambda: learn.multi_class_head(2, label_keys=["a", "b"]),
        "ids": lambda: learn.multi_class_head(3, metric_class_ids=[3]),
        "keys": lambda: learn.multi_class_head(3, label_keys=["a"]),
        "loss": lambda: learn.multi_class_head(2, loss_fn=no_weights),
        "no numbers": lambda: learn.regression_head(label_dimension=0),
        "no columns": learn.DNNLinearCombinedRegressor,
    }
    return {name: told(folder, call)["result"] for name, call in calls.items()}
