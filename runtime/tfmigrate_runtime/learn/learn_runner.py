"""Creates an Experiment and runs this process's part of it (``learn_runner``).

The Experiment's own schedules, and not tf.estimator.train_and_evaluate: that one does not evaluate
the checkpoint of step 0, nor as often (semantics.md, section 2).
"""

from tfmigrate_runtime.contrib.of_learn.learn_runner import LearnRunner
from tfmigrate_runtime.estimator.experiment.experiment import Experiment

__all__ = ["run", "tune"]

_RUNNER = LearnRunner(Experiment, lambda config: hasattr(config, "uid"))
run, tune = _RUNNER.run, _RUNNER.tune
