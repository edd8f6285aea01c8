"""Queues and readers of files in a tower stand on the CPU, together."""

from typing import Any


def device_of_readers(op: Any) -> str:
    """Returns the device of an operation: the first CPU for a queue or a reader, else its own.

    A device function, for ``tf.device``. TensorFlow 2 makes queues on "CPU" (``tf.queue.FIFOQueue``
    and its like), of which the tower's index makes CPU:1; a reader, which takes names from the
    queue, is asked for on the tower's GPU. The two cannot be placed apart, not by
    ``allow_soft_placement`` either. In TensorFlow 1.x both were asked for on the GPU and came to
    the CPU together, since there are no such operations for GPUs.

    Args:
        op: an operation that is being made (``tf.Operation``).
    """
    kind = op.type.removesuffix("V2")
    is_held_by_cpu = kind.endswith(("Queue", "Reader")) or kind.startswith("Reader")
    return "/device:CPU:0" if is_held_by_cpu else str(op.device)
