"""contrib/training/python/training/hparam.py."""

from tfmigrate_runtime.training.hparams import HParams
from tfmigrate_runtime.training.parse_values import parse_values

__all__ = ["HParams", "parse_values"]
