"""tf.contrib.layers on TensorFlow 2: the layers of tf_slim, and what it left out.

``from tfmigrate_runtime import layers`` in the place of ``layers = tf.contrib.layers``. Its columns
are not those of ``tf.feature_column`` under other names: an embedding starts from other numbers,
crosses have other hashes, and a model takes columns in another order.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import slim
from tfmigrate_runtime.gradients import adaptive_clipping_fn
from tfmigrate_runtime.layers.column_base import (
    create_feature_spec_for_parsing,
)
from tfmigrate_runtime.layers.crossed_columns import (
    crossed_column,
)
from tfmigrate_runtime.layers.embedding_columns import (
    embedding_column,
    one_hot_column,
    shared_embedding_columns,
)
from tfmigrate_runtime.layers.feature_inputs import (
    check_feature_columns,
    infer_real_valued_columns,
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    make_place_holder_tensors_for_base_features,
    parse_feature_columns_from_examples,
    transform_features,
    weighted_sum_from_feature_columns,
)
from tfmigrate_runtime.layers.real_valued_columns import (
    bucketized_column,
    real_valued_column,
)
from tfmigrate_runtime.layers.sparse_columns import (
    sparse_column_with_hash_bucket,
    sparse_column_with_integerized_feature,
    sparse_column_with_keys,
    sparse_column_with_vocabulary_file,
    weighted_sparse_column,
)
from tfmigrate_runtime.optimize_loss import (
    OPTIMIZER_CLS_NAMES,
    OPTIMIZER_SUMMARIES,
    optimize_loss,
)
from tfmigrate_runtime.slim.tf_slim_import import load_tf_slim

__all__ = [
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "adaptive_clipping_fn",
    "bow_encoder",
    "bucketized_column",
    "check_feature_columns",
    "create_feature_spec_for_parsing",
    "crossed_column",
    "embed_sequence",
    "embedding_column",
    "embedding_lookup_unique",
    "infer_real_valued_columns",
    "input_from_feature_columns",
    "joint_weighted_sum_from_feature_columns",
    "make_place_holder_tensors_for_base_features",
    "one_hot_column",
    "optimize_loss",
    "parse_feature_columns_from_examples",
    "real_valued_column",
    "safe_embedding_lookup_sparse",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "transform_features",
    "weighted_sparse_column",
    "weighted_sum_from_feature_columns",
]

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


def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """Looks up a vector for every id.

    Args:
        ids: int32 or int64 [batch_size, length].
        vocab_size: how many vectors there are.
        embed_dim: their size.
        unique: whether every id is looked up only once.
        initializer: of the vectors.
        regularizer: of the vectors.
        trainable: whether the vectors are trained.
        scope: the variable scope, "EmbedSequence" by default; the variable is "embeddings" in it.
        reuse: whether the vectors are there already.

    Returns:
        [batch_size, length, embed_dim].

    Raises:
        ValueError: the vectors are new, and the number or the size of them is not given.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. "
            f"Got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
    with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        vectors = slim.model_variable(
            "embeddings",
            shape=shape,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if not unique:
            return tf.nn.embedding_lookup(vectors, ids)
        ids = tf.convert_to_tensor(ids)
        distinct, positions = tf.unique(tf.reshape(ids, [-1]))
        looked_up = tf.gather(tf.nn.embedding_lookup(vectors, distinct), positions)
        return tf.reshape(looked_up, tf.concat([tf.shape(ids), [embed_dim]], 0))


def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """Averages the vectors of the ids of every row.

    Args:
        ids: int32 or int64 [batch_size, length], dense or sparse.
        vocab_size: how many vectors there are.
        embed_dim: their size.
        sparse_lookup: whether ids of 0 in a dense row are left out, as padding; a row without any
            other has the vector 0.
        initializer: of the vectors.
        regularizer: of the vectors.
        trainable: whether the vectors are trained.
        scope: the variable scope, "bow_encoder" by default; the variable is "embeddings" in it.
        reuse: whether the vectors are there already.

    Returns:
        [batch_size, embed_dim].

    Raises:
        ValueError: the number or the size of the vectors is not given.
        TypeError: the ids are sparse, and the lookup is not.
    """
    if not vocab_size or not embed_dim:
        raise ValueError("Must specify vocab size and embedding dimension")
    sparse = isinstance(ids, tf.SparseTensor)
    if sparse and not sparse_lookup:
        raise TypeError(f"ids are expected to be dense Tensor, got: {ids}")
    with tf.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        vectors = slim.model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if not sparse_lookup:
            return tf.reduce_mean(tf.nn.embedding_lookup(vectors, ids), axis=1)
        sparse_ids = ids if sparse else tf.sparse.from_dense(ids)
        return tf.nn.safe_embedding_lookup_sparse([vectors], sparse_ids, default_id=0)


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Any:
    """Looks up sparse ids, of which rows may have none: see tf.nn.safe_embedding_lookup_sparse."""
    return tf.nn.safe_embedding_lookup_sparse(
        embedding_weights,
        sparse_ids,
        sparse_weights,
        combiner,
        default_id,
        name,
        partition_strategy,
        max_norm,
    )


def embedding_lookup_unique(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None
) -> Any:
    """Looks up a vector for every id, each distinct id once.

    Args:
        params: the vectors, float [vocab_size, ...], or a list of their parts.
        ids: int32 or int64, of any shape.
        partition_strategy: how parts have the ids: "mod" or "div".
        name: of the operation.

    Returns:
        float [*shape of ids, ...].
    """
    with tf.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = tf.convert_to_tensor(ids)
        distinct, positions = tf.unique(tf.reshape(ids, [-1]))
        vectors = tf.nn.embedding_lookup(params, distinct, partition_strategy)
        looked_up = tf.gather(vectors, positions)
        shape = tf.concat([tf.shape(ids), tf.shape(looked_up)[1:]], 0)
        result = tf.reshape(looked_up, shape)
        result.set_shape(ids.shape.concatenate(looked_up.shape[1:]))
        return result
