"""An Estimator's task in the cluster of TF_CONFIG: plain, collective, servers.

    estimator_cluster.py KIND FOLDER

Prints "CONFIG ..." for what the model function gets, "EVALUATED step" for each evaluation, and
"RESULT step w" for the last checkpoint. Runs on TensorFlow 1.15 and under the legacy runtime.
"""

import json
import os
import sys

import tensorflow as tf
from tensorflow.contrib.distribute import (
    CollectiveAllReduceStrategy,
    DistributeConfig,
    ParameterServerStrategy,
)

STRATEGIES = {
    "plain": lambda: None,
    "collective": CollectiveAllReduceStrategy,
    "servers": ParameterServerStrategy,
}
STEPS = {"plain": 40, "collective": 6, "servers": 6}


def input_fn():
    return tf.data.Dataset.from_tensors({"x": [[0.0]]}).repeat(200)


def target_of(config, kind):
    """The workers of a strategy that adds up gradients have targets of their own."""
    return [1.0, 2.0 + (config.task_id if kind == "collective" else 0)]


def model_fn(features, labels, mode, params, config):
    task = [config.task_type, config.task_id, config.is_chief]
    counts = [config.num_worker_replicas, config.num_ps_replicas, config.global_id_in_cluster]
    print("CONFIG", json.dumps([mode, *task, *counts, bool(config.master)]))
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    loss = tf.reduce_sum(tf.square(w - target_of(config, params["kind"])))
    loss += tf.reduce_mean(features["x"])
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class EvaluationHook(tf.train.SessionRunHook):
    """Prints which global step is evaluated."""

    def end(self, session):
        print("EVALUATED", session.run(tf.train.get_global_step()))


def main(kind, folder):
    strategy = STRATEGIES[kind]()
    options = {"experimental_distribute": DistributeConfig(strategy)} if strategy else {}
    config = tf.estimator.RunConfig(folder, save_checkpoints_steps=1000, **options)
    estimator = tf.estimator.Estimator(model_fn, config=config, params={"kind": kind})
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(input_fn, max_steps=STEPS[kind]),
        tf.estimator.EvalSpec(
            input_fn, steps=1, start_delay_secs=0, throttle_secs=1, hooks=[EvaluationHook()]
        ),
    )
    if json.loads(os.environ["TF_CONFIG"])["task"]["type"] == "chief":
        reader = tf.train.load_checkpoint(folder)
        w = reader.get_tensor("w").tolist()
        print("RESULT", json.dumps([int(reader.get_tensor("global_step")), w]))
    print("DONE")


if __name__ == "__main__":
    main(*sys.argv[1:])
