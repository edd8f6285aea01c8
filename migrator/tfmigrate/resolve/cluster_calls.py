"""The names and calls that make a cluster of a program: servers and what needs them."""

import ast

from tfmigrate.resolve.module import Module
from tfmigrate.tables.runtime_api import BETWEEN_GRAPH

OPTIMIZER = "tensorflow.train.SyncReplicasOptimizer"
OPTIMIZERS = (
    OPTIMIZER,
    "tensorflow.train.SyncReplicasOptimizerV2",
    "tensorflow.python.training.sync_replicas_optimizer.SyncReplicasOptimizer",
)
SETTER = "tensorflow.train.replica_device_setter"
SERVER = "tensorflow.train.Server"


def server_calls(module: Module) -> list[ast.Call]:
    """Returns the calls that start servers: tf.train.Server, or the runtime's in its place."""
    calls = module.calls_of(SERVER)
    if module.mentions(BETWEEN_GRAPH.target.rpartition(".")[0]):
        ours = f"{BETWEEN_GRAPH.target}.Server"
        calls += [call for call in module.all(ast.Call) if module.resolve(call.func) == ours]
    return calls
