"""What strategies are made of."""

from typing import Any

import tensorflow.compat.v1 as tf

# MultiWorkerMirroredStrategy in graphs: its class has no public name.
# A module, as skip_summary in it is replaced: replicas but the first drop their summaries.
from tensorflow.python.distribute.collective_all_reduce_strategy import (
    CollectiveAllReduceExtended as CollectiveAllReduceExtended,
)

# The strategy of a worker with parameter servers, whose devices between_graph chooses itself.
from tensorflow.python.distribute.parameter_server_strategy import (
    ParameterServerStrategyExtended as ParameterServerStrategyExtended,
)


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
