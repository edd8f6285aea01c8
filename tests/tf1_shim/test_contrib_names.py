"""What the migrator has an equivalent for is there under the legacy runtime, under its old name."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tfmigrate.tables import equivalents
from tfmigrate.tables.deep_paths import DEEP_PATHS
from tfmigrate.tables.runtime_api import PACKAGES
from tfmigrate_runtime.tf1_shim.contrib_modules import existed

PROGRAM = Path(__file__).parent / "contrib_program.py"
CONTRIB = "tensorflow.contrib."
# Imports of programs that are often seen: deep paths, helpers without a public name.
IMPORTS = [
    CONTRIB + name
    for name in (
        "compiler.jit.experimental_jit_scope",
        "crf.python.ops.crf.crf_log_likelihood",
        "data.python.ops.sliding.sliding_window_batch",
        "framework.arg_scope",
        "framework.python.framework.checkpoint_utils.load_checkpoint",
        "framework.python.ops.add_arg_scope",
        "framework.python.ops.arg_scope.arg_scope",
        "framework.python.ops.variables.get_or_create_global_step",
        "framework.python.ops.variables.model_variable",
        "image.python.ops.image_ops",
        "keras.api.keras.datasets.mnist.load_data",
        "keras.api.keras.layers.Dense",
        "layers.python.layers.feature_column._RealValuedColumn",
        "layers.python.layers.initializers.xavier_initializer",
        "layers.python.layers.layers._build_variable_getter",
        "layers.python.layers.layers.batch_norm",
        "layers.python.layers.optimizers.adaptive_clipping_fn",
        "layers.python.layers.regularizers.l2_regularizer",
        "layers.python.layers.utils.collect_named_outputs",
        "legacy_seq2seq.python.ops.seq2seq.rnn_decoder",
        "losses.python.losses.loss_ops.mean_squared_error",
        "losses.python.metric_learning.metric_loss_ops.npairs_loss",
        "metrics.python.ops.metric_ops.streaming_mean",
        "opt.python.training.lazy_adam_optimizer.LazyAdamOptimizer",
        "predictor.predictor.Predictor",
        "rnn.python.ops.core_rnn_cell._linear",
        "rnn.python.ops.core_rnn_cell.EmbeddingWrapper",
        "rnn.python.ops.lstm_ops.LSTMBlockCell",
        "rnn.python.ops.rnn.stack_bidirectional_dynamic_rnn",
        "rnn.python.ops.rnn_cell.LayerNormBasicLSTMCell",
        "saved_model.python.saved_model.reader.read_saved_model",
        "seq2seq.python.ops.attention_wrapper.AttentionWrapper",
        "seq2seq.python.ops.beam_search_decoder.BeamSearchDecoder",
        "slim.nets.resnet_v1",
        "slim.python.slim.data.data_decoder.DataDecoder",
        "slim.python.slim.data.data_provider.DataProvider",
        "slim.python.slim.data.parallel_reader.parallel_read",
        "slim.python.slim.data.prefetch_queue.prefetch_queue",
        "slim.python.slim.data.tfexample_decoder.TFExampleDecoder",
        "slim.python.slim.learning.train",
        "slim.python.slim.nets.inception_v3.inception_v3_base",
        "slim.python.slim.nets.resnet_utils.Block",
        "slim.python.slim.nets.resnet_v1.resnet_v1_50",
        "summary.summary.scalar",
        "tensorboard.plugins.projector",
        "tfprof.model_analyzer.print_model_analysis",
        "tpu.CrossShardOptimizer",
        "tpu.python.tpu.tpu_config.TPUConfig",
        "tpu.python.tpu.tpu_estimator.TPUEstimatorSpec",
        "tpu.python.tpu.tpu_optimizer.CrossShardOptimizer",
        "training.python.training.evaluation.checkpoints_iterator",
        "training.python.training.hparam.HParams",
        "training.python.training.training.create_train_op",
    )
]
# Those of tf.contrib that train by themselves have tests of their own.
_ELSEWHERE = ("distribute", "estimator")
# tf.contrib had these in tensorflow.examples only.
_OF_THE_TUTORIAL = "tensorflow.contrib.learn.datasets.mnist."
# Before TensorFlow 1.15, which had the first one under "api" only, and not the others.
_EARLIER = (
    "tensorflow.contrib.keras.python.",
    "tensorflow.contrib.linalg.",
    "tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl.",
)
# What the migrator calls internal names that have several homes, and no public one.
_GATHERED = (
    "tensorflow.contrib.data.PrivateThreadPool",
    "tensorflow.contrib.data.override_threadpool",
    "tensorflow.contrib.layers._clip_gradients_by_norm",
    "tensorflow.contrib.learn._DEFAULT_UID_WHITE_LIST",
    "tensorflow.contrib.rnn._linear",
    "tensorflow.contrib.slim._clip_gradients_by_norm",
)


def offered() -> list[str]:
    """Returns the names of tf.contrib that the migrator has an equivalent for."""
    names = set(equivalents.names())
    for package in PACKAGES:
        names |= {
            ".".join(filter(None, [package.source, path, name]))
            for path, found in package.modules.items()
            for name in found
        }
    return own(names)


def own(names: Iterable[str]) -> list[str]:
    """Returns those of tf.contrib that are looked at here."""
    return sorted(
        name
        for name in names
        if name.startswith(CONTRIB)
        and not name.startswith(_EARLIER)
        and name not in _GATHERED
        and name.split(".")[2] not in _ELSEWHERE
        and not name.startswith((f"{_OF_THE_TUTORIAL}mnist.", f"{_OF_THE_TUTORIAL}input_data."))
    )


def _is_in_a_module(path: str) -> bool:
    """Returns whether TensorFlow 1.15 had the module that a path is in, to be imported from."""
    return existed(path.rpartition(".")[0].removeprefix(CONTRIB.rstrip(".")).lstrip("."))


@pytest.fixture(scope="module")
def missing() -> dict[str, Any]:
    imported = [path for path in own(DEEP_PATHS) if _is_in_a_module(path)]
    reached = [path for path in own(DEEP_PATHS) if path not in imported]  # by attributes only
    done = subprocess.run(
        [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(PROGRAM)],
        input=json.dumps({"names": [*offered(), *reached], "imports": [*IMPORTS, *imported]}),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_all_that_the_migrator_offers_is_there(missing: dict[str, Any]) -> None:
    assert len(offered()) > 600
    assert missing["names"] == []


def test_all_names_of_the_list_are_in_their_places(missing: dict[str, Any]) -> None:
    assert missing["listed"] == []


def test_imports_of_programs_are_found(missing: dict[str, Any]) -> None:
    assert missing["imports"] == []


def test_a_function_keeps_its_name_when_its_module_is_imported(
    missing: dict[str, Any],
) -> None:
    assert missing["functions"] == [True, True]
