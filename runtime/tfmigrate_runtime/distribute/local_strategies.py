"""The strategies of tf.contrib.distribute for one process."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.distribute.early_methods import EarlyMethods
from tfmigrate_runtime.estimator import devices as replica_devices


class MirroredStrategy(EarlyMethods, tf.distribute.MirroredStrategy):  # type: ignore[misc]
    """``tf.contrib.distribute.MirroredStrategy``: one copy of the variables on every device.

    A dataset that its loops are given has batches for one replica, where those of
    ``tf.distribute.MirroredStrategy`` are split.
    """

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
        prefetch_on_device: Any = None,
    ) -> None:
        """Makes the strategy.

        Args:
            devices: the devices; all GPUs, or the CPU where there are none.
            num_gpus: how many GPUs to use instead of devices; 0 for the CPU.
            num_gpus_per_worker: the same, by its name since TensorFlow 1.12.
            cross_device_ops: how values are reduced; None for what suits the devices.
            auto_shard_dataset: only had a meaning for several workers in one graph.
            cross_tower_ops: ``cross_device_ops`` by its name until TensorFlow 1.12.
            prefetch_on_device: TensorFlow 1.8 to 1.12 asked for it; iterators decide themselves.

        Raises:
            ValueError: devices or reductions are given twice, or there are not so many GPUs.
        """
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        if cross_device_ops is not None and cross_tower_ops is not None:
            raise ValueError(
                "cross_tower_ops is the old name of cross_device_ops: pass one of them"
            )
        count = num_gpus if num_gpus is not None else num_gpus_per_worker
        if devices is not None and count is not None:
            raise ValueError("Must only specify one of `devices` and `num_gpus`.")
        if count is not None:
            devices = [f"/device:GPU:{index}" for index in range(count)] or ["/device:CPU:0"]
        chosen = cross_device_ops if cross_device_ops is not None else cross_tower_ops
        try:
            super().__init__(devices=devices, cross_device_ops=chosen)
        except tf.errors.InvalidArgumentError as error:  # in eager mode it uses the devices at once
            raise ValueError(
                f"the strategy needs {', '.join(map(str, devices or ()))}, but TensorFlow finds "
                f"{len(tf.config.list_logical_devices('GPU'))} GPU(s)"
            ) from error
        replica_devices.prepare(self)

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """Makes an iterator that gives every replica its own batch.

        Consecutive batches go to consecutive replicas (contrib's
        ``MirroredExtended._make_dataset_iterator``).

        Args:
            dataset: a ``tf.data.Dataset`` with batches for one replica.
        """
        return self.make_input_fn_iterator(lambda context: dataset)


class OneDeviceStrategy(EarlyMethods, tf.distribute.OneDeviceStrategy):  # type: ignore[misc]
    """``tf.contrib.distribute.OneDeviceStrategy``: everything on one device."""

    def __init__(self, device: str, prefetch_on_device: Any = None) -> None:
        """Makes the strategy.

        Args:
            device: the device ("/gpu:0").
            prefetch_on_device: TensorFlow 1.8 to 1.12 asked for it; iterators decide themselves.
        """
        super().__init__(device)
