"""One task of a program as a migrated one looks; its options are JSON, its place is TF_CONFIG's.

On TensorFlow 1.15 it is the original: ``original_between_graph`` has what it had. It prints
``DONE {"losses": [...], "steps": [...], "variables": {name: values}}``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

if tf.__version__.startswith("1."):
    import original_between_graph as between_graph
else:
    from tfmigrate_runtime import between_graph

OPTIONS = json.loads(sys.argv[1])
PLACE = json.loads(os.environ["TF_CONFIG"])
CLUSTER = tf.train.ClusterSpec(PLACE["cluster"])
JOB, INDEX = PLACE["task"]["type"], PLACE["task"]["index"]
TRAINING = [(job, i) for job in ("master", "chief", "worker") for i in range(
    len(PLACE["cluster"].get(job, ())))]  # fmt: skip
IS_CHIEF = TRAINING[0] == (JOB, INDEX)
NUMBER = TRAINING.index((JOB, INDEX)) if JOB != "ps" else -1
SYNC = OPTIONS.get("sync", False)
STEPS = OPTIONS.get("steps", 6)
# Workers that are not the chief may have another disk.
FOLDER = OPTIONS.get("folder") and OPTIONS["folder"] + ("" if IS_CHIEF else f"_of_{JOB}{INDEX}")
OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.02),
    "momentum": lambda: tf.train.MomentumOptimizer(0.02, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.05),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
}


def data() -> dict[str, Any]:
    """Returns the rows and the initial values, the same in every task."""
    random = np.random.RandomState(0)
    x = random.randn(64, 4).astype("float32")
    return {
        "x": x,
        "y": (x @ random.randn(4, 1) + 0.1 * random.randn(64, 1)).astype("float32"),
        # Rows of each batch of 8: repeated and in any order, or each once in ascending order.
        "repeated": random.randint(0, 40, size=(64, 3)),
        "ascending": np.concatenate(
            [np.sort(random.choice(40, 24, replace=False)).reshape(8, 3) for _ in range(8)]
        ),
        "w1": (random.randn(4, 5) * 0.5).astype("float32"),
        "b1": np.full(5, 0.1, "float32"),
        "w2": (random.randn(5, 1) * 0.5).astype("float32"),
        "b2": np.full(1, 0.1, "float32"),
        "table": (random.randn(40, 1) * 0.5).astype("float32"),
    }


DATA = data()


def replica_fn() -> Any:
    """Builds the graph."""
    global_step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.float32, [None, 1])
    ids = tf.placeholder(tf.int64, [None, 3])
    w1, b1 = (tf.Variable(DATA[name], name=name) for name in ("w1", "b1"))
    w2, b2 = (tf.get_variable(name, initializer=tf.constant(DATA[name])) for name in ("w2", "b2"))
    if OPTIONS.get("random"):
        tf.get_variable("noise", [3])
    output = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
    if OPTIONS.get("sparse"):
        table = tf.get_variable("table", initializer=tf.constant(DATA["table"]))
        output += tf.reduce_sum(tf.nn.embedding_lookup(table, ids), axis=1)
    loss = tf.reduce_mean(tf.square(output - y))
    optimizer = OPTIMIZERS[OPTIONS.get("optimizer", "sgd")]()
    if SYNC:
        optimizer = between_graph.SyncReplicasOptimizer(
            optimizer,
            replicas_to_aggregate=OPTIONS.get("aggregate", len(TRAINING)),
            total_num_replicas=OPTIONS.get("aggregate", len(TRAINING)),
            **averages(),
        )
    if OPTIONS.get("clip"):
        variables = tf.trainable_variables()
        gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), OPTIONS["clip"])
        pairs = list(zip(gradients, variables))  # noqa: B905
        train_op = optimizer.apply_gradients(pairs, global_step=global_step)
    else:
        train_op = optimizer.minimize(loss, global_step=global_step)
    tf.summary.scalar("loss", loss)
    inside = parts(optimizer) if OPTIONS.get("inside") else None
    return x, y, ids, loss, train_op, optimizer, global_step, inside


def averages() -> dict[str, Any]:
    """Returns the arguments of SyncReplicasOptimizer for moving averages of the variables."""
    if not OPTIONS.get("averages"):
        return {}
    return {
        "variable_averages": tf.train.ExponentialMovingAverage(0.9),
        "variables_to_average": tf.trainable_variables(),
    }


def parts(optimizer: Any) -> dict[str, Any]:
    """Returns what a supervisor is given; in many programs it is made in the same block."""
    found = {
        "init_op": tf.global_variables_initializer(),
        "saver": tf.train.Saver(tf.global_variables()),
        "summary_op": tf.summary.merge_all() if OPTIONS.get("summaries") else None,
    }
    if SYNC:
        found["queue_runner"] = optimizer.get_chief_queue_runner()
        found["tokens"] = optimizer.get_init_tokens_op(0)
        found["local_init_op"] = (
            optimizer.chief_init_op if IS_CHIEF else optimizer.local_step_init_op
        )
        found["ready_for_local_init_op"] = optimizer.ready_for_local_init_op
    return found


def feed(step: int, x: Any, y: Any, ids: Any) -> dict[Any, Any]:
    """Returns this worker's batch."""
    step += OPTIONS.get("first_batch", 0)
    begin = ((step * len(TRAINING) + NUMBER) * 8) % 64
    return {x: DATA["x"][begin : begin + 8], y: DATA["y"][begin : begin + 8],
            ids: DATA[OPTIONS.get("sparse", "ascending")][begin : begin + 8]}  # fmt: skip


