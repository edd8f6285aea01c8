"""Graph code of TensorFlow 1.x inside an eager program (``tfmigrate --target eager``).

The functions that build the graph stay as they are. A :class:`Runner` replaces the
session: it holds the graph's variables, which are variables of TensorFlow 2, and runs any part of
the graph as a function on them. The process stays eager, so that Keras 3 models, tf.function and
tf.distribute can be used beside it, and its functions with them.
"""

from tfmigrate_runtime import keras_2 as keras_2  # tf.layers of the program
from tfmigrate_runtime.graphs import process
from tfmigrate_runtime.graphs.monitored import (
    MonitoredRunner,
    MonitoredSessionRunner,
    SingularMonitoredRunner,
)
from tfmigrate_runtime.graphs.runner import InteractiveRunner, Runner
from tfmigrate_runtime.graphs.server import Server
from tfmigrate_runtime.graphs.supervisor import SessionManager, Supervisor
from tfmigrate_runtime.train import quiet as quiet  # silences deprecation notices

process.install()

__all__ = [
    "InteractiveRunner", "MonitoredRunner", "MonitoredSessionRunner", "Runner", "Server",
    "SessionManager", "SingularMonitoredRunner", "Supervisor",
]  # fmt: skip
