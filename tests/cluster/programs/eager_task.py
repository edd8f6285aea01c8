"""A task of an eager cluster; its worker counts on parameter servers, and goes on after a loss."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import graphs


def counter(job: str) -> tuple[Any, Any, Any, Any]:
    """Returns a graph with a variable on a task, this, its initializer, and what adds 1 to it."""
    with tf.Graph().as_default() as graph, tf.device(job):
        count = tf.get_variable("count", [], initializer=tf.zeros_initializer())
        return graph, count, count.initializer, tf.assign_add(count, 1.0)


def of_closed_queue(target: str) -> Any:
    """Returns what a session takes from a queue that a session before it has closed."""
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:0"):
            queue = tf.FIFOQueue(10, tf.float32, [[]], shared_name="tokens")
        queue_runner = tf.train.QueueRunner(queue, [queue.enqueue(7.0)])
        taken, close = queue.dequeue(), queue.close(cancel_pending_enqueues=True)
        ended = graphs.Runner(target, graph)
        ended.run(close)
        ended.close()
        runner = graphs.Runner(target, graph)
        coordinator = tf.train.Coordinator()
        threads = queue_runner.create_threads(runner, coordinator, daemon=True, start=True)
        value = runner.run(taken)
        coordinator.request_stop()
        coordinator.join(threads)
        return value


def main() -> None:
    config = json.loads(os.environ["TF_CONFIG"])
    task = config["task"]
    server = graphs.Server(config["cluster"], task["type"], task["index"])
    if task["type"] == "ps":
        server.join()
    graph, count, initializer, add = counter("/job:ps/task:0")
    runner = graphs.Runner(server.target, graph)
    runner.run(initializer)
    while True:
        try:
            print("COUNT", runner.run(add), flush=True)
            time.sleep(0.1)
        except (tf.errors.UnavailableError, tf.errors.AbortedError):
            break
    runner = graphs.Runner(server.target, graph)
    try:
        runner.run(count)
    except tf.errors.FailedPreconditionError:
        print("EMPTY", flush=True)  # the new process has no value of the variable
    runner.run(initializer)
    print("AGAIN", runner.run(add), flush=True)
    other, _, other_initializer, other_add = counter("/job:ps/task:1")
    beside = graphs.Runner(server.target, other)
    beside.run(other_initializer)
    print("BOTH", runner.run(add), beside.run(other_add), flush=True)
    print("QUEUE", of_closed_queue(server.target), flush=True)


if __name__ == "__main__":
    main()
