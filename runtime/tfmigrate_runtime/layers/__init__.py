"""tf.contrib.layers on TensorFlow 2: the layers of tf_slim, and those that it lacks.

``from tfmigrate_runtime import layers`` instead of ``layers = tf.contrib.layers``. Its columns
are not those of ``tf.feature_column`` under other names: an embedding starts from other numbers,
crosses have other hashes, and a model takes columns in a different order.
"""

import importlib
import sys
from typing import Any

from tfmigrate_runtime.contrib.columns.column_base import create_feature_spec_for_parsing
from tfmigrate_runtime.contrib.columns.crossed_columns import crossed_column
from tfmigrate_runtime.contrib.columns.embedding_columns import (
    embedding_column, one_hot_column, shared_embedding_columns,
)  # fmt: skip
from tfmigrate_runtime.contrib.columns.feature_inputs import (
    check_feature_columns, infer_real_valued_columns, input_from_feature_columns,
    joint_weighted_sum_from_feature_columns, make_place_holder_tensors_for_base_features,
    parse_feature_columns_from_examples, transform_features, weighted_sum_from_feature_columns,
)  # fmt: skip
from tfmigrate_runtime.contrib.columns.real_valued_columns import (
    bucketized_column,
    real_valued_column,
)
from tfmigrate_runtime.contrib.columns.sparse_columns import (
    sparse_column_with_hash_bucket, sparse_column_with_integerized_feature, sparse_column_with_keys,
    sparse_column_with_vocabulary_file, weighted_sparse_column,
)  # fmt: skip
from tfmigrate_runtime.contrib.embeddings import (
    bow_encoder, embed_sequence, embedding_lookup_unique, safe_embedding_lookup_sparse,
)  # fmt: skip
from tfmigrate_runtime.contrib.gradients import adaptive_clipping_fn
from tfmigrate_runtime.contrib.gradients import clip_by_norm as _clip_gradients_by_norm
from tfmigrate_runtime.contrib.optimize_loss import (
    OPTIMIZER_CLS_NAMES, OPTIMIZER_SUMMARIES, optimize_loss,
)  # fmt: skip
from tfmigrate_runtime.slim.tf_slim_import import load_tf_slim

__all__ = [
    "OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY",
    "_clip_gradients_by_norm", "adaptive_clipping_fn", "bow_encoder", "bucketized_column",
    "check_feature_columns", "create_feature_spec_for_parsing", "crossed_column", "embed_sequence",
    "embedding_column", "embedding_lookup_unique", "infer_real_valued_columns",
    "input_from_feature_columns", "joint_weighted_sum_from_feature_columns",
    "make_place_holder_tensors_for_base_features", "one_hot_column", "optimize_loss",
    "parse_feature_columns_from_examples", "real_valued_column", "safe_embedding_lookup_sparse",
    "shared_embedding_columns", "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature", "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file", "transform_features", "weighted_sparse_column",
    "weighted_sum_from_feature_columns",
]  # fmt: skip

# What the kernel of tf.contrib hashed crossed features with, unless a column said another number.
SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 0xDECAFCAFFE

load_tf_slim()
# Not ``tf_slim.layers``, the attribute: that is the module tf_slim.layers.layers.
_layers = importlib.import_module("tf_slim.layers")

# ``from tfmigrate_runtime.layers import utils``, as tf.contrib.layers' own helpers were imported.
utils = importlib.import_module("tf_slim.layers.utils")
sys.modules[f"{__name__}.utils"] = utils
summaries = importlib.import_module("tf_slim.layers.summaries")
sys.modules[f"{__name__}.summaries"] = summaries


def __getattr__(name: str) -> Any:
    """Returns a name of tf_slim.layers.

    Raises:
        AttributeError: there is none.
    """
    if not name.startswith("__") and hasattr(_layers, name):
        return getattr(_layers, name)
    raise AttributeError(f"tfmigrate_runtime.layers has no {name}")


def __dir__() -> list[str]:
    return sorted({*dir(_layers), *__all__})
