"""Two synchronous workers under a Supervisor; then the chief alone, in a monitored session.

    sync_end.py TASK SERVER WORKER0 WORKER1 FOLDER

TASK is 0 or 1. Worker 0 is the chief and runs the parameter server too. FOLDER gets the file
"begun" once worker 1 can come, which would look only every 30 s otherwise.
"""

import sys
import time
from pathlib import Path

import tensorflow as tf

STEPS = 6


def build(cluster, task, workers):
    """Returns the optimizer and what trains, for a number of workers that step together."""
    with tf.device(
        tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{task}")
    ):
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable(f"w{workers}", [2], initializer=tf.zeros_initializer())
        loss = tf.reduce_sum(tf.square(w - [1.0, 2.0 + task]))
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.25), workers, total_num_replicas=workers
        )
        return optimizer, loss, optimizer.minimize(loss, global_step=step)


def supervise(server, cluster, task, folder):
    is_chief = task == 0
    optimizer, loss, train_op = build(cluster, task, 2)
    runner, tokens = optimizer.get_chief_queue_runner(), optimizer.get_init_tokens_op(0)
    local_init = optimizer.chief_init_op if is_chief else optimizer.local_step_init_op
    supervisor = tf.train.Supervisor(
        is_chief=is_chief,
        logdir=str(folder / "supervised"),
        local_init_op=local_init,
        ready_for_local_init_op=optimizer.ready_for_local_init_op,
    )
    filters = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{task}"])
    with supervisor.managed_session(server.target, config=filters) as session:
        if is_chief:
            session.run(tokens)
            supervisor.start_queue_runners(session, [runner])
            (folder / "begun").touch()
        for _ in range(STEPS):
            value, _ = session.run([loss, train_op])
    print(f"LOSS {task} {value:.6f}")


def monitored(server, cluster, folder):
    with tf.container("alone"):  # the server's queue of tokens is closed for good
        optimizer, loss, train_op = build(cluster, 0, 1)
    hooks = [
        optimizer.make_session_run_hook(True, num_tokens=0),
        tf.train.StopAtStepHook(num_steps=STEPS),
    ]
    filters = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    with tf.train.MonitoredTrainingSession(
        server.target, True, str(folder / "monitored"), hooks=hooks, config=filters
    ) as session:
        while not session.should_stop():
            value, _ = session.run([loss, train_op])
    print(f"LOSS alone {value:.6f}")


def main(task, ps, first, second, folder):
    tf.logging.set_verbosity(tf.logging.INFO)
    task = int(task)
    cluster = tf.train.ClusterSpec({"ps": [ps], "worker": [first, second]})
    server = tf.train.Server(cluster, job_name="worker", task_index=task)
    if task == 0:
        served = tf.train.Server(cluster, job_name="ps", task_index=0)
    else:
        while not (folder / "begun").exists():
            time.sleep(0.05)
    supervise(server, cluster, task, folder)
    if task == 0:
        tf.reset_default_graph()
        monitored(server, cluster, folder)
        print("ENDS", served.target[:4])


if __name__ == "__main__":
    main(*sys.argv[1:5], Path(sys.argv[5]))
