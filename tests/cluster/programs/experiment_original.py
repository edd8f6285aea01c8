"""An Experiment in a cluster of master, workers and parameter server; argv: model_dir, steps."""

import sys
import time

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn import learn_runner
from tensorflow.contrib.learn.python.learn.utils import saved_model_export_utils

MODEL_DIR, STEPS = sys.argv[1], int(sys.argv[2])
RANDOM = np.random.RandomState(3)
X = RANDOM.normal(size=(64, 4)).astype(np.float32)
Y = X.sum(axis=1, keepdims=True).astype(np.float32)


class EvaluationHook(tf.train.SessionRunHook):
    """Prints which global step is evaluated."""

    def end(self, session):
        print("CALL evaluate %d" % session.run(tf.train.get_global_step()))


class SlowHook(tf.train.SessionRunHook):
    """Gives the other workers time to start."""

    def after_run(self, run_context, run_values):
        time.sleep(0.05)


def model_fn(features, labels, mode):
    output = tf.layers.dense(features["x"], 1, kernel_initializer=tf.zeros_initializer())
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"serving_default": tf.estimator.export.PredictOutput({"y": output})}
        return tf.estimator.EstimatorSpec(mode, predictions={"y": output}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, output)
    optimizer = tf.train.GradientDescentOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def train_input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(16)


def eval_input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(16)


def serving_input_fn():
    print("CALL export %s" % tf.train.latest_checkpoint(MODEL_DIR).split("-")[-1])
    inputs = {"x": tf.placeholder(tf.float32, [None, 4])}
    return tf.estimator.export.ServingInputReceiver(inputs, inputs)


def experiment_fn(run_config, hparams):
    print("TASK %s %d, chief %s" % (run_config.task_type, run_config.task_id, run_config.is_chief))
    return tf.contrib.learn.Experiment(
        estimator=tf.estimator.Estimator(model_fn, config=run_config),
        train_input_fn=train_input_fn,
        eval_input_fn=eval_input_fn,
        train_steps=STEPS,
        eval_steps=None,
        train_monitors=[SlowHook()],
        eval_hooks=[EvaluationHook()],
        export_strategies=[
            saved_model_export_utils.make_export_strategy(serving_input_fn, exports_to_keep=1)
        ],
    )


tf.logging.set_verbosity(tf.logging.INFO)
learn_runner.run(experiment_fn, run_config=tf.contrib.learn.RunConfig(model_dir=MODEL_DIR))
print("DONE")
sys.stdout.flush()
