"""What a ConfigProto and RunOptions say, as settings of an eager process."""

import contextlib
from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.eager import context


def applied(config: Any) -> Any:
    """Applies a ConfigProto to the process, as far as it can still be.

    Threads and devices are settings of the process in TensorFlow 2, and fixed when it first runs
    an operation. A setting that comes too late is left: none of them changes a number.

    Args:
        config: a ``tf.ConfigProto``, None for the defaults.

    Returns:
        A ConfigProto.

    Raises:
        TypeError: it is not a ConfigProto.
        ValueError: it lists a GPU that is not there.
    """
    if config is None:
        return tf.ConfigProto()
    if not isinstance(config, tf.ConfigProto):
        raise TypeError(f"Argument `config` must be a tf.ConfigProto, but got {config!r}")
    threads = tf.config.threading
    with _unless_too_late():
        if config.intra_op_parallelism_threads:
            threads.set_intra_op_parallelism_threads(config.intra_op_parallelism_threads)
        if config.inter_op_parallelism_threads:
            threads.set_inter_op_parallelism_threads(config.inter_op_parallelism_threads)
    listed = _listed_gpus(config.gpu_options.visible_device_list)
    with _unless_too_late():
        if config.device_count.get("GPU", 1) == 0:
            tf.config.set_visible_devices([], "GPU")
        elif listed:
            tf.config.set_visible_devices(listed, "GPU")
        for gpu in tf.config.get_visible_devices("GPU"):
            if config.gpu_options.allow_growth:
                tf.config.experimental.set_memory_growth(gpu, True)
    return config


def _listed_gpus(listed: str) -> list[Any]:
    """Returns the GPUs of a visible_device_list ("1,0"); without GPUs it meant nothing."""
    gpus = tf.config.list_physical_devices("GPU")
    if not (listed and gpus):
        return []
    try:
        return [gpus[int(number)] for number in listed.split(",")]
    except IndexError:
        raise ValueError(f"visible_device_list {listed!r}: there are {len(gpus)} GPUs") from None


@contextlib.contextmanager
def _unless_too_late() -> Iterator[None]:
    # The devices are in use, or were split: parts of a GPU have a fixed share of its memory.
    with contextlib.suppress(RuntimeError, ValueError):
        yield


@contextlib.contextmanager
def traced(run_metadata: Any) -> Iterator[None]:
    """Collects what a full trace of functions returns.

    Args:
        run_metadata: a ``tf.RunMetadata``, which gets the graphs that ran at the end. Times are not
            among them: TensorFlow 2 measures those with tf.profiler.
    """
    with context.eager_mode():
        context.enable_run_metadata()
    try:
        yield
    finally:
        with context.eager_mode():
            run_metadata.CopyFrom(context.export_run_metadata())
            context.disable_run_metadata()
