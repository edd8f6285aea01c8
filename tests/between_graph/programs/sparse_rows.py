"""One synchronous worker that looks up sparse ids; prints the rows of the gradient.

python sparse_rows.py HOST:PORT
"""

import sys
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import between_graph

tf.disable_v2_behavior()
cluster = tf.train.ClusterSpec({"worker": [sys.argv[1]]})
strategy = between_graph.multi_worker_mirrored_strategy(
    worker_device="/job:worker/task:0", cluster=cluster
)


def replica_fn() -> Any:
    table = tf.get_variable("table", [9, 2], initializer=tf.ones_initializer())
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0]], tf.constant([7, 2, 7, 4]), [3, 2])
    found = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean")
    return tf.gradients(tf.reduce_sum(found), [table])[0].indices


rows = strategy.run(replica_fn)
server = between_graph.Server(cluster, "worker", 0, sync_replicas=True)
with between_graph.MonitoredTrainingSession(server.target, strategy=strategy) as session:
    print(session.run(rows).tolist())
