"""One synchronous worker with a partitioned table; prints the sizes of its variables.

python partitioned.py HOST:PORT
"""

import sys

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import between_graph

tf.disable_v2_behavior()
cluster = tf.train.ClusterSpec({"worker": [sys.argv[1]]})
strategy = between_graph.multi_worker_mirrored_strategy(
    worker_device="/job:worker/task:0", cluster=cluster
)


def replica_fn() -> None:
    with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2)):
        table = tf.get_variable("table", [5, 2])
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 4]))
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)


strategy.run(replica_fn)
print({variable.name: variable.shape.as_list() for variable in tf.trainable_variables()})
