"""Graphs whose placement is compared; ``PYTHON_OF_1_15 placement_cases.py`` stores that of 1.15."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable  # noqa: UP035

import tensorflow.compat.v1 as tf

STORED = Path(__file__).parent / "original_placement.json"
_WORKER = "/job:worker/task:1"
_CLUSTER = {
    "ps": ["h0:1", "h1:1", "h2:1"],
    "worker": ["h3:1", "h4:1"],
    "parameters": ["h5:1", "h6:1"],
}

Balancing = Callable[[int], Any]


def forms(greedy: Balancing, random: Balancing) -> dict[str, tuple[tuple[Any, ...], Any]]:
    """Returns arguments of ``replica_device_setter`` by a name: those by position, by keyword.

    Args:
        greedy: makes a GreedyLoadBalancingStrategy by bytes for a number of servers.
        random: makes a RandomStrategy for a number of servers.
    """
    cluster = tf.train.ClusterSpec(_CLUSTER)
    return {
        "positional": ((3,), {}),
        "all_positional": ((2, "/job:ps", _WORKER, False, cluster), {}),
        "cluster": ((), {"cluster": cluster, "worker_device": _WORKER}),
        "cluster_as_dictionary": ((), {"cluster": _CLUSTER, "worker_device": _WORKER + "/cpu:0"}),
        "cluster_definition": ((), {"cluster": cluster.as_cluster_def()}),
        "ps_device": ((), {"cluster": cluster, "ps_device": "/job:parameters/cpu:0"}),
        "greedy": ((), {"cluster": cluster, "ps_strategy": greedy(3)}),
        "random": ((2,), {"ps_strategy": random(2)}),
        "own_strategy": ((2,), {"ps_strategy": lambda op: len(op.name) % 2}),
        "not_merged": ((), {"cluster": cluster, "merge_devices": False}),
        "ps_ops": ((2,), {"ps_ops": ["VariableV2", "Placeholder"]}),
        "gpu": ((), {"cluster": cluster, "worker_device": _WORKER + "/gpu:1"}),
    }


OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
}


# Every form, and every optimizer.
COMPARED = [
    *((form, "adam") for form in forms(lambda servers: None, lambda servers: None)),
    *(("cluster", optimizer) for optimizer in OPTIMIZERS if optimizer != "adam"),
]


def model(optimizer: str) -> None:
    """Builds a graph with variables of all kinds, some of them placed by hand."""
    global_step = tf.Variable(0, name="global_step", trainable=False)
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    weights = tf.get_variable("weights", [3, 400])
    bias = tf.Variable(tf.zeros([400]), name="bias")
    table = tf.get_variable("table", [6, 400], partitioner=tf.fixed_size_partitioner(2))
    with tf.device("/job:ps/task:1/cpu:0"):
        by_hand = tf.Variable(1.0, name="by_hand")
    resource = tf.get_variable("resource", [2], use_resource=True)
    with tf.device("/cpu:0"):
        on_cpu = tf.Variable(1.0, name="on_cpu")
    words = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [0, 1]), -1, name="words"
    )
    rows = tf.nn.embedding_lookup(table, words.lookup(tf.constant(["a", "b"])))
    output = tf.matmul(x, weights) + bias + tf.reduce_sum(rows)
    with tf.colocate_with(weights.op):
        scale = tf.Variable(2.0, name="scale")
    loss = tf.reduce_mean(tf.square(output)) * by_hand * on_cpu * scale + tf.reduce_sum(resource)
    step = OPTIMIZERS[optimizer]().minimize(loss, global_step=global_step)
    with tf.control_dependencies([step]):
        tf.train.ExponentialMovingAverage(0.9).apply([weights, bias])


def placement(graph: Any) -> dict[str, list[str]]:
    """Returns type and device of what holds state in a graph, by name."""
    held = ("VariableV2", "VarHandleOp", "HashTableV2", "Placeholder")
    return {op.name: [op.type, op.device] for op in graph.get_operations() if op.type in held}


def main() -> None:
    """Stores what TensorFlow 1.15 does."""
    from tensorflow.contrib import training

    def greedy(servers: int) -> Any:
        return training.GreedyLoadBalancingStrategy(servers, training.byte_size_load_fn)

    found: dict[str, Any] = {}
    for form, optimizer in COMPARED:
        arguments, options = forms(greedy, training.RandomStrategy)[form]
        with tf.Graph().as_default() as graph:
            with tf.device(tf.train.replica_device_setter(*arguments, **options)):
                model(optimizer)
            found[f"{form} {optimizer}"] = placement(graph)
    STORED.write_text(json.dumps(found, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
