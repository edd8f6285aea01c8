"""What MetricSpec and ModelFnOps take and make. Python 3.7."""

import functools

import numpy as np
import tensorflow as tf
from learn_program_support import (
    case,
    told,
)

learn = tf.contrib.learn


@case
def metric_specs(folder):
    def swapped(predictions, labels):
        return tf.reduce_sum(predictions - 2.0 * labels)

    def odd(targets, guess):
        return tf.reduce_sum(guess - 2.0 * targets)

    def late(guess, target):
        return tf.reduce_sum(guess - 2.0 * target)

    def bare(guess):
        return guess

    def weighted(label, logits, weight=None):
        return tf.reduce_sum(logits * weight - 2.0 * label)

    def ambiguous(labels, target, predictions):
        return labels

    features = {"w": tf.constant([3.0])}
    labels = {"l": tf.constant([1.0])}
    predictions = {"p": tf.constant([5.0]), "q": tf.constant([7.0])}
    found = {}
    for name, arguments in {
        "swapped": (swapped, "p", "l"),
        "odd": (odd, "q"),
        "late": (late, "p"),
        "bare": (bare, "p"),
        "weighted": (weighted, "p", "l", "w"),
        "partial": (functools.partial(weighted, weight=2.0), "p"),
        "ambiguous": (ambiguous, "p"),
        "no labels": (bare, "p", "l"),
        "no weights": (odd, "p", "l", "w"),
        "several predictions": (odd,),
        "missing prediction": (odd, "r"),
    }.items():
        try:
            spec = learn.MetricSpec(*arguments)
            value = spec.create_metric_ops(features, labels, predictions)
            with tf.Session() as session:
                found[name] = [str(spec), np.ravel(session.run(value)).tolist()]
        except (ValueError, KeyError) as error:
            found[name] = type(error).__name__
    return found


@case
def model_fn_ops(folder):
    def make(*arguments, **options):
        return lambda: learn.ModelFnOps(*arguments, **options)

    one, two = tf.constant([1.0]), tf.constant([1.0, 2.0])
    calls = {
        "no train_op": make("train", one, one),
        "no loss": make("eval", one),
        "no predictions": make("infer"),
        "no mode": make("predict", one),
        "several losses": make("eval", one, two),
        "metrics": make("eval", one, one, None, [1.0]),
        "hooks": make("eval", one, one, training_hooks=[3]),
    }
    found = {name: told(folder, call)["result"][0] for name, call in calls.items()}
    scores, classes = tf.constant([[0.5]]), tf.constant([["a"]])
    kinds = {
        "value": (2, {"scores": scores}),
        "kind": (3, {"classes": classes, "probabilities": scores}),
        "all": (0, {"y": scores}),
    }
    metrics = {"loss": tf.metrics.mean(1.0), "other": tf.metrics.mean(1.0)}
    made = learn.ModelFnOps("infer", one, one, None, metrics, kinds)
    spec = made.estimator_spec("kind")
    found["spec"] = [spec.mode, spec.loss.shape.as_list(), sorted(spec.eval_metric_ops)]
    found["heads"] = {
        name: type(output).__name__ for name, output in sorted(spec.export_outputs.items())
    }
    return found
