"""Asynchronous programs whose one loop is run by a coordinator (``tfmigrate --coordinator``).

The jobs "ps" and "worker" only serve; the job "chief" runs the program's loop once, under
TensorFlow 2's ``tf.distribute.ParameterServerStrategy`` and ``ClusterCoordinator``.
"""

from tfmigrate_runtime import keras_2 as keras_2  # tf.layers of the program
from tfmigrate_runtime.coordinator.managed import MonitoredTrainingSession, Supervisor
from tfmigrate_runtime.coordinator.results import Result
from tfmigrate_runtime.coordinator.server import Server
from tfmigrate_runtime.coordinator.session import Session
from tfmigrate_runtime.coordinator.strategy import (
    ParameterServerStrategy,
    parameter_server_strategy,
)
from tfmigrate_runtime.train import quiet as quiet  # silences deprecation notices

__all__ = [
    "MonitoredTrainingSession", "ParameterServerStrategy", "Result", "Server", "Session",
    "Supervisor", "parameter_server_strategy",
]  # fmt: skip
