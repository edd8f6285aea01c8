"""Two workers that make each step together: a program of TensorFlow 1.x."""

import argparse
import time

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--logdir")
parser.add_argument("--steps", type=int)
parser.add_argument("--older", action="store_true", help="an older model: a layer by another name")
FLAGS = parser.parse_args()


def batch(step):
    random = np.random.RandomState(step)
    x = random.normal(size=(8, 4)).astype(np.float32)
    return x, x.sum(1, keepdims=True)


def main():
    print("BEGIN", flush=True)
    is_chief = FLAGS.task_index == 0
    cluster = tf.train.ClusterSpec(
        {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
    )
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(
        tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster
        )
    ):
        global_step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 1])
        name = "dense" if FLAGS.older else "output"
        w = tf.get_variable(name + "/kernel", [4, 1], initializer=tf.zeros_initializer())
        b = tf.get_variable(name + "/bias", [1], initializer=tf.zeros_initializer())
        loss = tf.losses.mean_squared_error(y, tf.matmul(x, w) + b)
        workers = len(FLAGS.worker_hosts.split(","))
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.AdamOptimizer(0.01),
            replicas_to_aggregate=workers,
            total_num_replicas=workers,
        )
        train_op = optimizer.minimize(loss, global_step=global_step)
    with tf.train.MonitoredTrainingSession(
        master=server.target,
        is_chief=is_chief,
        checkpoint_dir=FLAGS.logdir,
        hooks=[
            optimizer.make_session_run_hook(is_chief, num_tokens=0),
            tf.train.StopAtStepHook(last_step=FLAGS.steps),
        ],
        save_checkpoint_steps=50,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        save_summaries_secs=None,
    ) as session:
        step = 0
        while not session.should_stop():
            rows, sums = batch(step)
            _, step = session.run([train_op, global_step], {x: rows, y: sums})
            print("STEP", step, flush=True)
            time.sleep(0.1)
    print("DONE", flush=True)


if __name__ == "__main__":
    main()
