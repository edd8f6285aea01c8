"""The strategy of the contenders that are written by hand, and the devices for all of Keras."""

import runpy
import sys

import tensorflow as tf
from rows import BATCH, DEVICE, REPLICAS, rows


def split_the_cpu():
    """Makes REPLICAS logical CPU devices."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    configurations = [tf.config.LogicalDeviceConfiguration()] * REPLICAS
    tf.config.set_logical_device_configuration(cpu, configurations)


def make_strategy():
    """Returns a strategy for the devices; none is needed for one."""
    if REPLICAS == 1:
        return tf.distribute.get_strategy()
    return tf.distribute.MirroredStrategy(
        [f"{DEVICE}:{index}" for index in range(REPLICAS)],
        cross_device_ops=tf.distribute.ReductionToOneDevice(),
    )


def dataset():
    """Returns global batches without end."""
    data = tf.data.Dataset.from_tensor_slices(rows())
    return data.repeat().batch(BATCH, drop_remainder=True).prefetch(8)


if __name__ == "__main__":
    split_the_cpu()
    runpy.run_path(sys.argv[1], run_name="__main__")
