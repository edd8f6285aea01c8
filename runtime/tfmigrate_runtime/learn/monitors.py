"""``tf.contrib.learn.monitors``: the one monitor that is not a hook of ``tf.train``."""

from tfmigrate_runtime.estimator.experiment.validation_monitor import ValidationMonitor

__all__ = ["ValidationMonitor"]
