"""An Estimator's task in clusters, one after the other: plain, collective, servers.

    estimator_cluster.py FOLDER TASKS

TASKS is JSON, the TF_CONFIG of each cluster that the process has a task in. Prints "RUNS kind",
then "CONFIG ..." for what the model function gets, "EVALUATED step" for each evaluation, "RESULT
step w" for the last checkpoint and "DONE". Runs on TensorFlow 1.15 and under the legacy runtime.
"""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
    return [1.0, 2.0 + (config.global_id_in_cluster if kind == "collective" else 0)]


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


class TogetherHook(tf.train.SessionRunHook):
    """Keeps the chief from ending before the worker has come, which starts 5 s later."""

    def __init__(self, folder, task):
        self._begun = folder / "begun"
        self._is_worker = task == "worker"

    def after_create_session(self, session, coord):
        if self._is_worker:
            self._begun.touch()

    def before_run(self, run_context):
        while not self._begun.exists():
            time.sleep(0.05)


def run(kind, task, folder):
    strategy = STRATEGIES[kind]()
    options = {"experimental_distribute": DistributeConfig(strategy)} if strategy else {}
    config = tf.estimator.RunConfig(str(folder / kind), save_checkpoints_steps=1000, **options)
    estimator = tf.estimator.Estimator(model_fn, config=config, params={"kind": kind})
    hooks = [] if strategy else [TogetherHook(folder, task)]
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(input_fn, max_steps=STEPS[kind], hooks=hooks),
        tf.estimator.EvalSpec(
            input_fn, steps=1, start_delay_secs=0, throttle_secs=1, hooks=[EvaluationHook()]
        ),
    )
    if task == "chief":
        reader = tf.train.load_checkpoint(str(folder / kind))
        w = reader.get_tensor("w").tolist()
        print("RESULT", json.dumps([int(reader.get_tensor("global_step")), w]))


def main(folder, tasks):
    for kind, config in tasks.items():
        print("RUNS", kind)
        sys.stdout.flush()
        os.environ["TF_CONFIG"] = json.dumps(config)
        with ThreadPoolExecutor(1) as thread:  # the coordinator keeps one cluster for each thread
            thread.submit(run, kind, config["task"]["type"], folder).result()
        print("DONE")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
