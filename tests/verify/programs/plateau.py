"""An Estimator with a hook that assigns its learning rate after checkpoints were saved."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator

tf.disable_eager_execution()

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(1)
IMAGES = rng.rand(48, 6, 6, 1).astype(np.float32)
LABELS = (IMAGES.mean((1, 2, 3)) > 0.5).astype(np.int32)


class DecayOnPlateau(tf.train.SessionRunHook):
    def __init__(self, every, factor):
        self.every, self.factor, self.best, self.n, self.window = every, factor, 1e9, 0, []

    def begin(self):
        self.rate = next(v for v in tf.global_variables() if v.op.name == "rate")
        self.value = tf.placeholder(tf.float32, [])
        self.assign = tf.assign(self.rate, self.value)
        self.current = 0.1

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.get_collection("losses_to_watch"))

    def after_run(self, run_context, run_values):
        self.n += 1
        self.window.append(run_values.results[0])
        if self.n % self.every == 0:
            mean = float(np.mean(self.window))
            if mean > self.best - 0.1:
                self.current *= self.factor
                run_context.session.run(self.assign, {self.value: self.current})
            self.best, self.window = min(self.best, mean), []


def input_fn(training):
    def fn():
        data = tf.data.Dataset.from_tensor_slices(({"image": IMAGES}, LABELS))
        if training:
            data = data.shuffle(48, seed=3).repeat()
        return data.batch(8)

    return fn


def model_fn(features, labels, mode, params):
    training = mode == estimator.ModeKeys.TRAIN
    net = tf.layers.conv2d(features["image"], 4, 3, padding="same")
    net = tf.layers.batch_normalization(net, training=training, momentum=0.9)
    net = tf.layers.max_pooling2d(tf.nn.relu(net), 2, 2)
    net = tf.layers.flatten(net)
    net = tf.layers.dropout(net, 0.4, training=training)
    logits = tf.layers.dense(net, 2)
    predictions = {"classes": tf.argmax(logits, 1), "probabilities": tf.nn.softmax(logits)}
    if mode == estimator.ModeKeys.PREDICT:
        outputs = {"classify": estimator.export.PredictOutput(predictions)}
        return estimator.EstimatorSpec(mode, predictions, export_outputs=outputs)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    metrics = {"acc": tf.metrics.accuracy(labels, predictions["classes"])}
    if mode == estimator.ModeKeys.EVAL:
        return estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    rate = tf.get_variable("rate", [], initializer=tf.constant_initializer(0.1), trainable=False)
    tf.add_to_collection("losses_to_watch", loss)
    tf.summary.scalar("acc", metrics["acc"][1])
    opt = tf.train.AdagradOptimizer(rate)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = opt.minimize(loss, tf.train.get_global_step())
    hooks = [DecayOnPlateau(params["every"], 0.5)]
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train, training_hooks=hooks)


config = estimator.RunConfig(sys.argv[1], save_checkpoints_steps=6, keep_checkpoint_max=2)
est = estimator.Estimator(model_fn, config=config, params={"every": 3})
images = {"image": tf.placeholder(tf.float32, [None, 6, 6, 1])}
serving = estimator.export.build_raw_serving_input_receiver_fn(images)
exporter = estimator.LatestExporter("latest", serving, exports_to_keep=1)
estimator.train_and_evaluate(
    est,
    estimator.TrainSpec(input_fn(True), max_steps=18),
    estimator.EvalSpec(
        input_fn(False), steps=None, exporters=exporter, throttle_secs=0, start_delay_secs=0
    ),
)
print(next(est.predict(input_fn(False))))
