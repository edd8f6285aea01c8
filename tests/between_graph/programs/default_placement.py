"""Prints where operations on no task of a cluster are; ``PYTHON_OF_1_15 THIS > FILE`` stores it.

Runs on TensorFlow 1.15 with its own server, and on the current one with that of between_graph, or
with --legacy under the legacy runtime. With --client the sessions are those of programs that start
no server.
"""

import json
import os
import socket
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
Session = tf.Session
if tf.__version__.startswith("1.") or "--legacy" in sys.argv:
    Server = tf.train.Server
elif "--client" in sys.argv:
    from tfmigrate_runtime.between_graph import Session

    Server = tf.train.Server
else:
    from tfmigrate_runtime.between_graph import Server

DEVICES = {
    "none": "",
    "on_cpu": "/cpu:0",
    "on_job": "/job:worker",
    "on_cpu_of_job": "/job:worker/device:CPU:0",
    "on_task": "/task:1",
    "on_its_task": "/job:worker/task:1",
}
CLUSTERS = {"usual": {"ps": 1, "worker": 2}, "chief": {"worker": 2, "ps": 1, "chief": 1}}
FILTERS = {"all": [], "without_ps": ["/job:worker"]}


def addresses(count: int) -> "list[str]":
    """Returns addresses that nobody listens at."""
    found = [socket.socket() for _ in range(count)]
    for each in found:
        each.bind(("127.0.0.1", 0))
    names = [f"127.0.0.1:{each.getsockname()[1]}" for each in found]
    for each in found:
        each.close()
    return names


def placement(target: str, filters: "list[str]") -> "dict[str, str]":
    """Returns the devices that a session gives to the operations with state."""
    with tf.Graph().as_default():
        variables = []
        for name, device in DEVICES.items():
            with tf.device(device):
                variables.append(tf.Variable(1.0, name=name))
                queue = tf.FIFOQueue(1, tf.float32, name=name + "_queue")
            if name == "none":
                with tf.colocate_with(variables[0].op):
                    variables.append(tf.Variable(1.0, name="beside"))
        update = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.add_n(variables))
        initialize = tf.global_variables_initializer()
        config = tf.ConfigProto(device_filters=filters)
        options, metadata = tf.RunOptions(output_partition_graphs=True), tf.RunMetadata()
        found = {}
        with Session(target, config=config) as session:
            for fetches in (initialize, [update, queue.size()]):
                session.run(fetches, options=options, run_metadata=metadata)
                for graph in metadata.partition_graphs:
                    for node in graph.node:
                        if node.op in ("VariableV2", "FIFOQueueV2"):
                            found[node.name] = node.device
    return found


def main() -> None:
    """Prints the placement of every cluster, task and filter."""
    answers = {}
    for title, jobs in CLUSTERS.items():
        spec = {job: addresses(count) for job, count in jobs.items()}
        tasks = [(job, index) for job in sorted(spec) for index in range(len(spec[job]))]
        servers = [Server(spec, job_name=job, task_index=index) for job, index in tasks]
        for (job, index), server in zip(tasks, servers):  # noqa: B905
            for name, filters in FILTERS.items():
                if name == "all" or job == "worker":
                    key = f"{title} {job} {index} {name}"
                    answers[key] = placement(server.target, filters)
    json.dump(answers, sys.stdout, sort_keys=True, indent=0)
    sys.stdout.flush()
    os._exit(0)  # servers never end


if __name__ == "__main__":
    main()
