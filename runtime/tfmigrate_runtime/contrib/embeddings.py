"""The embeddings of tf.contrib.layers: vectors looked up for ids (contrib/layers encoders.py)."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim

__all__ = [
    "bow_encoder", "embed_sequence", "embedding_lookup_unique", "safe_embedding_lookup_sparse",
]  # fmt: skip


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
        vectors = load_tf_slim().model_variable(
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
    if (sparse := isinstance(ids, tf.SparseTensor)) and not sparse_lookup:
        raise TypeError(f"ids are expected to be dense Tensor, got: {ids}")
    with tf.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        vectors = load_tf_slim().model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if not sparse_lookup:
            return tf.reduce_mean(tf.nn.embedding_lookup(vectors, ids), axis=1)
        # Zeros are not entries of a sparse tensor: this leaves the padding out.
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
    looked_up = embedding_weights, sparse_ids, sparse_weights, combiner, default_id
    return tf.nn.safe_embedding_lookup_sparse(*looked_up, name, partition_strategy, max_norm)


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
        result = tf.reshape(looked_up, tf.concat([tf.shape(ids), tf.shape(looked_up)[1:]], 0))
        result.set_shape(ids.shape.concatenate(looked_up.shape[1:]))
        return result
