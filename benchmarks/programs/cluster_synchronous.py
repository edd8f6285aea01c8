"""Synchronous between-graph training of a small dense model, as it was written for TensorFlow 1.x.

Prints the worker's examples a second as the last word of its last line.
"""

import os
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "worker", "ps or worker")
flags.DEFINE_integer("task_index", 0, "index of the task")
flags.DEFINE_string("ps_hosts", "", "host:port of the parameter servers")
flags.DEFINE_string("worker_hosts", "", "host:port of the workers")
flags.DEFINE_string("meeting_place", "", "folder where the workers wait for each other")
flags.DEFINE_integer("steps", 1000, "steps of each worker that are timed")
FLAGS = flags.FLAGS

BATCH = 100
WARM_UP = 200


def data(task_index):
    random = np.random.RandomState(task_index)
    images = random.rand(50 * BATCH, 784).astype(np.float32)
    labels = np.eye(10, dtype=np.float32)[random.randint(0, 10, 50 * BATCH)]
    return images, labels


def meet(stage, task_index, count):
    open(os.path.join(FLAGS.meeting_place, "%s-%d" % (stage, task_index)), "w").close()
    while sum(name.startswith(stage) for name in os.listdir(FLAGS.meeting_place)) < count:
        time.sleep(0.05)


def main(_):
    ps_hosts = FLAGS.ps_hosts.split(",")
    worker_hosts = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()

    is_chief = FLAGS.task_index == 0
    with tf.device(
        tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster
        )
    ):
        global_step = tf.Variable(0, name="global_step", trainable=False)
        x = tf.placeholder(tf.float32, [None, 784])
        y = tf.placeholder(tf.float32, [None, 10])
        hidden_w = tf.Variable(
            tf.truncated_normal([784, 100], stddev=0.04, seed=1), name="hidden_w"
        )
        hidden_b = tf.Variable(tf.zeros([100]), name="hidden_b")
        softmax_w = tf.Variable(
            tf.truncated_normal([100, 10], stddev=0.1, seed=2), name="softmax_w"
        )
        softmax_b = tf.Variable(tf.zeros([10]), name="softmax_b")
        hidden = tf.nn.relu(tf.matmul(x, hidden_w) + hidden_b)
        logits = tf.matmul(hidden, softmax_w) + softmax_b
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
        opt = tf.train.AdamOptimizer(0.001)
        opt = tf.train.SyncReplicasOptimizer(
            opt, replicas_to_aggregate=len(worker_hosts), total_num_replicas=len(worker_hosts)
        )
        train_op = opt.minimize(loss, global_step=global_step)

    hooks = [opt.make_session_run_hook(is_chief, num_tokens=0)]
    images, labels = data(FLAGS.task_index)
    with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=is_chief, hooks=hooks
    ) as sess:
        meet("ready", FLAGS.task_index, len(worker_hosts))
        for step in range(WARM_UP + FLAGS.steps):
            if step == WARM_UP:
                started = time.time()
            first = step * BATCH % len(images)
            sess.run(
                [train_op, loss],
                {x: images[first : first + BATCH], y: labels[first : first + BATCH]},
            )
        rate = FLAGS.steps * BATCH / (time.time() - started)
        meet("done", FLAGS.task_index, len(worker_hosts))
        print("examples a second: %.1f" % rate, flush=True)
        os._exit(0)  # the chief of SyncReplicasOptimizer lingers when its peers are gone


if __name__ == "__main__":
    tf.app.run()
