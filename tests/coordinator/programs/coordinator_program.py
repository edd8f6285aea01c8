"""A migrated asynchronous program: linear regression, its batches made from the step's number."""

import argparse
import json
import pathlib

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import coordinator

tf.disable_eager_execution()

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--session", default="supervisor")
parser.add_argument("--optimizer", default="sgd")
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--logdir")
parser.add_argument("--look", action="store_true")
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
        losses.append(float(loss) if FLAGS.look else loss)
        steps.append(int(step))
    return [float(loss) for loss in losses], steps


def main():
    cluster = tf.train.ClusterSpec(
        {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
    )
    server = coordinator.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name != "chief":
        server.join()
    strategy = coordinator.parameter_server_strategy(
        worker_device=f"/job:worker/task:{FLAGS.task_index}", cluster=cluster
    )

    def replica_fn():
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
        return x, y, w, b, global_step, loss, train_op

    x, y, w, b, global_step, loss, train_op = strategy.run(replica_fn)
    fetches = [train_op, loss, global_step]
    if FLAGS.session == "supervisor":
        supervisor = coordinator.Supervisor(
            is_chief=FLAGS.task_index == 0,
            logdir=FLAGS.logdir,
            global_step=global_step,
            summary_op=None,
            init_op=tf.global_variables_initializer(),
            save_model_secs=600,
        )
        with supervisor.managed_session(server.target) as session:
            losses, steps = loop(session, supervisor.should_stop, fetches, x, y)
            values = session.run([w, b, global_step])
            if FLAGS.logdir:
                supervisor.saver.save(session, supervisor.save_path, global_step=global_step)
    elif FLAGS.session == "monitored":
        hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
        with coordinator.MonitoredTrainingSession(
            master=server.target,
            is_chief=FLAGS.task_index == 0,
            checkpoint_dir=FLAGS.logdir,
            hooks=hooks,
            save_checkpoint_steps=5,
        ) as session:
            losses, steps = loop(session, session.should_stop, fetches, x, y)
        with coordinator.Session() as session:
            values = session.run([w, b, global_step])
    else:
        with coordinator.Session(server.target) as session:
            session.run(tf.global_variables_initializer())
            losses, steps = loop(session, lambda: False, fetches, x, y)
            values = session.run([w, b, global_step])
    result = {"losses": losses, "steps": steps, "w": values[0].tolist(), "b": values[1].tolist()}
    result["global_step"] = int(values[2])
    result["devices"] = [v.device for v in tf.global_variables()]
    pathlib.Path(FLAGS.out).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
