"""tf.contrib.estimator.

Not emulated: the estimators over recurrent networks, boosted trees in memory and annotated layers
(``RNNClassifier``, ``RNNEstimator``, ``boosted_trees_*_train_in_memory``,
``DNN*WithLayerAnnotations``), whose base classes TensorFlow no longer has.
"""

from tfmigrate_runtime.compat.shim_estimator import (
    BaselineEstimator,
    DNNEstimator,
    DNNLinearCombinedEstimator,
    InMemoryEvaluatorHook,
    LinearEstimator,
    SavedModelEstimator,
    make_stop_at_checkpoint_step_hook,
)
from tfmigrate_runtime.tf1_shim.contrib.estimator.early_stopping import (
    make_early_stopping_hook,
    read_eval_metrics,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from tfmigrate_runtime.tf1_shim.contrib.estimator.export import (
    build_raw_supervised_input_receiver_fn,
    build_supervised_input_receiver_fn_from_input_fn,
    export_all_saved_models,
    export_saved_model_for_mode,
)
from tfmigrate_runtime.tf1_shim.contrib.estimator.extenders import (
    add_metrics,
    clip_gradients_by_norm,
    forward_features,
)
from tfmigrate_runtime.tf1_shim.contrib.estimator.head import (
    binary_classification_head,
    logistic_regression_head,
    multi_class_head,
    multi_label_head,
    poisson_regression_head,
    regression_head,
)
from tfmigrate_runtime.tf1_shim.contrib.estimator.logit_fns import (
    call_logit_fn,
    dnn_logit_fn_builder,
    linear_logit_fn_builder,
)
from tfmigrate_runtime.tf1_shim.contrib.estimator.multi_head import multi_head
from tfmigrate_runtime.tf1_shim.contrib.estimator.replicate_model_fn import (
    TowerOptimizer,
    replicate_model_fn,
)

__all__ = [
    "BaselineEstimator", "DNNEstimator", "DNNLinearCombinedEstimator", "InMemoryEvaluatorHook",
    "LinearEstimator", "SavedModelEstimator", "TowerOptimizer", "add_metrics",
    "binary_classification_head", "build_raw_supervised_input_receiver_fn",
    "build_supervised_input_receiver_fn_from_input_fn", "call_logit_fn", "clip_gradients_by_norm",
    "dnn_logit_fn_builder", "export_all_saved_models", "export_saved_model_for_mode",
    "forward_features", "linear_logit_fn_builder", "logistic_regression_head",
    "make_early_stopping_hook", "make_stop_at_checkpoint_step_hook", "multi_class_head",
    "multi_head", "multi_label_head", "poisson_regression_head", "read_eval_metrics",
    "regression_head", "replicate_model_fn", "stop_if_higher_hook", "stop_if_lower_hook",
    "stop_if_no_decrease_hook", "stop_if_no_increase_hook",
]  # fmt: skip
