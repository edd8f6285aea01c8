"""Names of contrib/rnn/python/ops/core_rnn_cell.py other than its cells."""

from typing import Any

from tfmigrate_runtime.rnn.base import _Linear

__all__ = ["_Linear", "_linear"]


def _linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Any:
    """Makes a ``_Linear`` and calls it once."""
    return _Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)
