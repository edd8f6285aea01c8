"""In-graph towers on TensorFlow 2: a replica function for each."""

from tfmigrate_runtime.towers.replica_function import run
from tfmigrate_runtime.towers.strategy import central_storage_strategy
from tfmigrate_runtime.train import quiet as quiet  # silences deprecation notices

__all__ = ["central_storage_strategy", "run"]
