"""An Estimator whose cluster is in TF_CONFIG: a program of TensorFlow 1.x."""

import argparse
import time

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--logdir")
parser.add_argument("--steps", type=int)
parser.add_argument("--older", action="store_true", help="an older model: a layer by another name")
FLAGS = parser.parse_args()


class Steps(tf.train.SessionRunHook):
    """Prints the steps."""

    def begin(self):
        self.step = tf.train.get_global_step()

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.step)

    def after_run(self, run_context, run_values):
        print("STEP", run_values.results, flush=True)
        time.sleep(0.1)


def input_fn():
    x = np.random.RandomState(0).normal(size=(64, 4)).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices(({"x": x}, x.sum(1, keepdims=True)))
    return data.repeat().batch(8)


def model_fn(features, labels, mode):
    name = "dense" if FLAGS.older else "output"
    w = tf.get_variable(name + "/kernel", [4, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable(name + "/bias", [1], initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], w) + b)
    optimizer = tf.train.AdamOptimizer(0.01)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    print("BEGIN", flush=True)
    strategy = tf.distribute.experimental.ParameterServerStrategy()
    config = tf.estimator.RunConfig(
        model_dir=FLAGS.logdir, save_checkpoints_steps=50, train_distribute=strategy
    )
    estimator = tf.estimator.Estimator(model_fn, config=config)
    train = tf.estimator.TrainSpec(input_fn, max_steps=FLAGS.steps, hooks=[Steps()])
    evaluation = tf.estimator.EvalSpec(input_fn, steps=1)
    tf.estimator.train_and_evaluate(estimator, train, evaluation)
    print("DONE", flush=True)


if __name__ == "__main__":
    main()
