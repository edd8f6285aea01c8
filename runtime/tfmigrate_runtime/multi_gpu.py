"""``tf.keras.utils.multi_gpu_model``, which Keras 2.4 removed.

Source: TF 1.15's tensorflow/python/keras/utils/multi_gpu_utils.py. Each GPU gets the same number of
examples, the last one the rest too; the model's variables stay where they are; what the copies
predict is joined in the order of the GPUs.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = ["multi_gpu_model"]


def multi_gpu_model(
    model: Any, gpus: int | Sequence[int], cpu_merge: bool = True, cpu_relocation: bool = False
) -> Any:
    """Returns a model that calls ``model`` on every GPU with its part of each batch.

    Args:
        model: a Keras model with inputs and outputs; its weights are shared.
        gpus: how many GPUs, or their numbers.
        cpu_merge: join the outputs on the CPU, not on the first GPU.
        cpu_relocation: copy the model first, with new weights on the CPU.

    Raises:
        ValueError: fewer than two GPUs are asked for, or there are not as many.
    """
    numbers = _numbers_of(gpus)
    _check_that_they_are_there(gpus, numbers)
    if cpu_relocation:
        with tf.device("/cpu:0"):
            model = tf.keras.models.clone_model(model)
    outputs: list[list[Any]] = [[] for _ in model.outputs]
    for position, number in enumerate(numbers):
        with tf.device(f"/gpu:{number}"), tf.keras.backend.name_scope(f"replica_{number}"):
            inputs = [_part_of(whole, position, len(numbers)) for whole in model.inputs]
            replica_outputs = model(inputs)
            for output, part in enumerate(
                replica_outputs if isinstance(replica_outputs, list) else [replica_outputs]
            ):
                outputs[output].append(part)
    with tf.device("/cpu:0" if cpu_merge else f"/gpu:{numbers[0]}"):
        joined = [
            tf.keras.layers.concatenate(parts, axis=0, name=name)
            for name, parts in zip(_output_names(model), outputs, strict=True)
        ]
    return tf.keras.Model(model.inputs, joined)


def _numbers_of(gpus: int | Sequence[int]) -> list[int]:
    numbers = list(range(gpus)) if isinstance(gpus, int) else list(gpus)
    if len(numbers) <= 1:
        wanted = "gpus >= 2" if isinstance(gpus, int) else "len(gpus) >= 2"
        raise ValueError(
            "For multi-gpu usage to be effective, call `multi_gpu_model` with "
            f"`{wanted}`. Received: `gpus={gpus}`"
        )
    return numbers


def _check_that_they_are_there(gpus: int | Sequence[int], numbers: list[int]) -> None:
    needed = ["/cpu:0", *(f"/gpu:{number}" for number in numbers)]
    devices = tf.keras.backend.get_session().list_devices()
    there = ["/" + device.name.lower().split("device:")[1] for device in devices]
    if not set(needed) <= set(there):
        raise ValueError(
            f"To call `multi_gpu_model` with `gpus={gpus}`, we expect the following devices to be "
            f"available: {needed}. However this machine only has: {there}. Try reducing `gpus`."
        )


def _part_of(whole: Any, position: int, count: int) -> Any:
    """Returns a layer's output: part ``position`` of ``count`` of a batch."""

    def part(batch: Any) -> Any:
        size = tf.shape(batch)[0] // count
        end = None if position == count - 1 else size * (position + 1)
        return batch[size * position : end]

    return tf.keras.layers.Lambda(part, output_shape=tuple(whole.shape.as_list()[1:]))(whole)


def _output_names(model: Any) -> list[str]:
    """Returns the names of the outputs, numbered where several have the same one."""
    counts, seen = Counter(model.output_names), Counter[str]()
    names = []
    for name in model.output_names:
        seen[name] += 1
        names.append(name if counts[name] == 1 else f"{name}_{seen[name]}")
    return names
