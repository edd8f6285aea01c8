"""tf.contrib.learn.monitors: what watches a training, from before there were hooks."""

from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.base import BaseMonitor, EveryN
from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.hooks import (
    RunHookAdapterForMonitors,
    replace_monitors_with_hooks,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.plain import (
    CaptureVariable,
    CheckpointSaver,
    LoggingTrainable,
    NanLoss,
    NanLossDuringTrainingError,
    PrintTensor,
    StepCounter,
    StopAtStep,
    SummarySaver,
    get_default_monitors,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.validation import ValidationMonitor

__all__ = [
    "BaseMonitor", "CaptureVariable", "CheckpointSaver", "EveryN", "LoggingTrainable", "NanLoss",
    "NanLossDuringTrainingError", "PrintTensor", "RunHookAdapterForMonitors", "StepCounter",
    "StopAtStep", "SummarySaver", "ValidationMonitor", "get_default_monitors",
    "replace_monitors_with_hooks",
]  # fmt: skip
