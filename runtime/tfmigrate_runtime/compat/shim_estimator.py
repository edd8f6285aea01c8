"""tensorflow-estimator 2.15.0, whose last release it is: what original programs run on."""

# Hooks that stop training early.
from tensorflow_estimator.python.estimator import early_stopping as early_stopping

# The module, for what Estimators write.
from tensorflow_estimator.python.estimator import estimator as estimator

# Exporters of tf.contrib.estimator.
from tensorflow_estimator.python.estimator import exporter as exporter

# The module, for contrib.learn.
from tensorflow_estimator.python.estimator import model_fn as model_fn

# RunConfig of contrib.learn.
from tensorflow_estimator.python.estimator import run_config as run_config

# Heads of tf.contrib.estimator.
from tensorflow_estimator.python.estimator.canned import head as head

# tf.contrib.estimator.BaselineEstimator.
from tensorflow_estimator.python.estimator.canned.baseline import (
    BaselineEstimator as BaselineEstimator,
)

# tf.contrib.estimator.DNNEstimator.
from tensorflow_estimator.python.estimator.canned.dnn import DNNEstimator as DNNEstimator

# tf.contrib.estimator.dnn_logit_fn_builder.
from tensorflow_estimator.python.estimator.canned.dnn import (
    dnn_logit_fn_builder as dnn_logit_fn_builder,
)

# tf.contrib.estimator.DNNLinearCombinedEstimator.
from tensorflow_estimator.python.estimator.canned.dnn_linear_combined import (
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimator,
)

# tf.contrib.estimator.LinearEstimator.
from tensorflow_estimator.python.estimator.canned.linear import LinearEstimator as LinearEstimator

# tf.contrib.estimator.linear_logit_fn_builder.
from tensorflow_estimator.python.estimator.canned.linear import (
    linear_logit_fn_builder as linear_logit_fn_builder,
)

# Names of metrics.
from tensorflow_estimator.python.estimator.canned.metric_keys import MetricKeys as MetricKeys

# Names of predictions.
from tensorflow_estimator.python.estimator.canned.prediction_keys import (
    PredictionKeys as PredictionKeys,
)

# tf.contrib.estimator.SavedModelEstimator.
from tensorflow_estimator.python.estimator.canned.saved_model_estimator import (
    SavedModelEstimator as SavedModelEstimator,
)

# tf.estimator.Estimator, which TensorFlow no longer has.
from tensorflow_estimator.python.estimator.estimator import Estimator as Estimator

# Receivers of inputs.
from tensorflow_estimator.python.estimator.export import export as export

# Outputs of exports.
from tensorflow_estimator.python.estimator.export import export_output as export_output

# tf.contrib.estimator.build_raw_supervised_input_receiver_fn.
from tensorflow_estimator.python.estimator.export.export import (
    build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn,
)

# tf.contrib.estimator.build_supervised_input_receiver_fn_from_input_fn.
from tensorflow_estimator.python.estimator.export.export import (
    build_supervised_input_receiver_fn_from_input_fn as build_supervised_input_receiver_fn_from_input_fn,  # noqa: E501
)

# tf.estimator.export.PredictOutput.
from tensorflow_estimator.python.estimator.export.export_output import (
    PredictOutput as PredictOutput,
)

# tf.contrib.estimator.add_metrics.
from tensorflow_estimator.python.estimator.extenders import add_metrics as add_metrics

# Labels and losses of tf.contrib.estimator.multi_label_head.
from tensorflow_estimator.python.estimator.head.multi_label_head import (
    MultiLabelHead as MultiLabelHead,
)

# tf.contrib.estimator.InMemoryEvaluatorHook.
from tensorflow_estimator.python.estimator.hooks.hooks import (
    InMemoryEvaluatorHook as InMemoryEvaluatorHook,
)

# tf.contrib.estimator.make_stop_at_checkpoint_step_hook.
from tensorflow_estimator.python.estimator.hooks.hooks import (
    make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook,
)

# tf.contrib.learn.io.numpy_input_fn.
from tensorflow_estimator.python.estimator.inputs.numpy_io import numpy_input_fn as numpy_input_fn

# tf.contrib.learn.io.pandas_input_fn.
from tensorflow_estimator.python.estimator.inputs.pandas_io import (
    pandas_input_fn as pandas_input_fn,
)

# tf.estimator.EstimatorSpec.
from tensorflow_estimator.python.estimator.model_fn import EstimatorSpec as EstimatorSpec

# tf.estimator.ModeKeys.
from tensorflow_estimator.python.estimator.model_fn import ModeKeys as ModeKeys

# What a head of a TPUEstimator returns.
from tensorflow_estimator.python.estimator.model_fn import _TPUEstimatorSpec as _TPUEstimatorSpec

# tf.contrib.estimator.call_logit_fn.
from tensorflow_estimator.python.estimator.model_fn import call_logit_fn as call_logit_fn

# tf.contrib.tpu without TPUs.
from tensorflow_estimator.python.estimator.tpu import tpu_config as tpu_config

# As above.
from tensorflow_estimator.python.estimator.tpu import tpu_estimator as tpu_estimator
