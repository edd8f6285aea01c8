"""Functions of ``tf.config`` that TensorFlow no longer has."""

import tensorflow.compat.v1 as tf


def experimental_list_devices() -> list[str]:
    """Returns the full names of this process' devices (tf.config.experimental_list_devices)."""
    with tf.Graph().as_default(), tf.Session() as session:
        return [device.name for device in session.list_devices()]
