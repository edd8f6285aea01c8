"""What clusters and learn_runner make of an Experiment. Python 3.7."""

import functools
import os

import tensorflow as tf
from learn_program_support import (
    CLOCK,
    CLUSTER,
    case,
    eval_rows,
    in_cluster,
    model_fn,
    plain_core,
    rows,
    told,
)
from tensorflow.contrib.learn.python.learn import learn_runner

learn = tf.contrib.learn


class Told(learn.Experiment):
    """Lists what training is called with."""

    number = 3

    def _call_train(self, **options):
        hooks = options["hooks"]
        waits = [hook._wait_until_step for hook in hooks if hasattr(hook, "_wait_until_step")]
        CLOCK.events.append(["call_train", options.get("max_steps"), waits])


class Named(learn.Experiment):
    """Returns the names of schedules."""

    def train(self, delay_secs=None):
        raise ValueError("train")

    def train_and_evaluate(self):
        raise ValueError("train_and_evaluate")

    def run_std_server(self):
        raise ValueError("run_std_server")


@case
def delays_of_workers(folder):
    found = []
    big = {"worker": [f"w:{i}" for i in range(14)], "ps": ["p:1"]}
    for index in (0, 1, 2, 13):
        for by_step in (False, True):
            in_cluster("worker", index, cluster=big)
            exp = Told(
                plain_core(folder),
                rows,
                eval_rows,
                train_steps=5,
                delay_workers_by_global_step=by_step,
            )
            found.append(told(folder, exp.train))
    return found


@case
def servers(folder):
    """One is started in the cloud, before the delay."""
    found = []
    for environment in ("cloud", "local", "google", "other"):
        in_cluster("worker", 1, environment)
        found.append(told(folder, Told(plain_core(folder), rows, eval_rows).train))
    in_cluster("ps", 0)
    found.append(told(folder, Told(plain_core(folder), rows, eval_rows).run_std_server))
    os.environ.pop("TF_CONFIG")
    found.append(told(folder, Told(plain_core(folder), rows, eval_rows).run_std_server))
    return found


@case
def cluster_of_another_run_config(folder):
    cluster = {"chief": ["a:1"], "worker": ["b:1"], "ps": ["d:1"]}
    in_cluster("worker", 0, cluster=cluster)
    exp = Told(tf.estimator.Estimator(model_fn, folder), rows, eval_rows)
    return told(folder, exp.train)


@case
def default_schedules(folder):
    def make(run_config, hparams):
        return Named(plain_core(folder), rows, eval_rows)

    found = []
    clusters = [
        (None, 0, {}),
        ("master", 0, {"master": ["a:1"]}),
        ("worker", 0, {"worker": ["a:1"]}),
        ("master", 0, CLUSTER),
        ("worker", 1, CLUSTER),
        ("ps", 0, CLUSTER),
        (None, 0, CLUSTER),
        ("chief", 0, {"chief": ["a:1"], "worker": ["b:1"]}),
        ("evaluator", 0, CLUSTER),
    ]
    for kind, index, cluster in clusters:
        in_cluster(kind, index, cluster=cluster)

        def call():
            return learn_runner.run(make, run_config=learn.RunConfig(model_dir=folder))

        found.append([kind, told(folder, call)["result"]])
    return found


@case
def learn_runner_refuses(folder):
    config = learn.RunConfig(model_dir=folder)

    def make(run_config, hparams):
        return Told(plain_core(folder), rows, eval_rows)

    def other(run_config, hparams):
        return Told(plain_core(folder + "/other"), rows, eval_rows)

    def plain(run_config, hparams):
        return Told(tf.estimator.Estimator(model_fn, folder), rows, eval_rows)

    def of_folder(output_dir):
        return Told(plain_core(output_dir), rows, eval_rows)

    calls = {
        "both": (make, "folder", None, config),
        "neither": (make,),
        "no function": (3, "folder"),
        "core RunConfig": (make, None, None, tf.estimator.RunConfig(model_dir=folder)),
        "no model_dir": (make, None, None, learn.RunConfig()),
        "hparams of another kind": (make, None, None, config, {"rate": 1}),
        "another model_dir": (other, None, None, config),
        "another RunConfig": (plain, None, None, config),
        "no Experiment": (lambda run_config, hparams: None, None, None, config),
        "no such schedule": (make, None, "fly", config),
        "no method": (make, None, "number", config),
        "empty folder": (of_folder, ""),
        "folder with hparams": (of_folder, folder, None, None, {"rate": 1}),
        "folder without an Experiment": (lambda output_dir: None, folder),
        "folder": (of_folder, folder, "train"),
    }
    return {
        name: [
            str(item)[:90] if isinstance(item, str) else item
            for item in told(folder, functools.partial(learn_runner.run, *arguments))["result"]
            or ["none"]
        ]
        for name, arguments in calls.items()
    }
