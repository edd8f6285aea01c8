"""An Experiment under replica_device_setter; argv: job, index, ps host, worker hosts, steps."""

import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn import Experiment

JOB, TASK, PS_HOST, WORKER_HOSTS, STEPS = sys.argv[1:]
X = np.linspace(-1, 1, 24).reshape(12, 2).astype(np.float32)
Y = X.sum(axis=1, keepdims=True).astype(np.float32)

cluster = tf.train.ClusterSpec({"ps": [PS_HOST], "worker": WORKER_HOSTS.split(",")})
server = tf.train.Server(cluster, job_name=JOB, task_index=int(TASK))

if JOB == "ps":
    print("SERVES")
    sys.stdout.flush()
    server.join()


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(4)


def model_fn(features, labels, mode):
    output = tf.layers.dense(features["x"], 1, kernel_initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, output)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    estimator = tf.estimator.Estimator(model_fn=model_fn)

experiment = Experiment(estimator, input_fn, input_fn, train_steps=int(STEPS), eval_steps=3)
metrics, _ = experiment.train_and_evaluate()
print("RESULT %d %.8f" % (metrics["global_step"], metrics["loss"]))
