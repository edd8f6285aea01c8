"""The strategy of towers, which compute on their own devices and share their variables."""

from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf


def central_storage_strategy(
    devices: Iterable[str | tf.DeviceSpec], parameter_device: str | None = None
) -> Any:
    """Makes a ``CentralStorageStrategy`` with one replica for every tower.

    Args:
        devices: the device of each tower ("/gpu:0"). On a machine that lacks them a session needs
            ``ConfigProto(allow_soft_placement=True)``, as in TensorFlow 1.x.
        parameter_device: where the variables are. Without it each is on the device that its tower
            names where it is made (``with tf.device("/cpu:0")``), or on that of the tower, which is
            the first one's for variables that towers share: as in TensorFlow 1.x.

    Returns:
        A ``tf.distribute.experimental.CentralStorageStrategy`` of compat.v1.

    Raises:
        ValueError: there are no devices.
    """
    names = [device if isinstance(device, str) else device.to_string() for device in devices]
    if not names:
        raise ValueError("towers need at least one device, devices is empty")
    strategy = tf.distribute.experimental.CentralStorageStrategy(
        compute_devices=names, parameter_device=parameter_device or names[0]
    )
    strategy.tower_devices, strategy.parameter_device = names, parameter_device
    return strategy
