"""What programs do with packages of tf.contrib that no symbol case has; prints JSON.

It runs on TensorFlow 1.15 (scripts/record/record_contrib_packages.py) and under the legacy runtime.
"""

import itertools
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.contrib.rnn.python.ops import core_rnn_cell
from tensorflow.contrib.tensorboard.plugins import projector

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "learn"))
import hparams_cases

tpu = tf.contrib.tpu
layers = tf.contrib.layers
X = np.arange(12, dtype=np.float32).reshape(4, 3) / 12


def told(function, *arguments, **options):
    """Returns the error that a call raises."""
    try:
        function(*arguments, **options)
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


def fresh():
    tf.reset_default_graph()
    tf.set_random_seed(1)
    tf.train.create_global_step()


def optimized(**options):
    """Returns the variable after three steps, all variables' names, and the tags of summaries."""
    fresh()
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer([0.5, -1.0, 2.0]))
    table = tf.get_variable("table", [5, 1], initializer=tf.constant_initializer(0.25))
    rows = tf.nn.embedding_lookup(table, [1, 3, 3, 4])
    loss = tf.reduce_mean(tf.square(tf.matmul(X, w) + rows - 1.0))
    arguments = {"global_step": None, "learning_rate": 0.1, "optimizer": "SGD"}
    arguments.update({k: v(w) if k == "gradient_multipliers" else v for k, v in options.items()})
    step = layers.optimize_loss(loss, **arguments)
    merged = tf.summary.merge_all()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [float(session.run(step)) for _ in range(3)]
        tags = []
        if merged is not None:
            tags = [v.tag for v in tf.Summary.FromString(session.run(merged)).value]
        return {
            "losses": losses,
            "w": session.run(w).ravel().tolist(),
            "table": session.run(table).ravel().tolist(),
            "step": int(session.run(tf.train.get_global_step())),
            "name": step.name,
            "variables": sorted(v.name for v in tf.global_variables()),
            "tags": sorted(tags),
        }


def optimize_loss():
    def halved(rate, step):
        return tf.train.exponential_decay(rate, step, 1, 0.5)

    adaptive = tf.contrib.slim.adaptive_clipping_fn
    return {
        "plain": optimized(),
        "no step": optimized(increment_global_step=False, name="training"),
        "decay": optimized(learning_rate_decay_fn=halved),
        "clipped": optimized(clip_gradients=0.1, summaries=list(layers.OPTIMIZER_SUMMARIES)),
        "adaptive": optimized(
            clip_gradients=adaptive(std_factor=0.1, decay=0.5, report_summary=True)
        ),
        "static": optimized(clip_gradients=adaptive(decay=0.5, static_max_norm=0.2)),
        "multiplied": optimized(gradient_multipliers=lambda w: {w: 2.0, "table:0": 0.5}),
        "momentum": optimized(optimizer="Momentum"),
        "class": optimized(optimizer=tf.train.AdagradOptimizer),
        "object": optimized(optimizer=tf.train.FtrlOptimizer(0.2), learning_rate=None),
        "function": optimized(optimizer=lambda rate: tf.train.AdamOptimizer(rate, beta1=0.5)),
        "errors": [
            told(optimized, **options)
            for options in (
                {"optimizer": "Nadam"},
                {"learning_rate": None},
                {"learning_rate": 1},
                {"learning_rate": -1.0},
                {"optimizer": 3},
                {"optimizer": lambda rate: 3},
                {"summaries": ["weights"]},
                {"clip_gradients": 1},
                {"optimizer": tf.train.AdamOptimizer, "learning_rate": None},
            )
        ],
    }


def linear():
    fresh()
    with tf.variable_scope("one", initializer=tf.constant_initializer(0.5)):
        one = core_rnn_cell._linear(
            [tf.constant(X), tf.constant(X[:, :1])], 2, True, bias_initializer=None
        )
    with tf.variable_scope("two", initializer=tf.constant_initializer(0.25)):
        two = core_rnn_cell._linear(tf.constant(X), 1, False)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return {
            "one": session.run(one).tolist(),
            "two": session.run(two).tolist(),
            "variables": [v.name for v in tf.global_variables()],
            "errors": [
                told(core_rnn_cell._linear, [], 2, True),
                told(core_rnn_cell._linear, tf.zeros([2]), 2, True),
            ],
        }


