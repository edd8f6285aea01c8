"""The operations below the functions of tf.contrib.nccl."""

from tfmigrate_runtime.compat.collectives import nccl_all_reduce, nccl_broadcast, nccl_reduce

__all__ = ["nccl_all_reduce", "nccl_broadcast", "nccl_reduce"]
