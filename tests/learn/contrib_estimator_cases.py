"""Programs with contrib.learn.Estimator, for TensorFlow 1.15 and for the runtime."""

import functools

import numpy as np
import tensorflow.compat.v1 as tf

ROWS = 10
X = np.array([[(3 * i + 5 * j) % 7 / 4.0 for j in range(3)] for i in range(ROWS)], np.float32)
Y = np.array([[0.5 * row[0] - row[1] + 0.25] for row in X], np.float32)
WEIGHTS = np.array([float(i % 3) for i in range(ROWS)], np.float32)[:, None]

# The values of contrib.learn's ProblemType, which TensorFlow 1.15 has no public name for.
UNSPECIFIED, CLASSIFICATION, LINEAR_REGRESSION = 0, 1, 2


class Losses(tf.train.SessionRunHook):
    """Notes the loss of every step, the last one that was added to the collection."""

    def __init__(self):
        self.values = []

    def begin(self):
        self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self.values.append(run_values.results)


def dataset(batch_size, epochs=None):
    """Returns batches of features by name and labels."""
    rows = ({"x": X, "weight": WEIGHTS}, Y)
    return tf.data.Dataset.from_tensor_slices(rows).repeat(epochs).batch(batch_size)


def tensors(batch_size, epochs=None):
    """Returns the tensors of the next batch."""
    return tf.data.make_one_shot_iterator(dataset(batch_size, epochs)).get_next()


def network(x):
    """Returns a prediction of one number a row."""
    w = tf.get_variable("w", [3, 4], initializer=tf.constant_initializer(0.3))
    v = tf.get_variable("v", [4, 1], initializer=tf.constant_initializer([0.2, -0.3, 0.4, 0.1]))
    return tf.matmul(tf.nn.relu(tf.matmul(x, w)), v)


def tuple_model_fn(features, labels, mode, params):
    """Returns (predictions, loss, train_op), in every mode."""
    assert mode in ("train", "eval", "infer")
    output = network(features["x"])
    loss = tf.losses.mean_squared_error(labels, output)
    optimizer = tf.train.AdamOptimizer(params["rate"])
    return output, loss, optimizer.minimize(loss, tf.train.get_global_step())


def named_model_fn(
    learn, inputs, targets, mode, params=None, config=None, model_dir=None, has_heads=True
):
    """Returns ModelFnOps; its own "loss" replaces the averaged one."""
    assert (config.model_dir, params) == (model_dir, None)
    output = network(inputs["x"])
    loss = train_op = None
    metrics = {}
    if mode != learn.ModeKeys.INFER:
        loss = tf.losses.mean_squared_error(targets, output)
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
    if mode == learn.ModeKeys.EVAL:
        metrics = {
            "loss": tf.metrics.mean(loss * 2.0),
            "error": tf.metrics.mean_absolute_error(targets, output),
        }
    outputs = {"y": output, "twice": 2.0 * output}
    heads = {
        "value": (LINEAR_REGRESSION, {"scores": output}),
        "classes": (CLASSIFICATION, {"scores": output}),
        "all": (UNSPECIFIED, outputs),
    }
    return learn.ModelFnOps(mode, outputs, loss, train_op, metrics, heads if has_heads else None)


def doubled(features, labels):
    """Engineers features."""
    return dict(features, x=features["x"] * 2.0), labels


def absolute_error(predictions, labels):
    """A metric without a MetricSpec: predictions come first."""
    return tf.metrics.mean_absolute_error(labels, predictions)


def tuple_case(learn, folder, config):
    """Trains, evaluates with metrics and predicts with a tuple and engineered features."""
    est = learn.Estimator(tuple_model_fn, folder, config, {"rate": 0.05}, doubled)
    losses = Losses()
    est.fit(input_fn=functools.partial(tensors, 4), steps=6, monitors=[losses])
    est.partial_fit(input_fn=functools.partial(tensors, 4), monitors=[losses])
    est.fit(input_fn=functools.partial(tensors, 4), max_steps=7, monitors=[losses])  # is reached
    metrics = {
        "weighted": learn.MetricSpec(tf.metrics.mean_absolute_error, weight_key="weight"),
        "bare": absolute_error,
        "value_alone": learn.MetricSpec(lambda predictions: tf.reduce_max(predictions)),
    }
    found = est.evaluate(
        input_fn=functools.partial(tensors, 5), steps=3, metrics=metrics, name="some"
    )
    predicted = list(est.predict(input_fn=functools.partial(tensors, 4, 1)))
    whole = est.predict(input_fn=functools.partial(tensors, 4, 1), as_iterable=False)
    batches = list(est.predict(input_fn=functools.partial(tensors, 4, 1), iterate_batches=True))
    results = {"losses": losses.values, "predicted": predicted, "whole": whole, "batches": batches}
    return dict(results, **described(est, found))


