"""tf.contrib.nccl on TensorFlow 2: sums and other reductions over GPUs.

Since TensorFlow 1.13 they are in a module of TensorFlow's core that is not public.
"""

from tfmigrate_runtime.compat.collectives import (
    all_max,
    all_min,
    all_prod,
    all_sum,
    broadcast,
    reduce_sum,
)
from tfmigrate_runtime.nccl import gen_nccl_ops

__all__ = [
    "all_max", "all_min", "all_prod", "all_sum", "broadcast", "gen_nccl_ops", "reduce_sum",
]  # fmt: skip
