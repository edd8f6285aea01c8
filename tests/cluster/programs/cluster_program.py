"""One task of a cluster, or one process with two replicas: argv is a JSON object.

Each step's rows follow from the global step alone, so that a training that was resumed sees what an
undisturbed one sees.
"""

import json
import os
import sys
import time

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.INFO)

OPTIONS = json.loads(sys.argv[1])
RANDOM = np.random.RandomState(5)
FEATURES = RANDOM.normal(size=(64, 4)).astype(np.float32)
LABELS = (FEATURES @ RANDOM.normal(size=(4, 1)) + 0.3).astype(np.float32)
BATCH = 8


class Losses(tf.train.SessionRunHook):
    """Keeps losses, and slows training down."""

    def __init__(self):
        self.values = []

    def begin(self):
        self.loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.values.append(float(run_values.results))
        print("loss", self.values[-1], flush=True)
        time.sleep(OPTIONS.get("seconds_a_step", 0))


def input_fn(input_context=None):
    batch = BATCH
    data = tf.data.Dataset.from_tensor_slices(({"x": FEATURES}, LABELS))
    if not OPTIONS.get("global_batch", True):
        # The sharding that a program does for itself: each worker has rows of its own.
        batch //= 2
        if input_context.num_input_pipelines > 1:
            data = data.batch(batch).shard(
                input_context.num_input_pipelines, input_context.input_pipeline_id
            )
            return data.repeat()
    if OPTIONS.get("same_rows"):
        data = data.take(BATCH)
    data = data.repeat().batch(batch)
    if "input_ends_after" in OPTIONS:
        task = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
        data = data.take(OPTIONS["input_ends_after"][task])
    return data


def model_fn(features, labels, mode):
    initial = np.linspace(-0.5, 0.5, 20).reshape(4, 5).astype(np.float32)
    hidden = tf.nn.relu(tf.matmul(features["x"], tf.get_variable("a", initializer=initial)))
    hidden += tf.get_variable("b", [5], initializer=tf.random_normal_initializer(0.1, 0.0))
    output = tf.matmul(hidden, tf.get_variable("c", initializer=initial.reshape(5, 4)[:, :1]))
    loss = tf.losses.mean_squared_error(labels, output)
    optimizer = tf.train.AdamOptimizer(0.02)
    if OPTIONS["strategy"].startswith("parameter_server"):
        optimizer = tf.train.GradientDescentOptimizer(0.02)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, output)}
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def strategy():
    kind = OPTIONS["strategy"]
    two = ["/device:CPU:0", "/device:CPU:1"]
    if kind == "mirrored":
        return tf.distribute.MirroredStrategy(two)
    if kind == "central":
        return tf.distribute.experimental.CentralStorageStrategy(two, "/device:CPU:0")
    if kind == "parameter_server":
        return tf.distribute.experimental.ParameterServerStrategy()
    if kind == "multi_worker":
        return tf.distribute.experimental.MultiWorkerMirroredStrategy()
    return None


def main():
    evaluator = json.loads(os.environ.get("TF_CONFIG", "{}")).get("task", {}).get("type")
    config = estimator.RunConfig(
        train_distribute=None if evaluator == "evaluator" else strategy(),
        global_batch=OPTIONS.get("global_batch", True),
        save_checkpoints_steps=OPTIONS.get("save_steps", 1000),
        save_summary_steps=10,
        log_step_count_steps=10,
        session_creation_timeout_secs=OPTIONS.get("timeout", 60),
        experimental_peer_timeout_secs=5,
    )
    made = estimator.Estimator(model_fn, OPTIONS["model_dir"], config)
    losses = Losses()
    train_spec = estimator.TrainSpec(input_fn, OPTIONS["steps"], [losses])
    eval_spec = estimator.EvalSpec(
        lambda: tf.data.Dataset.from_tensor_slices(({"x": FEATURES}, LABELS)).batch(16),
        steps=None,
        start_delay_secs=0,
        throttle_secs=0,
    )
    if OPTIONS.get("train_and_evaluate"):
        print("result", estimator.train_and_evaluate(made, train_spec, eval_spec), flush=True)
    else:
        made.train(input_fn, [losses], max_steps=OPTIONS["steps"])
    print("DONE", json.dumps(losses.values), flush=True)


if __name__ == "__main__":
    main()
