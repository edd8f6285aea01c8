"""Ten steps with random input, dropout and a random start; --help says what it can be asked for."""

import argparse
import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", help="where to keep checkpoints")
parser.add_argument("--loss_scale", type=float, default=1.0)
parser.add_argument("--rate", type=float, default=0.1)
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--start", choices=["pinned", "chance"], default="pinned")
parser.add_argument(
    "--end", choices=["return", "exit", "leave", "raise", "status"], default="return"
)
flags = parser.parse_args()

with tf.Graph().as_default():
    if flags.start == "chance":  # a source that the recorder does not reach
        start = np.frombuffer(os.urandom(6), np.uint8).reshape(3, 2).astype(np.float32) / 255
        kernel = tf.get_variable("kernel", initializer=start)
    else:
        kernel = tf.get_variable("kernel", [3, 2])
    rows = tf.random_normal([8, 3])
    hidden = tf.nn.dropout(tf.matmul(rows, kernel), rate=0.5)
    loss = flags.loss_scale * tf.reduce_mean(tf.square(hidden - 1.0))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.MomentumOptimizer(flags.rate, 0.9).minimize(loss, global_step=global_step)
    hooks = [tf.train.NanTensorHook(loss), tf.train.StopAtStepHook(last_step=flags.steps)]
    if flags.steps:
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=flags.model_dir, hooks=hooks
        ) as session:
            while not session.should_stop():
                session.run(train_op)

if flags.end == "leave":
    os._exit(0)
if flags.end == "exit":
    sys.exit(0)
if flags.end == "status":
    sys.exit("the program says why")
if flags.end == "raise":
    raise RuntimeError("the program says why")