def compatible_cells():
    fresh()
    start = tf.random_uniform_initializer(-0.5, 0.5, seed=3)
    sequence = tf.constant(np.sin(np.arange(24, dtype=np.float32)).reshape(2, 4, 3))
    said = {}
    for name in ("CudnnCompatibleLSTMCell", "CudnnCompatibleGRUCell"):
        with tf.variable_scope(name, initializer=start):
            cell = getattr(tf.contrib.cudnn_rnn, name)(2)
            outputs, _ = tf.nn.dynamic_rnn(cell, sequence, dtype=tf.float32)
            gradient = tf.gradients(outputs, tf.trainable_variables(name)[0])[0]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            said[name] = {
                "outputs": session.run(outputs).tolist(),
                "gradient": session.run(gradient).tolist(),
            }
    said["variables"] = [[v.name, v.shape.as_list()] for v in tf.global_variables()]
    return said


def embeddings():
    folder = tempfile.mkdtemp()
    config = projector.ProjectorConfig()
    config.model_checkpoint_path = "model.ckpt"
    added = config.embeddings.add()
    added.tensor_name = "words"
    added.metadata_path = "words.tsv"
    added.tensor_shape.extend([3, 2])
    added.sprite.image_path = "sprite.png"
    added.sprite.single_image_dim.extend([28, 28])
    fresh()
    writer = tf.summary.FileWriter(folder)
    projector.visualize_embeddings(writer, config)
    text = Path(folder, "projector_config.pbtxt").read_text()
    return {"text": text, "bytes": config.SerializeToString().hex()}


def tpu_model(features, labels, mode, params):
    w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.5))
    predictions = tf.squeeze(tf.matmul(features["x"], w), 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tpu.TPUEstimatorSpec(mode, predictions={"p": predictions})
    loss = tf.losses.mean_squared_error(labels, predictions)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    if params["use_tpu"]:
        optimizer = tpu.CrossShardOptimizer(optimizer)

    def metrics(found, expected):
        return {"mse": tf.metrics.mean_squared_error(expected, found)}

    return tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=optimizer.minimize(loss, tf.train.get_or_create_global_step()),
        eval_metrics=(metrics, [predictions, labels]),
    )


def tpu_estimator():
    batches = []

    def input_fn(params):
        batches.append(params["batch_size"])
        x = np.arange(64, dtype=np.float32).reshape(32, 2) / 64
        data = tf.data.Dataset.from_tensor_slices(({"x": x}, x.sum(1) * 2))
        return data.repeat().batch(params["batch_size"], drop_remainder=True)

    config = tpu.RunConfig(
        model_dir=tempfile.mkdtemp(),
        save_checkpoints_steps=5,
        tpu_config=tpu.TPUConfig(
            iterations_per_loop=10,
            num_shards=8,
            per_host_input_for_training=tpu.InputPipelineConfig.PER_HOST_V2,
        ),
    )
    assert tf.estimator.tpu.RunConfig is tpu.RunConfig
    estimator = tpu.TPUEstimator(
        use_tpu=False,
        model_fn=tpu_model,
        config=config,
        train_batch_size=8,
        eval_batch_size=4,
        predict_batch_size=2,
        params={"use_tpu": False},
    )
    estimator.train(input_fn, max_steps=12)
    evaluated = estimator.evaluate(input_fn, steps=3)
    predicted = [p["p"] for p in itertools.islice(estimator.predict(input_fn), 3)]
    return {
        "batches": batches,
        "evaluated": {key: float(value) for key, value in evaluated.items()},
        "predicted": [float(p) for p in predicted],
        "w": estimator.get_variable_value("w").ravel().tolist(),
        "params": estimator.params,
        "reserved": told(tpu.TPUEstimator, tpu_model, None, config, {"batch_size": 1}, False, 8),
    }


def hparams():
    return hparams_cases.results(tf.contrib.training)


tf.logging.set_verbosity(tf.logging.ERROR)
said = {
    f.__name__: f()
    for f in (optimize_loss, linear, compatible_cells, embeddings, tpu_estimator, hparams)
}
print("\n" + json.dumps(said, sort_keys=True))
