"""Compiled Keras models that become Estimators, for both TensorFlows.

    python keras_models.py OUT.npz [eager] [VARIANT:MODEL ...]

``<variant>:<model>/<what>`` as ``run`` returns it, of all variants of all models or of those
named. Variants: ``one`` replica, ``two``, and one with ``saver``'s checkpoints. TensorFlow 1.15
wrote models.npz of tests/keras; with ``eager`` the models are made as TensorFlow 2 makes them.
"""

# ruff: noqa: PTH118, UP031  (runs on Python 3.6 too, with text paths)
import os
import sys
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np

ROWS, BATCH, STEPS = 16, 4, 4


def data():
    """Returns rows [16, 3] and targets [16, 1]."""
    random = np.random.RandomState(5)
    rows = random.normal(size=(ROWS, 3)).astype(np.float32)
    return rows, (rows[:, :1] - 0.5 * rows[:, 1:2] + 0.2).astype(np.float32)


def _constant(keras, units, name, value=0.1, **options):
    initializer = keras.initializers.Constant(value)
    return keras.layers.Dense(units, kernel_initializer=initializer, name=name, **options)


def _two_layers(keras, **options):
    first = _constant(keras, 4, "hidden", activation="tanh", input_shape=(3,), **options)
    return keras.models.Sequential([first, _constant(keras, 1, "answer", 0.3)])


def sequential(tf):
    model = _two_layers(tf.keras)
    model.compile(tf.keras.optimizers.SGD(lr=0.1, momentum=0.9), "mse", metrics=["mae"])
    return model


def weights_set(tf):
    model = sequential(tf)
    model.set_weights([np.full(w.shape.as_list(), 0.25, np.float32) for w in model.weights])
    return model


def regularized_adam(tf):
    model = _two_layers(tf.keras, kernel_regularizer=tf.keras.regularizers.l2(0.1))
    model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    return model


def batch_norm(tf):
    keras = tf.keras
    given = keras.layers.Input((3,), name="row")
    # A bias here would have a gradient of rounding errors alone.
    hidden = _constant(keras, 4, "hidden", use_bias=False)(given)
    hidden = keras.layers.BatchNormalization(momentum=0.7)(hidden)
    model = keras.models.Model(given, _constant(keras, 1, "answer", 0.3)(hidden))
    model.compile(keras.optimizers.RMSprop(0.01), "mse", metrics=["mae"])
    return model


def two_outputs(tf):
    keras = tf.keras
    left = keras.layers.Input((3,), name="left")
    right = keras.layers.Input((3,), name="right")
    both = keras.layers.concatenate([left, right])
    outputs = [
        _constant(keras, 1, "price", 0.2)(both),
        _constant(keras, 1, "bought", 0.1, activation="sigmoid")(both),
    ]
    model = keras.models.Model([left, right], outputs)
    losses = {"price": "mse", "bought": "binary_crossentropy"}
    model.compile(
        keras.optimizers.Adagrad(0.1),
        losses,
        metrics={"bought": ["accuracy"]},
        loss_weights={"price": 2.0, "bought": 0.5},
    )
    return model


def train_optimizer(tf):
    model = _two_layers(tf.keras)
    model.compile(tf.train.AdamOptimizer(0.05), "mse", metrics=["mae"])
    return model


def sample_weights(tf):
    return sequential(tf)


NAMES = [
    "batch_norm",
    "regularized_adam",
    "sample_weights",
    "sequential",
    "train_optimizer",
    "two_outputs",
    "weights_set",
]


def input_fn(tf, name, epochs, batch, predicts=False):
    """Returns a dataset in a fixed order."""
    rows, targets = data()
    features, labels = rows, targets
    if name == "two_outputs":
        features = {"left": rows, "right": rows[::-1]}
        labels = {"price": targets, "bought": (targets > 0).astype(np.float32)}
    if name == "sample_weights" and not predicts:
        weights = np.linspace(0.5, 2.0, ROWS).astype(np.float32)
        features = {"features": rows, "sample_weights": weights}
    return tf.data.Dataset.from_tensor_slices((features, labels)).repeat(epochs).batch(batch)


def run(tf, estimator, make, name, folder, config, batch, checkpoint_format):
    """Trains, evaluates, predicts and exports; returns what can be compared, by name."""
    tf.reset_default_graph()
    tf.keras.backend.clear_session()
    model = globals()[name](tf)
    options = {"checkpoint_format": checkpoint_format}
    made = make(keras_model=model, model_dir=folder, config=config, **options)
    losses = []

    class Losses(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

        def after_run(self, run_context, run_values):
            losses.append(run_values.results)

    made.train(lambda: input_fn(tf, name, None, batch), hooks=[Losses()], steps=STEPS)
    arrays = {"loss": np.asarray(losses)}
    for variable in made.get_variable_names():
        if "OBJECT_GRAPH" not in variable:
            arrays["variable/" + variable] = np.asarray(made.get_variable_value(variable))
    metrics = made.evaluate(lambda: input_fn(tf, name, 1, batch))
    arrays.update({"evaluation/" + key: np.asarray(metrics[key]) for key in metrics})
    rows = list(made.predict(lambda: input_fn(tf, name, 1, batch, predicts=True)))
    for key in rows[0]:
        arrays["prediction/" + key] = np.stack([row[key] for row in rows])
    arrays["exported"] = _exported(tf, estimator, made, name, folder)
    return arrays


def _exported(tf, estimator, made, name, folder):
    one = "row" if name == "batch_norm" else "hidden_input"
    names = ["left", "right"] if name == "two_outputs" else [one]
    with tf.Graph().as_default():
        given = {key: tf.placeholder(tf.float32, [None, 3]) for key in names}
    receiver = estimator.export.build_raw_serving_input_receiver_fn(given)
    saved = made.export_saved_model(os.path.join(folder, "export"), receiver)
    saved = saved.decode() if isinstance(saved, bytes) else saved
    rows = data()[0]
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], saved)
        signature = meta.signature_def["serving_default"]
        feeds = {signature.inputs[key].name: rows for key in signature.inputs}
        outputs = [signature.outputs[key].name for key in sorted(signature.outputs)]
        return np.stack(session.run(outputs, feeds))


def main(path, *options):
    """Runs every model in every variant, or those that the options name."""
    import tensorflow.compat.v1 as tf

    if tf.VERSION.startswith("1."):
        import tensorflow as tf

        estimator, make = tf.estimator, tf.keras.estimator.model_to_estimator
        session = tf.ConfigProto(device_count={"CPU": 2})
    else:
        from tfmigrate_runtime import estimator

        make, session = estimator.model_to_estimator, None
        if "eager" not in options:
            tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    stored = {}
    wanted = [option for option in options if ":" in option]
    for variant in ("one", "two", "saver"):
        # TensorFlow 1.15 fails where a moving average is updated on two replicas.
        for name in [name for name in NAMES if (name, variant) != ("batch_norm", "two")]:
            if wanted and "%s:%s" % (variant, name) not in wanted:
                continue
            two = variant == "two"
            strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]) if two else None
            config = estimator.RunConfig(train_distribute=strategy, session_config=session)
            kind = "saver" if variant == "saver" else "checkpoint"
            batch = BATCH // 2 if two else BATCH
            arrays = run(tf, estimator, make, name, tempfile.mkdtemp(), config, batch, kind)
            print(variant, name, arrays["loss"], flush=True)
            stored.update({"%s:%s/%s" % (variant, name, what): arrays[what] for what in arrays})
    np.savez_compressed(path, **stored)


if __name__ == "__main__":
    main(*sys.argv[1:])
