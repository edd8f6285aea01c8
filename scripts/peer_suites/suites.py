"""The test files of TensorFlow that are run, and those that are not, each with the reason.

Nothing of them is here: checkouts of two public repositories are named on the command line.
"""

from __future__ import annotations

from dataclasses import dataclass

_ESTIMATOR = "tensorflow_estimator/python/estimator"
_LEARN = "tensorflow/contrib/learn/python/learn"
_CONTRIB_TRAINING = "tensorflow/contrib/training/python/training"
RUNTIME, TF1_SHIM, MIGRATED = "runtime", "tf1_shim", "migrated"
RUNTIME_V1 = "runtime_v1"  # with the behaviour of TensorFlow 1, which some methods ask for


@dataclass(frozen=True)
class Suite:
    """Files of one repository.

    Attributes:
        name: on the command line and in the table.
        root: the folder of the files in the checkout.
        files: below the root.
        ways: how each is run: on the runtime in the place of tf.estimator's modules, under
            tfmigrate-run, or as tfmigrate rewrites it.
        helpers: modules of the checkout that only tests import, by their full names.
    """

    name: str
    root: str
    files: tuple[str, ...]
    ways: tuple[str, ...]
    helpers: tuple[str, ...] = ()


SUITES = (
    Suite(
        "estimator",
        _ESTIMATOR,
        (
            "early_stopping_test.py",
            "estimator_test.py",
            "exporter_test.py",
            "extenders_test.py",
            "keras_test.py",
            "model_fn_test.py",
            "object_checkpointing_test.py",
            "run_config_test.py",
            "training_test.py",
            "export/export_test.py",
            "head/base_head_test.py",
            "head/binary_class_head_test.py",
            "head/multi_class_head_test.py",
            "head/multi_head_test.py",
            "head/multi_label_head_test.py",
            "head/regression_head_test.py",
            "hooks/basic_session_run_hooks_test.py",
            "hooks/hooks_test.py",
            "inputs/numpy_io_test.py",
            "inputs/pandas_io_test.py",
            "canned/head_test.py",
            "canned/parsing_utils_test.py",
            "canned/v1/baseline_estimator_test_v1.py",
            "canned/v1/baseline_test_v1.py",
            "canned/v1/dnn_estimator_test_v1.py",
            "canned/v1/dnn_linear_combined_estimator_test_v1.py",
            "canned/v1/dnn_linear_combined_test_v1.py",
            "canned/v1/dnn_test_fc_v1_v1.py",
            "canned/v1/dnn_test_fc_v2_v1.py",
            "canned/v1/linear_estimator_test_v1.py",
            "canned/v1/linear_test_v1.py",
        ),
        (RUNTIME,),
        (
            "tensorflow_estimator.python.estimator.canned.dnn_testing_utils",
            "tensorflow_estimator.python.estimator.canned.linear_testing_utils",
            "tensorflow_estimator.python.estimator.canned.metric_keys",
            "tensorflow_estimator.python.estimator.canned.prediction_keys",
            "tensorflow_estimator.python.estimator.canned.v1.dnn_testing_utils_v1",
            "tensorflow_estimator.python.estimator.canned.v1.linear_testing_utils_v1",
            "tensorflow_estimator.python.estimator.head.head_utils",
            "tensorflow_estimator.python.estimator.hooks.fake_summary_writer",
        ),
    ),
    Suite(
        "contrib",
        "",
        (
            f"{_LEARN}/experiment_test.py",
            f"{_LEARN}/learn_runner_test.py",
            f"{_LEARN}/estimators/run_config_test.py",
            f"{_CONTRIB_TRAINING}/device_setter_test.py",
            f"{_CONTRIB_TRAINING}/hparam_test.py",
            "tensorflow/python/training/device_setter_test.py",
            "tensorflow/python/training/sync_replicas_optimizer_test.py",
        ),
        (TF1_SHIM, MIGRATED),
        ("tensorflow.contrib.learn.python.learn.estimators.test_data",),
    ),
    Suite(
        "contrib_estimator",
        "tensorflow_estimator/contrib/estimator/python/estimator",
        ("replicate_model_fn_test.py",),
        (TF1_SHIM, MIGRATED),
    ),
)

# Whole files that test nothing which programs of TensorFlow 1.x reach through tf.estimator.
LEFT_OUT = {
    "canned/*_test.py, canned/dnn_test_fc_v2.py": "canned Estimators as TensorFlow 2 has them "
    "(...V2, Keras optimizers and layers); those of TensorFlow 1.x are in canned/v1",
    "canned/kmeans_test.py": "k-means: its kernels are no longer in TensorFlow",
    "canned/linear_model_test.py, canned/optimizers_test.py, canned/optimizers_test_v2.py, "
    "canned/saved_model_estimator_test.py": "private: what canned Estimators are made of",
    "canned/linear_optimizer, canned/timeseries": "SDCA and time series: kernels were removed",
    "canned/rnn_test.py, head/sequential_head_test.py": "RNN Estimators: refused in one line",
    "distribute_strategy_*_test.py, keras_distribute_strategy_test.py, "
    "canned_estimator_ds_integration_test.py": "several processes or GPUs; the tests of "
    "tests/cluster and tests/equivalence run such programs",
    "estimator_export_test.py, gc_test.py, util_test.py, export/function_test.py, inputs/queues": (
        "private helpers"
    ),
    "keras_premade_model_test.py": "models of tf.keras.experimental, which TensorFlow 2 moved",
    "tools/checkpoint_converter_test.py": "from canned Estimators of version 1 to those of 2",
    "tpu": "TPUs",
}
