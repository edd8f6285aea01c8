"""The devices of replicas: how values are reduced between them, and what sessions need."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import replicas

_DEFAULT_SESSION = tf.ConfigProto(allow_soft_placement=True)


def prepare(strategy: Any) -> None:
    """Checks a strategy's devices and chooses the reduction that suits them.

    TensorFlow's default reduction identifies tensors by keys of the whole process: the second
    strategy of a process fails, and so do sparse gradients of different lengths. NCCL adds up on
    several GPUs, and leaves sparse gradients to one device; CPUs, and replicas that share a GPU,
    which NCCL refuses, are added up on one device altogether.

    Raises:
        ValueError: the strategy needs GPUs that TensorFlow does not find.
    """
    devices = [tf.DeviceSpec.from_string(d) for d in strategy.extended.worker_devices]
    gpus = [d.device_index or 0 for d in devices if d.device_type == "GPU"]
    there = len(tf.config.list_logical_devices("GPU")) if gpus else 0
    if gpus and max(gpus) >= there:
        raise ValueError(
            f"the strategy needs GPU:{max(gpus)}, but TensorFlow finds {there} GPU(s). Pass "
            "existing devices; tf.distribute.MirroredStrategy() without arguments uses all GPUs, "
            "or the CPU if there are none."
        )
    extended = strategy.extended
    chosen = getattr(extended, "_cross_device_ops", None)
    is_default = chosen is not None and chosen is getattr(extended, "_collective_ops", None)
    if is_default and replicas.replica_count(strategy) == replicas.local_replica_count(strategy):
        apart = len(gpus) == len(devices) and len({_card(gpu) for gpu in gpus}) == len(gpus)
        extended._cross_device_ops = (
            tf.distribute.NcclAllReduce() if apart else tf.distribute.ReductionToOneDevice()
        )


def _card(logical_gpu: int) -> int:
    """Returns the number of the physical GPU that a logical one is a part of."""
    parts = [len(_parts(gpu)) for gpu in tf.config.list_physical_devices("GPU")]
    return [card for card, count in enumerate(parts) for _ in range(count)][logical_gpu]


def _parts(gpu: Any) -> list[Any]:
    """Returns the configurations of the logical GPUs that a physical one is split into."""
    return list(tf.config.get_logical_device_configuration(gpu) or (None,))


def session_config(program_config: Any, strategies: Sequence[Any]) -> Any:
    """Returns the ConfigProto of a session for strategies that were prepared.

    CPU replicas whose values are added up on one device share the only CPU device of the session,
    however many the program asked for: soft placement puts them there, on the same threads, and
    nothing has to be sent between them, which makes small models up to twice as fast. Other
    reductions wait forever unless every replica has its own device.

    Args:
        program_config: the RunConfig's session_config, None for tf.estimator's default.
        strategies: the strategies that will be used, None among them for none.
    """
    config = tf.ConfigProto()
    config.CopyFrom(program_config or _DEFAULT_SESSION)
    shared = {
        share_a_cpu(strategy, program_config) for strategy in strategies if strategy is not None
    }
    wanted = 1
    for strategy in strategies:
        if strategy is not None and not (
            config.allow_soft_placement and _adds_on_one_device(strategy)
        ):
            wanted = max([wanted, *(index + 1 for index in _cpus(strategy))])
    if shared == {True}:
        config.device_count["CPU"] = 1
    elif config.device_count["CPU"] < wanted:
        config.device_count["CPU"] = wanted
    _split_gpus(config)
    return config


def share_a_cpu(strategy: Any, session_config: Any) -> bool:
    """Returns whether the replicas of a strategy share the only CPU device of a session.

    Args:
        strategy: a strategy that was prepared, None for none.
        session_config: the RunConfig's, None for tf.estimator's default.
    """
    if strategy is None or not _adds_on_one_device(strategy):
        return False
    is_placed = (session_config or _DEFAULT_SESSION).allow_soft_placement
    return bool(is_placed) and len(_cpus(strategy)) == len(strategy.extended.worker_devices)


def _split_gpus(config: Any) -> None:
    """Tells a session how the process has split its GPUs: it may not see them otherwise."""
    split = [_parts(gpu) for gpu in tf.config.list_physical_devices("GPU")]
    virtual_devices = config.gpu_options.experimental.virtual_devices
    if virtual_devices or not any(part for parts in split for part in parts):
        return
    for parts in split:
        limits = [part.memory_limit or 0 for part in parts if part is not None]
        virtual_devices.add(memory_limit_mb=limits)


def _cpus(strategy: Any) -> list[int]:
    """Returns the numbers of the CPU devices of a strategy."""
    devices = [tf.DeviceSpec.from_string(name) for name in strategy.extended.worker_devices]
    return [device.device_index or 0 for device in devices if device.device_type == "CPU"]


def _adds_on_one_device(strategy: Any) -> bool:
    reduction = getattr(strategy.extended, "_cross_device_ops", None)
    return isinstance(reduction, tf.distribute.ReductionToOneDevice)
