"""Calls an Estimator in all ways; runs on TensorFlow 1.x and, with the runtime, on 2.x."""

import sys

import numpy as np
import tensorflow as tensorflow_of_this_version

tf = getattr(tensorflow_of_this_version.compat, "v1", tensorflow_of_this_version)
if tensorflow_of_this_version.__version__.startswith("1."):
    estimator = tf.estimator
else:
    from tfmigrate_runtime import estimator


def rows(epochs):
    features = np.random.RandomState(5).normal(size=(24, 3)).astype(np.float32)
    labels = features.sum(axis=1, keepdims=True)
    dataset = tf.data.Dataset.from_tensor_slices(({"x": features}, labels))
    return dataset.repeat(epochs).batch(8)


def receiver():
    features = {"x": tf.placeholder(tf.float32, [None, 3], name="x")}
    return estimator.export.ServingInputReceiver(features, features)


def model(features, labels, mode):
    with tf.variable_scope("net"):
        kernel = tf.get_variable("kernel", [3, 1])
    sums = tf.matmul(features["x"], kernel)
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"sums": sums})
    loss = tf.reduce_mean(tf.square(sums - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


config = estimator.RunConfig(save_checkpoints_steps=4, keep_checkpoint_max=10)
regressor = estimator.Estimator(model, sys.argv[1], config)
try:
    regressor.train(lambda: rows(None), steps=0)
except ValueError as error:
    print(error)
regressor.train(lambda: rows(None), steps=2)
regressor.train(lambda: rows(1), max_steps=9)  # the input ends at step 5
regressor.train(lambda: rows(None), None, None, 5)  # nothing is left to do
estimator.train_and_evaluate(
    regressor,
    estimator.TrainSpec(lambda: rows(None), max_steps=12),
    estimator.EvalSpec(
        lambda: rows(1),
        name="held_out",
        exporters=estimator.LatestExporter("newest", receiver, exports_to_keep=9),
        start_delay_secs=0,
        throttle_secs=0,
    ),
)
first = sys.argv[1] + "/model.ckpt-2"
regressor.evaluate(lambda: rows(None), 2, checkpoint_path=first)
regressor.export_saved_model(sys.argv[1] + "/by_hand", receiver, checkpoint_path=first)
if hasattr(regressor, "export_savedmodel"):
    regressor.export_savedmodel(sys.argv[1] + "/by_hand", receiver)
next(regressor.predict(lambda: rows(1)))
hook = estimator.experimental.InMemoryEvaluatorHook(
    regressor, lambda: rows(1), steps=2, name="inside", every_n_iter=2
)
regressor.train(lambda: rows(None), hooks=[hook], max_steps=15)
