"""The step counter that programs make themselves, by its name."""

from typing import Any

import tensorflow.compat.v1 as tf

_NAME = "global_step:0"


def find_by_name(variable: Any) -> Any:
    """Lets ``tf.train.get_global_step`` find a variable that is called ``global_step``.

    TensorFlow 1.x found ``tf.Variable(0, name="global_step")`` by the name of its tensor, which is
    that of a handle where variables are resources (``tf.train.get_global_step`` of TensorFlow 2.21
    raises TypeError for it).

    Args:
        variable: a variable that was just made.

    Returns:
        The variable.
    """
    known = tf.get_default_graph().get_collection_ref(tf.GraphKeys.GLOBAL_STEP)
    is_integer = variable.dtype.base_dtype.is_integer and variable.shape.rank == 0
    if variable.name == _NAME and is_integer and not known:
        known.append(variable)
    return variable
