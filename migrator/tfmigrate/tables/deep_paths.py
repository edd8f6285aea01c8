"""Paths to TensorFlow's internal modules, and their public names."""

from __future__ import annotations

# Deep paths by which real programs import the family, and the public name of each.
DEEP_PATHS = {
    "tensorflow.contrib.estimator.python.estimator.replicate_model_fn": (
        "tensorflow.contrib.estimator"
    ),
    "tensorflow.contrib.estimator.python.replicate_model_fn": "tensorflow.contrib.estimator",
    "tensorflow.contrib.metrics.python.ops.metric_ops": "tensorflow.contrib.metrics",
    # A module that TensorFlow 1.0 had as an attribute of the package.
    "tensorflow.contrib.rnn.core_rnn_cell": "tensorflow.contrib.rnn",
    # The same functions under the name that they had before they left contrib.
    "tensorflow.contrib.estimator.add_metrics": "tensorflow.estimator.add_metrics",
    "tensorflow.contrib.estimator.build_raw_supervised_input_receiver_fn": (
        "tensorflow.estimator.experimental.build_raw_supervised_input_receiver_fn"
    ),
    "tensorflow.contrib.estimator.dnn_logit_fn_builder": (
        "tensorflow.estimator.experimental.dnn_logit_fn_builder"
    ),
    "tensorflow.contrib.estimator.forward_features": "tensorflow.estimator.forward_features",
    "tensorflow.contrib.estimator.linear_logit_fn_builder": (
        "tensorflow.estimator.experimental.linear_logit_fn_builder"
    ),
    "tensorflow.contrib.estimator.binary_classification_head": (
        "tensorflow.estimator.heads.binary_classification_head"
    ),
    "tensorflow.contrib.estimator.logistic_regression_head": (
        "tensorflow.estimator.heads.logistic_regression_head"
    ),
    "tensorflow.contrib.estimator.multi_class_head": (
        "tensorflow.estimator.heads.multi_class_head"
    ),
    "tensorflow.contrib.estimator.poisson_regression_head": (
        "tensorflow.estimator.heads.poisson_regression_head"
    ),
    "tensorflow.contrib.estimator.regression_head": ("tensorflow.estimator.heads.regression_head"),
    "tensorflow.contrib.estimator.InMemoryEvaluatorHook": (
        "tensorflow.estimator.experimental.InMemoryEvaluatorHook"
    ),
    "tensorflow.contrib.estimator.make_early_stopping_hook": (
        "tensorflow.estimator.experimental.make_early_stopping_hook"
    ),
    "tensorflow.contrib.estimator.make_stop_at_checkpoint_step_hook": (
        "tensorflow.estimator.experimental.make_stop_at_checkpoint_step_hook"
    ),
    "tensorflow.contrib.estimator.stop_if_higher_hook": (
        "tensorflow.estimator.experimental.stop_if_higher_hook"
    ),
    "tensorflow.contrib.estimator.stop_if_lower_hook": (
        "tensorflow.estimator.experimental.stop_if_lower_hook"
    ),
    "tensorflow.contrib.estimator.stop_if_no_decrease_hook": (
        "tensorflow.estimator.experimental.stop_if_no_decrease_hook"
    ),
    "tensorflow.contrib.estimator.stop_if_no_increase_hook": (
        "tensorflow.estimator.experimental.stop_if_no_increase_hook"
    ),
    "tensorflow.contrib.tpu.InputPipelineConfig": "tensorflow.estimator.tpu.InputPipelineConfig",
    "tensorflow.contrib.tpu.RunConfig": "tensorflow.estimator.tpu.RunConfig",
    "tensorflow.contrib.tpu.TPUConfig": "tensorflow.estimator.tpu.TPUConfig",
    "tensorflow.contrib.tpu.TPUEstimator": "tensorflow.estimator.tpu.TPUEstimator",
    "tensorflow.contrib.tpu.TPUEstimatorSpec": "tensorflow.estimator.tpu.TPUEstimatorSpec",
    "tensorflow.contrib.tpu.python.tpu.tpu_config": "tensorflow.estimator.tpu",
    "tensorflow.contrib.tpu.python.tpu.tpu_estimator": "tensorflow.estimator.tpu",
    "tensorflow.contrib.tpu.python.tpu.tpu_optimizer": "tensorflow.contrib.tpu",
    "tensorflow.contrib.tpu.python.tpu.bfloat16": "tensorflow.contrib.tpu",
    "tensorflow.contrib.tpu.python.ops.tpu_ops": "tensorflow.contrib.tpu",
    "tensorflow.keras.estimator": "tensorflow.estimator",
    "tensorflow.python.keras.estimator": "tensorflow.estimator",
    "tensorflow.python.estimator.canned.head": "tensorflow.estimator.heads",
    "tensorflow.python.estimator.keras": "tensorflow.estimator",
    "tensorflow.python.estimator.estimator": "tensorflow.estimator",
    "tensorflow.python.estimator.run_config": "tensorflow.estimator",
    "tensorflow.python.estimator.model_fn": "tensorflow.estimator",
    "tensorflow.python.estimator.training": "tensorflow.estimator",
    "tensorflow.python.estimator.estimator_lib": "tensorflow.estimator",
    "tensorflow.python.estimator.exporter": "tensorflow.estimator",
    "tensorflow.python.estimator.export.export": "tensorflow.estimator.export",
    "tensorflow.python.estimator.export.export_output": "tensorflow.estimator.export",
    "tensorflow.python.estimator.inputs.inputs": "tensorflow.estimator.inputs",
    "tensorflow.python.estimator.inputs.numpy_io": "tensorflow.estimator.inputs",
    "tensorflow.python.estimator.inputs.pandas_io": "tensorflow.estimator.inputs",
    "tensorflow_estimator.estimator": "tensorflow.estimator",
    "tensorflow.contrib.framework.python.ops.arg_scope.add_arg_scope": (
        "tensorflow.contrib.framework.add_arg_scope"
    ),
    "tensorflow.contrib.framework.python.ops.arg_scope.arg_scope": (
        "tensorflow.contrib.framework.arg_scope"
    ),
    "tensorflow.contrib.framework.python.framework.checkpoint_utils": (
        "tensorflow.contrib.framework"
    ),
    "tensorflow.contrib.framework.python.framework.tensor_util": "tensorflow.contrib.framework",
    "tensorflow.contrib.framework.python.framework": "tensorflow.contrib.framework",
    "tensorflow.contrib.framework.python.ops.variables": "tensorflow.contrib.framework",
    "tensorflow.contrib.framework.python.ops": "tensorflow.contrib.framework",
    "tensorflow.contrib.learn.python.learn.estimators.dnn": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.estimators.dnn_linear_combined": (
        "tensorflow.contrib.learn"
    ),
    "tensorflow.contrib.learn.python.learn.estimators.head": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.estimators.linear": "tensorflow.contrib.learn",
    "tensorflow.contrib.layers.python.layers.utils": "tensorflow.contrib.layers.utils",
    "tensorflow.contrib.layers.python.layers.embedding_ops": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.encoders": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.feature_column": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.feature_column_ops": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.initializers": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.layers": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.normalization": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.optimizers": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.regularizers": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers.summaries": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.python.layers": "tensorflow.contrib.layers",
    # Modules that tf.contrib.layers exports besides their contents.
    "tensorflow.contrib.layers.feature_column": "tensorflow.contrib.layers",
    "tensorflow.contrib.layers.feature_column_ops": "tensorflow.contrib.layers",
    "tensorflow.contrib.losses.python.losses.loss_ops": "tensorflow.contrib.losses",
    "tensorflow.contrib.losses.python.losses": "tensorflow.contrib.losses",
    "tensorflow.contrib.losses.python.metric_learning.metric_loss_ops": (
        "tensorflow.contrib.losses.metric_learning"
    ),
    "tensorflow.contrib.losses.python.metric_learning": (
        "tensorflow.contrib.losses.metric_learning"
    ),
    "tensorflow.contrib.keras.api.keras": "tensorflow.contrib.keras",
    "tensorflow.contrib.keras.python.keras": "tensorflow.contrib.keras",
    "tensorflow.contrib.slim.python.slim.data": "tensorflow.contrib.slim",
    "tensorflow.contrib.distribute.python.collective_all_reduce_strategy": (
        "tensorflow.contrib.distribute"
    ),
    "tensorflow.contrib.distribute.python.cross_device_ops": "tensorflow.contrib.distribute",
    "tensorflow.contrib.distribute.python.cross_tower_ops": "tensorflow.contrib.distribute",
    "tensorflow.contrib.distribute.python.mirrored_strategy": "tensorflow.contrib.distribute",
    "tensorflow.contrib.distribute.python.monitor": "tensorflow.contrib.distribute",
    "tensorflow.contrib.distribute.python.one_device_strategy": "tensorflow.contrib.distribute",
    "tensorflow.contrib.distribute.python.parameter_server_strategy": (
        "tensorflow.contrib.distribute"
    ),
    "tensorflow.contrib.distribute.python.tpu_strategy": "tensorflow.contrib.distribute",
    "tensorflow.contrib.slim.python.slim": "tensorflow.contrib.slim",
    "tensorflow.contrib.training.python.training.bucket_ops": "tensorflow.contrib.training",
    "tensorflow.contrib.training.python.training.device_setter": "tensorflow.contrib.training",
    "tensorflow.contrib.training.python.training.evaluation": "tensorflow.contrib.training",
    "tensorflow.contrib.training.python.training.training": "tensorflow.contrib.training",
    "tensorflow.contrib.learn.python.learn.estimators.constants": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.estimators.estimator": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.estimators.model_fn": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.estimators.prediction_key": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.estimators.run_config": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.estimators": "tensorflow.contrib.learn",
    # Modules of which the package has the objects, too.
    "tensorflow.contrib.learn.python.learn.estimator": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.evaluable": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.run_config": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.trainable": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.experiment": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.export_strategy": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn.learn_io.graph_io": "tensorflow.contrib.learn.io",
    "tensorflow.contrib.learn.python.learn.learn_io.numpy_io": "tensorflow.contrib.learn.io",
    "tensorflow.contrib.learn.python.learn.learn_io.pandas_io": "tensorflow.contrib.learn.io",
    "tensorflow.contrib.learn.python.learn.learn_io": "tensorflow.contrib.learn.io",
    "tensorflow.contrib.learn.python.learn.preprocessing.text": (
        "tensorflow.contrib.learn.preprocessing"
    ),
    "tensorflow.contrib.learn.python.learn.preprocessing.categorical": (
        "tensorflow.contrib.learn.preprocessing"
    ),
    "tensorflow.contrib.learn.python.learn.preprocessing.categorical_vocabulary": (
        "tensorflow.contrib.learn.preprocessing"
    ),
    "tensorflow.contrib.learn.preprocessing.text": "tensorflow.contrib.learn.preprocessing",
    "tensorflow.contrib.learn.python.learn.metric_spec": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python.learn": "tensorflow.contrib.learn",
    "tensorflow.contrib.learn.python": "tensorflow.contrib.learn",
    "tensorflow.contrib.training.python.training.hparam": "tensorflow.contrib.training",
    "tensorflow.contrib.training.python.training": "tensorflow.contrib.training",
    "tensorflow.python.training.device_setter": "tensorflow.train",
    # Never public, but imported by many; in TensorFlow 1.2 to 1.4, and before, at other places.
    "tensorflow.contrib.rnn.python.ops.core_rnn_cell._Linear": "tensorflow.contrib.rnn._Linear",
    "tensorflow.contrib.rnn.python.ops.core_rnn_cell._linear": "tensorflow.contrib.rnn._linear",
    "tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl._linear": (
        "tensorflow.contrib.rnn._linear"
    ),
    "tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl._RNNCell": (
        "tensorflow.nn.rnn_cell.RNNCell"
    ),
    "tensorflow.contrib.rnn.python.ops.rnn_cell._linear": "tensorflow.contrib.rnn._linear",
    "tensorflow.python.ops.rnn_cell_impl._Linear": "tensorflow.contrib.rnn._Linear",
    "tensorflow.python.ops.rnn_cell_impl._linear": "tensorflow.contrib.rnn._linear",
    "tensorflow.contrib.seq2seq.python.ops.attention_wrapper._compute_attention": (
        "tensorflow.contrib.seq2seq._compute_attention"
    ),
    "tensorflow.python.ops.rnn_cell_impl._RNNCell": "tensorflow.nn.rnn_cell.RNNCell",
    "tensorflow.contrib.data.python.ops.threadpool": "tensorflow.contrib.data",
    "tensorflow.python.data.experimental.ops.threadpool": "tensorflow.contrib.data",
    # Before TensorFlow 1.0.
    "tensorflow.models.rnn.linear.linear": "tensorflow.contrib.rnn._linear",
    "tensorflow.models.rnn.rnn": "tensorflow.nn",
    "tensorflow.models.rnn.seq2seq": "tensorflow.contrib.legacy_seq2seq",
    "tensorflow.nn.rnn_cell._linear": "tensorflow.contrib.rnn._linear",
    "tensorflow.python.ops.rnn.bidirectional_rnn": "tensorflow.nn.bidirectional_rnn",
    "tensorflow.python.ops.rnn.rnn": "tensorflow.nn.rnn",
    "tensorflow.python.ops.rnn.state_saving_rnn": "tensorflow.nn.state_saving_rnn",
    "tensorflow.python.ops.rnn_cell.EmbeddingWrapper": "tensorflow.contrib.rnn.EmbeddingWrapper",
    "tensorflow.python.ops.rnn_cell.InputProjectionWrapper": (
        "tensorflow.contrib.rnn.InputProjectionWrapper"
    ),
    "tensorflow.python.ops.rnn_cell.OutputProjectionWrapper": (
        "tensorflow.contrib.rnn.OutputProjectionWrapper"
    ),
    "tensorflow.python.ops.rnn_cell._linear": "tensorflow.contrib.rnn._linear",
    "tensorflow.python.ops.seq2seq": "tensorflow.contrib.legacy_seq2seq",
    "tensorflow.nn.seq2seq": "tensorflow.contrib.legacy_seq2seq",
    "tensorflow.nn.rnn_cell.EmbeddingWrapper": "tensorflow.contrib.rnn.EmbeddingWrapper",
    "tensorflow.nn.rnn_cell.InputProjectionWrapper": (
        "tensorflow.contrib.rnn.InputProjectionWrapper"
    ),
    "tensorflow.nn.rnn_cell.OutputProjectionWrapper": (
        "tensorflow.contrib.rnn.OutputProjectionWrapper"
    ),
    "tensorflow.contrib.rnn.rnn_cell": "tensorflow.contrib.rnn",
    "tensorflow_core": "tensorflow",
    # The package that tf.contrib.slim became; on current TensorFlow only the runtime can load it.
    "tf_slim": "tensorflow.contrib.slim",
}