def named_case(learn, folder, config):
    """Trains, evaluates and exports several heads with ModelFnOps."""
    model_fn = functools.partial(named_model_fn, learn)
    est = learn.Estimator(model_fn, folder, config)
    losses = Losses()
    est.fit(input_fn=functools.partial(tensors, 4), max_steps=6, monitors=[losses])
    metrics = {"error": learn.MetricSpec(tf.metrics.mean_squared_error, prediction_key="twice")}
    found = est.evaluate(input_fn=functools.partial(tensors, 4, 1), metrics=metrics)
    pairs = est.evaluate(
        input_fn=functools.partial(tensors, 4, 1), metrics={("of_y", "y"): absolute_error}
    )
    predictions = list(est.predict(input_fn=functools.partial(tensors, 4, 1), outputs=["twice"]))
    results = {"losses": losses.values, "predicted": [row["twice"] for row in predictions]}
    results["names"] = sorted(predictions[0])
    results.update(("pairs/" + name, value) for name, value in pairs.items())
    results.update(exported(est, folder + "/of_examples", serialized(learn), "all"))
    headless = learn.Estimator(functools.partial(model_fn, has_heads=False), folder, config)
    results.update(exported(headless, folder + "/of_arrays", raw(learn), None))
    return dict(results, **described(est, found))


def arrays_case(learn, folder, config):
    """Trains, evaluates and predicts with arrays: shuffled, and without a rest."""

    def model_fn(features, labels, mode):
        output = network(features)[:, 0]
        loss = None if labels is None else tf.losses.mean_squared_error(labels, output)
        if mode == learn.ModeKeys.INFER:
            return learn.ModelFnOps(mode, output)
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        return output, loss, optimizer.minimize(loss, tf.train.get_global_step())

    est = learn.Estimator(model_fn, folder, config)
    losses = Losses()
    est.fit(X, Y, batch_size=4, steps=7, monitors=[losses])
    est.fit(X, Y[:, 0], steps=2, monitors=[losses])
    est.partial_fit(X, Y, monitors=[losses])
    found = est.evaluate(X, Y, batch_size=4)
    found["of_some"] = est.evaluate(X, Y, batch_size=4, steps=2)["loss"]
    found["score"] = learn.SKCompat(est).score(X, Y, batch_size=3)["loss"]
    whole = est.predict(X, as_iterable=False)
    predicted = list(est.predict(X, batch_size=4))
    results = {"losses": losses.values, "predicted": predicted, "whole": whole}
    return dict(results, **described(est, found))


def serialized(learn):
    """Takes serialized examples."""
    spec = {"x": tf.FixedLenFeature([3], tf.float32)}
    return learn.utils.input_fn_utils.build_parsing_serving_input_fn(spec)


def raw(learn):
    """Takes features."""

    def input_fn():
        example = {"x": tf.placeholder(tf.float32, [1, 3], name="x_of_request")}
        return learn.utils.input_fn_utils.build_default_serving_input_fn(example)()

    return input_fn


def exported(est, folder, input_fn, default):
    """Returns the signatures of an export: methods, inputs, outputs."""
    path = est.export_savedmodel(folder, input_fn, default_output_alternative_key=default)
    with tf.Graph().as_default(), tf.Session() as session:
        graph = tf.saved_model.load(session, ["serve"], tf.compat.as_str_any(path))
        kind = folder.split("/")[-1]
        lines = []
        for name, signature in graph.signature_def.items():
            inputs = sorted("in:" + key for key in signature.inputs)
            outputs = sorted("out:" + key for key in signature.outputs)
            lines.append(" ".join([name, signature.method_name, *inputs, *outputs]))
        results = {kind + "/signatures": sorted(lines)}
        features = sorted(graph.collection_def["input_feature_keys"].bytes_list.value)
        results[kind + "/features"] = [tf.compat.as_str_any(name) for name in features]
        if kind == "of_arrays":
            signature = graph.signature_def["serving_default"]
            fed = {signature.inputs["x"].name: X[:3]}
            results[kind + "/y"] = session.run(signature.outputs["y"].name, fed)
    return results


def described(est, metrics):
    """Returns metrics, and the variables of the latest checkpoint."""
    results = {"metrics/" + name: value for name, value in metrics.items()}
    for name in est.get_variable_names():
        results["variables/" + name] = est.get_variable_value(name)
    return results


CASES = {"tuple": tuple_case, "named": named_case, "arrays": arrays_case}
