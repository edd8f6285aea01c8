"""Two synchronous workers of a Supervisor whose summaries need an average that moves with the loss.

It prints ``DONE [average, w]`` after three steps. The summaries' folder is its argument.
"""

import json
import os
import sys
import time

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import between_graph

tf.disable_v2_behavior()
PLACE = json.loads(os.environ["TF_CONFIG"])
CLUSTER = tf.train.ClusterSpec(PLACE["cluster"])
INDEX = PLACE["task"]["index"]
IS_CHIEF = INDEX == 0


def main() -> None:
    """Trains."""
    server = between_graph.Server(CLUSTER, "worker", INDEX, sync_replicas=True)
    strategy = between_graph.multi_worker_mirrored_strategy(
        worker_device=f"/job:worker/task:{INDEX}", cluster=CLUSTER
    )

    def replica_fn() -> tuple[tf.Tensor, ...]:
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        average = tf.get_variable(
            "average", [], initializer=tf.zeros_initializer(), trainable=False,
            synchronization=tf.VariableSynchronization.ON_WRITE,
            aggregation=tf.VariableAggregation.MEAN,
        )  # fmt: skip
        with tf.control_dependencies([tf.assign_add(average, 1.0 + INDEX)]):
            loss = tf.square(w - 1.0)
        tf.summary.scalar("loss", loss)
        inner = tf.train.GradientDescentOptimizer(0.1)
        optimizer = between_graph.SyncReplicasOptimizer(inner, 2, 2)
        return w, average, step, optimizer.minimize(loss, global_step=step), optimizer

    w, average, step, train_op, optimizer = strategy.run(replica_fn)
    supervisor = between_graph.Supervisor(
        is_chief=IS_CHIEF,
        logdir=sys.argv[1],
        global_step=step,
        save_model_secs=0,
        local_init_op=optimizer.chief_init_op if IS_CHIEF else optimizer.local_step_init_op,
        strategy=strategy,
    )
    session = supervisor.prepare_or_wait_for_session(server.target)
    if IS_CHIEF:
        time.sleep(1)  # its thread asks for summaries at once, and every two minutes
    for _ in range(3):
        session.run(train_op)
    values = [float(value) for value in session.run([average, w])]
    supervisor.stop()
    print("DONE " + json.dumps(values), flush=True)


main()
