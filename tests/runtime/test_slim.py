"""tf_slim works on this TensorFlow, and tf.contrib.layers has its names."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import types
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
import tf_slim
from runtime_support import FLOAT32

from tfmigrate_runtime import layers, slim
from tfmigrate_runtime.slim import tf_slim_import

IDS = np.array([[1, 0, 2], [3, 3, 0], [0, 0, 0]])
VECTORS = np.random.RandomState(2).normal(size=(5, 2)).astype(np.float32)


def evaluated(make: Any) -> Any:
    """Returns the value of a tensor in a graph of its own."""
    with tf.Graph().as_default(), tf.Session() as session:
        tensor = make()
        session.run(tf.global_variables_initializer())
        return session.run(tensor)


def missing_names(module: Any) -> set[str]:
    """Returns what the source of a module reads of other modules, and they do not have."""
    tree = ast.parse(inspect.getsource(module))
    missing = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = getattr(module, node.value.id, None)
            if isinstance(owner, types.ModuleType) and not hasattr(owner, node.attr):
                missing.add(f"{node.value.id}.{node.attr}")
    return missing


@pytest.mark.parametrize(
    "name",
    [
        module.name
        for module in pkgutil.walk_packages(tf_slim.__path__, "tf_slim.")
        if not module.name.endswith("_test")
    ],
)
def test_no_module_of_tf_slim_misses_a_name(name: str) -> None:
    module = importlib.import_module(name)
    assert missing_names(module) == set()


def test_missing_names_are_found() -> None:
    code = "import math as mathematics\ndef f():\n    return mathematics.squareroot(2)\n"
    module = types.ModuleType("module_that_misses_a_name")
    exec(compile(code, "module_that_misses_a_name", "exec"), module.__dict__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inspect, "getsource", lambda given: code)
        assert missing_names(module) == {"mathematics.squareroot"}


def test_tensorflow_itself_stays_as_it_is() -> None:
    from tensorflow.python.framework import ops
    from tensorflow.python.training import moving_averages

    assert not hasattr(ops, "Tensor")
    assert moving_averages.assign_moving_average.__module__.startswith("tensorflow.")


def test_loading_twice_changes_nothing() -> None:
    module: Any = importlib.import_module("tf_slim.layers.layers")
    before = module.moving_averages
    tf_slim_import.load_tf_slim()
    assert module.moving_averages is before


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match=r"slim has no sparse_feature_cross"):
        slim.sparse_feature_cross  # noqa: B018
    with pytest.raises(AttributeError, match=r"layers has no convolution17d$"):
        layers.convolution17d  # noqa: B018


def test_embedding_lookup_unique() -> None:
    result = evaluated(lambda: layers.embedding_lookup_unique(tf.constant(VECTORS), IDS))
    np.testing.assert_array_equal(result, VECTORS[IDS])


def test_modules_of_tf_slim_are_imported_by_their_names() -> None:
    for name in ("slim.nets.vgg", "slim.learning", "slim.dataset", "layers.utils"):
        module = importlib.import_module(f"tfmigrate_runtime.{name}")
        assert module.__name__.startswith("tf_slim.")


def test_embed_sequence() -> None:
    start = tf.constant_initializer(VECTORS)
    for unique in (False, True):
        result = evaluated(
            lambda unique=unique: layers.embed_sequence(
                tf.constant(IDS), 5, 2, unique=unique, initializer=start
            )
        )
        np.testing.assert_array_equal(result, VECTORS[IDS])


def test_embed_sequence_needs_sizes() -> None:
    with pytest.raises(ValueError, match="Must specify vocab size"):
        evaluated(lambda: layers.embed_sequence(tf.constant(IDS)))


def test_bow_encoder_takes_zeros_as_padding() -> None:
    start = tf.constant_initializer(VECTORS)
    result = evaluated(lambda: slim.bow_encoder(tf.constant(IDS), 5, 2, initializer=start))
    expected = [(VECTORS[1] + VECTORS[2]) / 2, VECTORS[3], VECTORS[0]]
    np.testing.assert_allclose(result, expected, rtol=FLOAT32)


def test_bow_encoder_of_all_ids() -> None:
    start = tf.constant_initializer(VECTORS)
    result = evaluated(
        lambda: layers.bow_encoder(tf.constant(IDS), 5, 2, sparse_lookup=False, initializer=start)
    )
    np.testing.assert_allclose(result, VECTORS[IDS].mean(axis=1), rtol=FLOAT32)


def test_bow_encoder_refuses_sparse_ids_for_a_dense_lookup() -> None:
    with pytest.raises(TypeError, match="dense Tensor"):
        evaluated(lambda: layers.bow_encoder(tf.sparse.from_dense(IDS), 5, 2, sparse_lookup=False))


def test_a_network_of_slim_nets_trains_its_batch_normalisation() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with slim.arg_scope(slim.nets.resnet_v1.resnet_arg_scope(batch_norm_decay=0.5)):
            _, points = slim.nets.resnet_v1.resnet_v1(
                tf.random_normal([2, 33, 33, 3], seed=1),
                [slim.nets.resnet_v1.resnet_v1_block("block1", 4, 1, 2)],
                num_classes=3,
                is_training=True,
                scope="net",
            )
        session.run(tf.global_variables_initializer())
        means = [v for v in tf.global_variables() if "conv1/BatchNorm/moving_mean" in v.name]
        before = session.run(means)
        session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        assert all(np.any(a != b) for a, b in zip(before, session.run(means), strict=True))
        assert session.run(points["predictions"]).shape == (2, 1, 1, 3)


@pytest.mark.parametrize("updates", ["update_ops", None])
@pytest.mark.parametrize(("epsilon", "effective"), [(1e-5, 1.001e-5), (0.0, 1.001e-5), (0.1, 0.1)])
def test_the_epsilon_of_fused_batch_normalization(
    epsilon: float, effective: float, updates: str | None
) -> None:
    """As nn_impl.fused_batch_norm of TensorFlow 1.15."""
    with tf.Graph().as_default() as graph:
        x = tf.zeros([2, 4, 4, 3])
        layers.batch_norm(x, epsilon=epsilon, updates_collections=updates, is_training=True)
        found = [
            each.get_attr("epsilon")
            for each in graph.get_operations()
            if each.type.startswith("FusedBatchNorm")
        ]
    np.testing.assert_allclose(found, [effective], rtol=1e-6)


def test_the_epsilon_of_batch_normalization_that_is_not_fused() -> None:
    x = np.random.RandomState(1).normal(size=(2, 5, 3)).astype(np.float32) * 1e-4
    found = evaluated(lambda: layers.batch_norm(tf.constant(x), epsilon=1e-8, is_training=True))
    expected = (x - x.mean((0, 1))) / np.sqrt(x.var((0, 1)) + 1e-8)
    np.testing.assert_allclose(found, expected, rtol=1e-3)
