"""How values are reduced over the devices of replicas, by the names of tf.contrib.distribute."""

from typing import Any

import tensorflow.compat.v1 as tf

CrossDeviceOps = tf.distribute.CrossDeviceOps
CrossTowerOps = tf.distribute.CrossDeviceOps
ReductionToOneDeviceCrossDeviceOps = tf.distribute.ReductionToOneDevice
ReductionToOneDeviceCrossTowerOps = tf.distribute.ReductionToOneDevice

_ALGORITHMS = {
    "nccl": tf.distribute.NcclAllReduce,
    "hierarchical_copy": tf.distribute.HierarchicalCopyAllReduce,
}


def AllReduceCrossDeviceOps(  # noqa: N802 - it represents a class
    all_reduce_alg: str = "nccl",
    num_packs: int = 1,
    agg_small_grads_max_bytes: int = 0,
    agg_small_grads_max_group: int = 10,
) -> Any:
    """Makes the all-reduce of an algorithm (``tf.contrib.distribute.AllReduceCrossDeviceOps``).

    Args:
        all_reduce_alg: "nccl" or "hierarchical_copy".
        num_packs: into how many packs gradients are put; 0 for none.
        agg_small_grads_max_bytes: there is no such aggregation any more: it made transfers fewer
            and changed no value.
        agg_small_grads_max_group: as before.

    Returns:
        A ``tf.distribute.NcclAllReduce`` or ``tf.distribute.HierarchicalCopyAllReduce``.

    Raises:
        ValueError: TensorFlow 2 has no such algorithm.
    """
    if all_reduce_alg not in _ALGORITHMS:
        raise ValueError(
            f"all_reduce_alg {all_reduce_alg!r}: TensorFlow 2 has {' and '.join(_ALGORITHMS)}"
        )
    return _ALGORITHMS[all_reduce_alg](num_packs=num_packs)


AllReduceCrossTowerOps = AllReduceCrossDeviceOps  # its name until TensorFlow 1.12
