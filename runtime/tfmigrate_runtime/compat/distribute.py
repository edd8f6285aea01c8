"""What strategies are made of."""

import contextlib
from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf

# Which ops Python code may use, by date: tf.compat.forward_compatibility_horizon takes no past one.
from tensorflow.python.compat import compat as forward_compatibility

# MultiWorkerMirroredStrategy in graphs: its class has no public name.
# A module, as skip_summary in it is replaced: replicas but the first drop their summaries.
from tensorflow.python.distribute.collective_all_reduce_strategy import (
    CollectiveAllReduceExtended as CollectiveAllReduceExtended,
)

# The strategy of a worker with parameter servers, whose devices between_graph chooses itself.
from tensorflow.python.distribute.parameter_server_strategy import (
    ParameterServerStrategyExtended as ParameterServerStrategyExtended,
)


@contextlib.contextmanager
def rows_in_order_of_appearance() -> Iterator[None]:
    """A context in which embedding_lookup_sparse has the gradient that it had on TensorFlow 1.x.

    Its rows were in the order in which their ids first appear, as they still are for a variable on
    a parameter server; since TensorFlow 2.15 those of a variable on the worker are sorted.
    """
    known = forward_compatibility.forward_compatible

    def forward_compatible(year: int, month: int, day: int) -> bool:
        return (year, month, day) < (2023, 9, 26) and bool(known(year, month, day))

    forward_compatibility.forward_compatible = forward_compatible
    try:
        yield
    finally:
        forward_compatibility.forward_compatible = known


def cluster_of_environment(gpus: int) -> Any:
    """Returns the cluster of TF_CONFIG, with a number of GPUs for each worker."""
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    return tf.distribute.cluster_resolver.SimpleClusterResolver(
        cluster_spec=resolver.cluster_spec(),
        task_type=resolver.task_type,
        task_id=resolver.task_id,
        num_accelerators={"GPU": gpus},
        rpc_layer=resolver.rpc_layer,
    )
