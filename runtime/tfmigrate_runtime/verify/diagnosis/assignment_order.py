"""Steps that read a variable and assign it, in no order: threads decide which comes first.

``tf.group(train_op, tf.assign_add(step, 1))`` leaves open whether the learning rate is that of this
step or of the next. Both programs are recorded reading first. A port that follows the other order
trains as the original may, too, and mostly does in sessions of TensorFlow 1.15 (semantics.md,
section 3): the original is then recorded in that order.
"""

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rounding.updates import compared
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import models_of
from tfmigrate_runtime.verify.wording import first_of

_WARNING = (
    "threads decide whether a step of the {} reads {} before or after assigning it: here it was "
    "{} first. TensorFlow 1.15 mostly assigns first, TensorFlow 2 mostly reads first. "
    "tf.control_dependencies gives them an order"
)


def warnings(original: Recording, migrated: Recording, assigns_first: bool) -> tuple[str, ...]:
    """Returns what the user should know about the order that the original was recorded in."""
    names, others = (_unordered(each) for each in (original, migrated))
    if not names:
        return ()
    which = "original, and of the migrated program," if names == others else "original"
    order = "assigned" if assigns_first else "read"
    return (_WARNING.format(which, first_of(names, 3), order),)


def is_left_open(original: Recording) -> bool:
    """Returns whether steps of the original read what they assign in no order."""
    return bool(_unordered(original))


def is_nearer(
    pair: tuple[Recording, Recording], other: tuple[Recording, Recording], tolerance: Tolerance
) -> bool:
    """Returns whether the updates of the first two programs are nearer to each other."""
    return _distance(*pair, tolerance) < _distance(*other, tolerance)


def _unordered(recording: Recording) -> list[str]:
    if recording.is_cluster:  # threads of several processes decide there
        return []
    models = models_of(recording.chief)
    return list(dict.fromkeys(n for m in models for n in m.meta.get("unordered_reads", ())))


def _distance(original: Recording, migrated: Recording, tolerance: Tolerance) -> float:
    """Returns how far apart variables are after most steps, as a share of what is allowed."""
    shares = []
    for old, new in zip(models_of(original.chief), models_of(migrated.chief), strict=False):
        for name in old.trainable:
            values, others = old.variables.get(name), new.variables.get(name)
            if values is not None and others is not None and values.shape == others.shape:
                shares.append(np.median(compared(name, old, new, tolerance).quotients))
    return float(np.mean(shares)) if shares else np.inf
