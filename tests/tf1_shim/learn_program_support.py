"""An Estimator whose calls are listed, and a clock of its own. Python 3.7, for TensorFlow 1.15."""

import json
import os

import tensorflow as tf
from tensorflow.contrib.learn.python.learn.utils import saved_model_export_utils

learn = tf.contrib.learn
CASES = {}
ROWS = [[float(i % 5), 1.0] for i in range(40)]
LABELS = [[2.0 * row[0] - 1.0] for row in ROWS]
CLUSTER = {"master": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}


class Clock:
    """Stands for time.time and time.sleep, and lists what happens."""

    def __init__(self):
        self.now = 1500000000.0
        self.events = []

    def time(self):
        return self.now

    def sleep(self, seconds):
        self.events.append(["sleep", seconds])
        self.now += seconds


CLOCK = Clock()


class Tick(tf.train.SessionRunHook):
    """A second goes by with every step."""

    def after_run(self, run_context, run_values):
        CLOCK.now += 1.0


class Server:
    """Stands for tf.train.Server."""

    def __init__(self, cluster, job_name, task_index, config, start):
        self._task = [job_name, task_index, start, sorted(cluster.as_dict())]

    def start(self):
        CLOCK.events.append(["server", *self._task])

    def join(self):
        CLOCK.events.append(["join"])


def rows(repeated=None, batches=None):
    data = tf.data.Dataset.from_tensor_slices(({"x": ROWS}, LABELS)).repeat(repeated).batch(4)
    data = data if batches is None else data.take(batches)
    return tf.compat.v1.data.make_one_shot_iterator(data).get_next()


def eval_rows():
    return rows(1, 3)


def serving_input_fn():
    x = tf.placeholder(tf.float32, [None, 2])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def network(features):
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    return tf.matmul(features["x"], w)


def model_fn(features, labels, mode):
    output = network(features)
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"serving_default": tf.estimator.export.PredictOutput({"y": output})}
        return tf.estimator.EstimatorSpec(mode, {"y": output}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.02).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def tuple_model_fn(features, labels, mode):
    output = network(features)
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.02).minimize(loss, tf.train.get_global_step())
    return output, loss, train_op


def step_of(path):
    return int(path.split("-")[-1]) if path else None


def listed(est):
    """Lets an Estimator list its calls: those of instances, for subclasses may override none."""
    fit_or_train = "fit" if isinstance(est, learn.Estimator) else "train"
    train, evaluate, export = getattr(est, fit_or_train), est.evaluate, est.export_savedmodel

    def latest():
        return step_of(tf.train.latest_checkpoint(est.model_dir))

    def listed_train(**options):
        position, before = len(CLOCK.events), latest()
        train(**options)
        limits = [options.get("steps"), options.get("max_steps")]
        CLOCK.events.insert(position, ["train", before, latest(), *limits])
        return est

    def listed_evaluate(**options):
        found = evaluate(**options)
        given = [options.get("steps"), options.get("name"), step_of(options.get("checkpoint_path"))]
        hooks = len(options.get("hooks") or [])
        CLOCK.events.append(["evaluate", int(found["global_step"]), *given, hooks])
        return found

    def listed_export(folder, *arguments, **options):
        path = export(folder, *arguments, **options)
        below = os.path.relpath(tf.compat.as_str_any(folder), tf.compat.as_str_any(est.model_dir))
        given = step_of(options.get("checkpoint_path"))
        CLOCK.events.append(["export", below, given, type(folder).__name__])
        return path

    setattr(est, fit_or_train, listed_train)
    est.evaluate, est.export_savedmodel = listed_evaluate, listed_export
    return est


def core(folder, **config):
    config = tf.estimator.RunConfig(model_dir=folder, **config)
    return listed(tf.estimator.Estimator(model_fn, config=config))


def contrib(folder, **config):
    config = learn.RunConfig(model_dir=folder, **config)
    return listed(learn.Estimator(tuple_model_fn, config=config))


def experiment(est, **options):
    strategy = saved_model_export_utils.make_export_strategy(serving_input_fn)
    given = {
        "train_steps": 12,
        "eval_delay_secs": 0,
        "train_monitors": [Tick()],
        "export_strategies": strategy,
    }
    return learn.Experiment(est, rows, eval_rows, **dict(given, **options))


def of_result(result):
    """Makes what a schedule returned JSON."""
    if isinstance(result, tuple):
        return [of_result(item) for item in result]
    if isinstance(result, dict):
        return {name: float(value) for name, value in sorted(result.items())}
    if isinstance(result, list):
        return len(result)  # exports
    return None if result is None else type(result).__name__


def of_error(error, folder):
    return [type(error).__name__, str(error).replace(folder, "FOLDER")[:200]]


def told(folder, call):
    """Returns what a call returned or raised, and what happened."""
    CLOCK.events = []
    try:
        result = of_result(call())
    except (ValueError, TypeError, RuntimeError) as error:
        result = of_error(error, folder)
    return {"result": result, "events": CLOCK.events}


def run(folder, schedule, make=core, config=None, **options):
    exp = experiment(make(folder, **(config or {})), **options)
    return told(folder, getattr(exp, schedule))


def in_cluster(kind=None, index=0, environment="cloud", cluster=CLUSTER):
    given = {"cluster": cluster, "environment": environment}
    if kind:
        given["task"] = {"type": kind, "index": index}
    os.environ["TF_CONFIG"] = json.dumps(given)


def plain_core(folder, **config):
    config = learn.RunConfig(model_dir=folder, **config)
    return tf.estimator.Estimator(model_fn, config=config)


def case(function):
    """Adds a case under its name."""
    CASES[function.__name__] = function
    return function
