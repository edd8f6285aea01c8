"""A module of tf.contrib.learn.python.learn that showed hooks of tf.train under its own name."""

from tensorflow.compat.v1 import train

CheckpointSaverHook = train.CheckpointSaverHook
LoggingTensorHook = train.LoggingTensorHook
NanLossDuringTrainingError = train.NanLossDuringTrainingError
NanTensorHook = train.NanTensorHook
StepCounterHook = train.StepCounterHook
StopAtStepHook = train.StopAtStepHook
SummarySaverHook = train.SummarySaverHook
