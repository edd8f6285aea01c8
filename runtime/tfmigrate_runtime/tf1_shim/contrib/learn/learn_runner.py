"""tf.contrib.learn.learn_runner: makes an Experiment and calls one of its schedules."""

from tfmigrate_runtime.contrib.of_learn.learn_runner import LearnRunner
from tfmigrate_runtime.tf1_shim.contrib.learn.experiment import Experiment
from tfmigrate_runtime.tf1_shim.contrib.learn.run_config import RunConfig

_RUNNER = LearnRunner(Experiment, lambda config: isinstance(config, RunConfig))
run, tune = _RUNNER.run, _RUNNER.tune