def turn(number: int) -> Path | None:
    """Returns the file that says that a step was made; None where nobody waits for it."""
    return Path(OPTIONS["turns"]) / str(number) if "turns" in OPTIONS else None


def wait_for(file: Path | None) -> None:
    """Waits for a file."""
    while file is not None and not file.exists():
        time.sleep(0.01)


def train(session: Any, should_stop: Any, raw: Any, model: Any) -> dict[str, Any]:
    """Makes the steps."""
    x, y, ids, loss, train_op, _, global_step, _ = model
    names = {
        variable.op.name: variable
        for variable in tf.global_variables()
        if variable in tf.trainable_variables() or "Average" in variable.op.name
    }
    losses, steps, values = [], [], {}
    local = step = 0
    while not should_stop() and (step if OPTIONS.get("by_step") else local) < STEPS:
        number = local * len(TRAINING) + NUMBER
        wait_for(turn(number - 1) if number else None)
        _, value, step = session.run([train_op, loss, global_step], feed(local, x, y, ids))
        losses.append(float(value))
        steps.append(int(step))
        time.sleep(OPTIONS.get("seconds_a_step", 0))
        values = {name: found.tolist() for name, found in raw().run(names).items()}
        made = turn(number)
        if made is not None:
            made.touch()
        local += 1
        if local == OPTIONS.get("dies_after", {}).get(f"{JOB}{INDEX}"):
            os._exit(7)
    return {"losses": losses, "steps": steps, "variables": values}


def say(result: dict[str, Any]) -> None:
    """Prints the result."""
    if not SYNC:
        result["devices"] = {v.op.name: v.op.device for v in tf.global_variables()}
    print("DONE " + json.dumps(result), flush=True)


def supervised(server: Any, strategy: Any, model: Any) -> None:
    """Trains by a Supervisor."""
    options = model[7] or parts(model[5])
    queue_runner, tokens = options.pop("queue_runner", None), options.pop("tokens", None)
    supervisor = between_graph.Supervisor(
        is_chief=IS_CHIEF,
        logdir=FOLDER,
        global_step=model[6],
        save_summaries_secs=1,
        recovery_wait_secs=1,
        strategy=strategy,
        **options,
    )
    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:{JOB}/task:{INDEX}"])
    session = supervisor.prepare_or_wait_for_session(server.target, config=config)
    if SYNC and IS_CHIEF:
        session.run(tokens)
        supervisor.start_queue_runners(session, [queue_runner])
    say(train(session, supervisor.should_stop, lambda: session, model))
    if FOLDER and IS_CHIEF:
        supervisor.saver.save(session, supervisor.save_path, global_step=model[6])
    supervisor.stop()


def monitored(server: Any, strategy: Any, model: Any) -> None:
    """Trains by a MonitoredTrainingSession."""
    hooks = [tf.train.StopAtStepHook(last_step=STEPS)] if OPTIONS.get("stop_hook") else []
    if SYNC:
        hooks.append(model[5].make_session_run_hook(IS_CHIEF, num_tokens=0))
    with between_graph.MonitoredTrainingSession(
        master=server.target,
        is_chief=IS_CHIEF,
        checkpoint_dir=FOLDER,
        hooks=hooks,
        save_checkpoint_steps=OPTIONS.get("save_steps", 1000),
        config=tf.ConfigProto(device_filters=["/job:ps", f"/job:{JOB}/task:{INDEX}"]),
        max_wait_secs=OPTIONS.get("max_wait_secs", 100),
        strategy=strategy,
    ) as session:
        say(train(session, session.should_stop, session._tf_sess, model))


def main() -> None:
    """Plays the task."""
    if not tf.__version__.startswith("1."):
        tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.INFO)
    server = between_graph.Server(CLUSTER, job_name=JOB, task_index=INDEX, sync_replicas=SYNC)
    if JOB == "ps":
        server.join()
        print("BEHIND JOIN")
        return
    strategy = between_graph.strategy(
        worker_device=f"/job:{JOB}/task:{INDEX}", cluster=CLUSTER, sync_replicas=SYNC
    )
    model = strategy.run(replica_fn)
    (supervised if OPTIONS.get("supervisor") else monitored)(server, strategy, model)


if __name__ == "__main__":
    main()
