"""The strategy of towers that compute on their own devices and have their variables in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.towers import private


def central_storage_strategy(devices: Iterable[str], parameter_device: str = "/cpu:0") -> Any:
    """Makes a ``CentralStorageStrategy`` with one replica for every tower.

    The variables that replicas ask for are made once, as plain variables: an assignment in a
    replica is that of its tower alone, as it was. (The strategy of TensorFlow would assign the
    mean over all replicas; batch normalisation would then move its averages otherwise.)

    Args:
        devices: the device of each tower ("/gpu:0"). On a machine that lacks them a session needs
            ``ConfigProto(allow_soft_placement=True)``, as in TensorFlow 1.x.
        parameter_device: where the variables are.

    Returns:
        A ``tf.distribute.experimental.CentralStorageStrategy`` of compat.v1.

    Raises:
        ValueError: there are no devices, or one of them is given twice.
    """
    names = list(devices)
    if not names:
        raise ValueError("towers need at least one device, devices is empty")
    strategy = tf.distribute.experimental.CentralStorageStrategy(
        compute_devices=names, parameter_device=parameter_device
    )
    private.keep_variables_plain(strategy)
    return strategy
