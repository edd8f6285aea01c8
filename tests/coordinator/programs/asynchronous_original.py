"""An asynchronous TensorFlow 1.x program: linear regression over parameter servers."""

import argparse
import json
import pathlib

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--job_name", choices=["ps", "worker"])
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--session", default="plain")
parser.add_argument("--optimizer", default="sgd")
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--logdir")
parser.add_argument("--out")
FLAGS = parser.parse_args()

TRUE = np.arange(6, dtype=np.float32).reshape(3, 2) / 5


def batch(step):
    random = np.random.RandomState(step)
    inputs = random.uniform(-1, 1, [8, 3]).astype(np.float32)
    return inputs, inputs @ TRUE + 1


def loop(session, should_stop, fetches, x, y):
    losses, steps, step, made = [], [], 0, 0
    while not should_stop() and step < FLAGS.steps:
        inputs, outputs = batch(made)
        _, loss, step = session.run(fetches, feed_dict={x: inputs, y: outputs})
        made += 1
        losses.append(loss)
        steps.append(int(step))
        print("step", step, flush=True)
    return [float(loss) for loss in losses], steps


def main():
    cluster = tf.train.ClusterSpec(
        {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
    )
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    is_chief = FLAGS.task_index == 0
    with tf.device(
        tf.train.replica_device_setter(
            worker_device=f"/job:worker/task:{FLAGS.task_index}", cluster=cluster
        )
    ):
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.zeros([3, 2]), name="w")
        b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
        global_step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        tf.summary.scalar("loss", loss)
        if FLAGS.optimizer == "adam":
            optimizer = tf.train.AdamOptimizer(0.1)
        else:
            optimizer = tf.train.GradientDescentOptimizer(0.1)
        train_op = optimizer.minimize(loss, global_step=global_step)
    fetches = [train_op, loss, global_step]
    result = {"devices": {v.op.name: v.device for v in tf.global_variables()}}
    if FLAGS.session == "supervisor":
        supervisor = tf.train.Supervisor(
            is_chief=is_chief,
            logdir=FLAGS.logdir,
            global_step=global_step,
            summary_op=None,
            init_op=tf.global_variables_initializer(),
            save_model_secs=600,
        )
        with supervisor.managed_session(server.target) as session:
            losses, steps = loop(session, supervisor.should_stop, fetches, x, y)
            supervisor.saver.save(session, supervisor.save_path, global_step=global_step)
    elif FLAGS.session == "monitored":
        hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
        with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=is_chief, checkpoint_dir=FLAGS.logdir, hooks=hooks
        ) as session:
            losses, steps = loop(session, session.should_stop, fetches, x, y)
    else:
        with tf.Session(server.target) as session:
            session.run(tf.global_variables_initializer())
            losses, steps = loop(session, lambda: False, fetches, x, y)
            values = session.run({"w": w, "b": b})
            loss_at_end = loss.eval({x: batch(0)[0], y: batch(0)[1]})
            result.update({name: value.tolist() for name, value in values.items()})
            result["loss_at_end"] = float(loss_at_end)
    result.update(losses=losses, steps=steps)
    pathlib.Path(FLAGS.out).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
