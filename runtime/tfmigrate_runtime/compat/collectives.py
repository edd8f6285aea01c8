"""The functions of NCCL, and the operations below them."""

from tensorflow.python.ops.gen_nccl_ops import nccl_all_reduce, nccl_broadcast, nccl_reduce
from tensorflow.python.ops.nccl_ops import (
    all_max,
    all_min,
    all_prod,
    all_sum,
    broadcast,
    reduce_sum,
)

__all__ = [
    "all_max", "all_min", "all_prod", "all_sum", "broadcast", "nccl_all_reduce", "nccl_broadcast",
    "nccl_reduce", "reduce_sum",
]  # fmt: skip
