"""Which rows of an embedding a step updates: those of its batch alone, or all.

Optimizers of TensorFlow 1.x update the rows that a batch has (``tf.IndexedSlices``) and leave the
momentum and mean squares of others as they are, except Adam, which decays those of all. Optimizers
of other frameworks, and of dense gradients, decide that in another way.
"""

import numpy as np

from tfmigrate_runtime.verify.traces.trace import Array

_LEFT = 0.05  # of a difference, which may be in rows that both programs update


def differing_rows(old: Array, new: Array, shape: tuple[int, ...]) -> str:
    """Returns what is true of the rows that only one program updates; "" where that is not all.

    Args:
        old: the original's updates, [steps, numbers].
        new: the migrated program's.
        shape: of the variable.
    """
    if len(shape) != 2 or len(old) == 0:
        return ""
    by_row: list[Array] = [array.reshape(-1, *shape) for array in (old, new)]
    in_old, in_new = (np.any(array != 0, axis=2) for array in by_row)
    in_both = in_old & in_new
    if not in_both.any(axis=1).all() or (in_old == in_new).all():
        return ""
    difference = by_row[1] - by_row[0]
    if np.linalg.norm(difference[in_both]) > _LEFT * np.linalg.norm(difference):
        return ""
    if not (in_old & ~in_new).any():
        return "rows move that the original leaves as they are: a dense gradient, or another mask"
    if not (in_new & ~in_old).any():
        return "rows that the original moves are left as they are: a sparse update, or another mask"
    return ""
