"""The devices that programs find under the legacy runtime.

Without ``--devices`` they are those of this machine, as TensorFlow 1.x would have found them. With
it they are what ``verify/recorder/program/device_choice.py`` gives, to recorded programs and to
others alike.

GPUs compute as they did under TensorFlow 1.15: products of float32 are not rounded to TF32, which
that version did not know (TensorFlow 2.4 and later do so by default, where the GPU can).
"""

import functools
from typing import Any

from tfmigrate_runtime.verify.recorder.program.device_choice import chosen, keep_on_cpu
from tfmigrate_runtime.verify.shared import HELP, DevicesError

__all__ = ["HELP", "DevicesError", "chosen", "install"]


def install(devices: Any, tensorflow: Any) -> None:
    """Gives devices to this process, before it has any.

    Args:
        devices: what ``chosen`` returned; None for what this machine has.
        tensorflow: TensorFlow as ``tf1_shim.prepare`` returns it.

    Raises:
        DevicesError: they cannot be had.
    """
    tensorflow.config.experimental.enable_tensor_float_32_execution(False)
    ask_for_gpus(tensorflow)
    if tensorflow.config.list_physical_devices("GPU"):
        keep_on_cpu(counters)
    if devices is None:
        return
    devices.install(tensorflow)
    if devices.is_split:
        add_up_by_copies()


def counters(op: Any) -> list[Any]:
    """Returns an op if it is a variable of integers, such as the global step.

    A session that fetches one from a CPU together with a training step returns the value after the
    step, because both share a buffer: monitors and hooks rely on that. From a GPU it is a copy,
    made before or after: a ValidationMonitor looked for its checkpoint a step too early or not,
    and the original stopped at a different step in each run.
    """
    is_counter = op.type in ("Variable", "VariableV2") and op.outputs[0].dtype.is_integer
    return [op] if is_counter else []


def ask_for_gpus(tensorflow: Any) -> None:
    """Lets ``tf.test.is_built_with_cuda`` say whether there is a GPU.

    TensorFlow 1.15 came as a package for CPUs too; that of today, for Linux, is always built with
    CUDA, and programs that chose ``channels_first`` by it would fail on CPUs.
    """

    def is_built_with_cuda() -> bool:
        return bool(tensorflow.config.list_physical_devices("GPU"))

    from tfmigrate_runtime.compat.shim_ops import test

    for owner in (test, tensorflow.test, tensorflow.compat.v1.test):
        owner.is_built_with_cuda = is_built_with_cuda


def add_up_by_copies() -> None:
    """Lets a MirroredStrategy without ``cross_device_ops`` add up by copies between devices.

    TensorFlow 1.15 chose NCCL there (select_cross_device_ops), which takes no two ranks on one GPU;
    current TensorFlow would use ring collectives, known by keys that a second strategy repeats.
    """
    import tensorflow.compat.v1 as tf

    from tfmigrate_runtime.compat.shim_distribute import MirroredExtended

    owner: Any = MirroredExtended
    original = owner.__init__

    @functools.wraps(original)
    def initialize(
        this: Any, strategy: Any, devices: Any = None, cross_device_ops: Any = None
    ) -> None:
        original(
            this, strategy, devices, cross_device_ops or tf.distribute.HierarchicalCopyAllReduce()
        )

    owner.__init__ = initialize
