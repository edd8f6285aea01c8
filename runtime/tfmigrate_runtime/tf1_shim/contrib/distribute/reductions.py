"""How the strategies of tf.contrib.distribute reduce values over replicas."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_distribute import AllReduceCrossDeviceOps as _AllReduce


class AllReduceCrossDeviceOps(_AllReduce):  # type: ignore[misc]
    """Adds up on all devices at once (tf.contrib.distribute.AllReduceCrossDeviceOps)."""

    def __init__(
        self,
        all_reduce_alg: str = "nccl",
        num_packs: int = 1,
        agg_small_grads_max_bytes: int = 0,
        agg_small_grads_max_group: int = 10,
    ) -> None:
        """Takes the arguments of TensorFlow 1.15.

        Args:
            all_reduce_alg: "nccl" or "hierarchical_copy".
            num_packs: into how many packs values are put on their way.
            agg_small_grads_max_bytes: small values went together on their way in TensorFlow 1.x;
                each goes by itself now. Sums are the same.
            agg_small_grads_max_group: the same.
        """
        super().__init__(all_reduce_alg=all_reduce_alg, num_packs=num_packs)


class MultiWorkerAllReduce(tf.distribute.ReductionToOneDevice):  # type: ignore[misc]
    """Adds up over the workers of one graph (tf.contrib.distribute.MultiWorkerAllReduce).

    TensorFlow 2 has none of its algorithms: the values are added up on one device. Sums are the
    same but for the order in which they are added.
    """

    def __init__(
        self,
        worker_devices: Sequence[str],
        num_gpus_per_worker: int,
        all_reduce_spec: Any = ("pscpu/pscpu", 2, -1),
        num_packs: int = 0,
        agg_small_grads_max_bytes: int = 0,
        agg_small_grads_max_group: int = 10,
    ) -> None:
        """Takes the arguments of TensorFlow 1.15, which say how values travel.

        Raises:
            ValueError: ``all_reduce_spec`` has not the form that it had.
        """
        del agg_small_grads_max_bytes, agg_small_grads_max_group
        if isinstance(all_reduce_spec, list):
            for spec in all_reduce_spec:
                _check_spec(spec, all_reduce_spec)
        elif isinstance(all_reduce_spec, tuple):
            _check_spec(all_reduce_spec, all_reduce_spec)
        super().__init__()


def _check_spec(spec: Any, all_reduce_spec: Any) -> None:
    if not isinstance(spec, tuple):
        raise ValueError(f"A tuple is expected for all-reduce spec: {all_reduce_spec!r}")
    if not 1 <= len(spec) <= 3:
        raise ValueError(f"Too many elements in the all-reduce spec tuple: {spec!r}")
