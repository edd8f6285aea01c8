"""Two synchronous workers, of which one writes variables alone; its options are JSON.

It prints ``DONE [[value of w after each step], ...]``; on TensorFlow 1.15 it is the original, whose
values test_shared_state.py has.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import tensorflow.compat.v1 as tf

if tf.__version__.startswith("1."):
    import original_between_graph as between_graph
else:
    from tfmigrate_runtime import between_graph
    from tfmigrate_runtime.between_graph import sessions

    sessions.SECONDS_TO_END = 2.0

OPTIONS = json.loads(sys.argv[1])
PLACE = json.loads(os.environ["TF_CONFIG"])
CLUSTER = tf.train.ClusterSpec(PLACE["cluster"])
INDEX = PLACE["task"]["index"]
STEPS = OPTIONS.get("steps", 3)
ALONE = {
    "adds", "adds_by_hook", "by_hook", "in_step", "restores", "sets", "sets_by_hook",
    "sets_in_step",
}  # fmt: skip


class ByHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """Assigns a value before a step."""

    def __init__(self, operation: Any, feeds: Any = None) -> None:
        self.operation, self.feeds, self.calls = operation, feeds, 0

    def before_run(self, run_context: Any) -> None:
        self.calls += 1
        if self.calls == OPTIONS.get("before_step", 2):
            run_context.session.run(self.operation, self.feeds)


def own_operations(w: Any, rate: Any, train_op: Any) -> dict[str, Any]:
    """Returns what the program can run besides the steps: in its presence workers report early."""
    value = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([train_op]):
        half_rate_after_step = tf.assign(rate, 0.05)
        set_w_after_step = tf.assign(w, 5.0)
    return {
        "value": value, "set_w": tf.assign(w, value), "add_w": tf.assign_add(w, value),
        "half_rate": tf.assign(rate, 0.05),
        "half_rate_after_step": half_rate_after_step,
        "set_w_after_step": set_w_after_step,
        "saver": tf.train.Saver([w]),
    }  # fmt: skip


def build() -> dict[str, Any]:
    """Builds the graph."""
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.square(w - 1.0)
    loss += 0.0 * tf.reduce_sum(
        tf.get_variable(
            "by_task", [3 if INDEX in OPTIONS.get("wide", ()) else 2],
            initializer=tf.zeros_initializer(), trainable=INDEX not in OPTIONS.get("frozen", ()),
        )
    )  # fmt: skip
    if INDEX in OPTIONS.get("more", ()):
        loss += tf.get_variable("more", [2], initializer=tf.zeros_initializer())[0]
    rate = tf.get_variable("rate", [], initializer=tf.constant_initializer(0.1), trainable=False)
    fed = {"constant": tf.constant(0.1), "default": tf.placeholder_with_default(0.1, [])}
    used = fed[OPTIONS["fed"]] if "fed" in OPTIONS else rate
    used = used * 1.0 if OPTIONS.get("computed") else used
    slots = {"proximal": tf.train.ProximalAdagradOptimizer}
    inner = slots.get(OPTIONS.get("optimizer"), tf.train.GradientDescentOptimizer)(used)
    optimizer = between_graph.SyncReplicasOptimizer(
        inner, replicas_to_aggregate=2, total_num_replicas=2
    )
    mine = tf.constant(float(INDEX))
    # As layers make them: of a mean over the workers, and of each worker.
    on_read = tf.VariableSynchronization.ON_READ
    mean = tf.VariableAggregation.MEAN
    average = tf.get_variable(
        "average", [], initializer=tf.zeros_initializer(), trainable=False,
        synchronization=on_read, aggregation=mean,
    )  # fmt: skip
    metric, update_metric = tf.metrics.mean(mine)
    summary = None
    if "summarizes" in OPTIONS:
        with tf.control_dependencies([tf.assign_add(average, 0.5 * (mine + 1.0 - average))]):
            after_update = tf.square(w - 1.0 - tf.identity(average))
            summary = tf.identity(loss)
        loss = after_update if OPTIONS.get("in_steps") else tf.square(w - 1.0 - average)
    train_op = optimizer.minimize(loss, global_step=step)
    add_average = None
    if "averages_in_step" in OPTIONS:
        add_average = tf.assign_add(average, mine)
    if "evaluates" in OPTIONS:
        ema = tf.train.ExponentialMovingAverage(0.9).apply([w])
        train_op = tf.group(train_op, update_metric, tf.assign_add(average, mine), ema)
    return {
        "w": w, "train_op": train_op, "fed": fed,
        "average": average, "add_average": add_average, "metric": metric, "summary": summary,
        "hook": optimizer.make_session_run_hook(INDEX == 0),
        **(own_operations(w, rate, train_op) if ALONE.intersection(OPTIONS) else {}),
    }  # fmt: skip


def main() -> None:
    """Trains."""
    if not tf.__version__.startswith("1."):
        tf.disable_v2_behavior()
    server = between_graph.Server(CLUSTER, job_name="worker", task_index=INDEX, sync_replicas=True)
    strategy = between_graph.multi_worker_mirrored_strategy(
        cluster=CLUSTER, worker_device=f"/job:worker/task:{INDEX}"
    )
    parts = strategy.run(build)
    initializer = parts["w"].initializer
    hooks = [parts["hook"], tf.train.StopAtStepHook(last_step=STEPS)]
    if INDEX in OPTIONS.get("by_hook", ()):
        hooks.append(ByHook(parts["half_rate"]))
    if INDEX in OPTIONS.get("sets_by_hook", ()):
        hooks.append(ByHook(parts["set_w"], {parts["value"]: 5.0}))
    if INDEX in OPTIONS.get("loads_by_hook", ()):
        hooks.append(ByHook(initializer, {initializer.inputs[1]: 5.0}))
    if INDEX in OPTIONS.get("initializes_by_hook", ()):
        hooks.append(ByHook(initializer))
    if INDEX in OPTIONS.get("adds_by_hook", ()):
        hooks.append(ByHook(parts["add_w"], {parts["value"]: 1.0}))
    fetches = [parts["train_op"]]
    if OPTIONS.get("in_step") == INDEX:
        fetches.append(parts["half_rate_after_step"])
    if OPTIONS.get("sets_in_step") == INDEX:
        fetches.append(parts["set_w_after_step"])
    if OPTIONS.get("averages_in_step") == INDEX:
        fetches.append(parts["add_average"])
    feeds = {parts["fed"][OPTIONS["fed"]]: 0.01 + INDEX} if "fed" in OPTIONS else {}
    values = []
    with between_graph.MonitoredTrainingSession(
        server.target, is_chief=INDEX == 0, hooks=hooks, strategy=strategy
    ) as session:
        raw = session._tf_sess()
        if OPTIONS.get("restores") == INDEX:
            parts["saver"].restore(raw, OPTIONS["checkpoint"])
        if OPTIONS.get("sets") == INDEX:
            raw.run(parts["set_w"], {parts["value"]: 5.0})
        if OPTIONS.get("loads") == INDEX:
            parts["w"].load(5.0, raw)
        while not session.should_stop() and len(values) < OPTIONS.get("leaves", {}).get(
            str(INDEX), STEPS
        ):
            if INDEX in OPTIONS.get("summarizes", ()) and len(values) in OPTIONS["after"]:
                print("FOUND", session.run([parts["summary"]])[0], flush=True)
            if INDEX in OPTIONS.get("adds", ()):
                raw.run(parts["add_w"], {parts["value"]: 1.0})
            # As nothing that a session can see, after the first check.
            if values and INDEX in OPTIONS.get("behind", ()):
                tf.Session.__mro__[1].run(raw, initializer, {initializer.inputs[1]: 5.0})
            made = raw.make_callable(fetches, list(feeds)) if OPTIONS.get("callable") else None
            made(*feeds.values()) if made else session.run(fetches, feeds)
            values.append(float(tf.Session.run(raw, parts["w"])))
            time.sleep(OPTIONS.get("pause", 0))
            if OPTIONS.get("evaluates") == INDEX:
                print("FOUND", *tf.Session.run(raw, [parts["average"], parts["metric"]]))
        if INDEX in OPTIONS.get("behind_at_end", ()):
            tf.Session.__mro__[1].run(raw, initializer, {initializer.inputs[1]: 5.0})
        time.sleep(OPTIONS.get("stays", {}).get(str(INDEX), 0))
    print("DONE " + json.dumps(values), flush=True)


main()
