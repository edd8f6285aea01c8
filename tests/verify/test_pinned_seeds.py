"""Seeds are counted by the operations that have them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from traces import trace

from tfmigrate_runtime.verify.recorder.draws import pinned_randomness
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import compare_seeds


@pytest.fixture
def tf(tensorflow_installed: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """TensorFlow with pinned seeds."""
    import tensorflow.compat.v1 as tf
    from tensorflow.python.framework import random_seed

    from tfmigrate_runtime.verify.recorder.draws.pinned_randomness import PinnedRandomness

    pinned = PinnedRandomness(tf.distribute.get_replica_context)
    monkeypatch.setattr(random_seed, "get_seed", pinned.get_seed)
    return tf


def seeds(graph: Any) -> list[tuple[str, int]]:
    operations = graph.get_operations()
    attributes = [(op.type, op.node_def.attr) for op in operations]
    return [(kind, attribute["seed2"].i) for kind, attribute in attributes if "seed2" in attribute]


@pytest.mark.parametrize("rate", [0, 0.0])
def test_a_dropout_of_rate_0_takes_no_seed(tf: Any, rate: float) -> None:
    """TensorFlow 2 requests one, 1.15 did not: all later masks were others."""
    with tf.Graph().as_default() as graph:
        x = tf.nn.dropout(tf.ones([4]), rate=rate)
        x = tf.nn.dropout(x, rate=0.5)
        tf.nn.dropout(tf.nn.dropout(x, rate=rate), rate=0.5)
    assert seeds(graph) == [("RandomUniform", 1), ("RandomUniform", 2)]


def test_input_pipelines_count_separately_and_loops_with_their_graph(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.range(3).shuffle(3)
        tf.random_normal([2])
        tf.data.make_one_shot_iterator(dataset).get_next()
        tf.while_loop(
            lambda i: i < 3, lambda i: i + tf.random_uniform([], maxval=2, dtype=tf.int32), [0]
        )
        tf.random_normal([2])
    assert next(seed for kind, seed in seeds(graph) if kind == "RandomStandardNormal") == 1
    assert len({seed for _, seed in seeds(graph)}) == len(seeds(graph))


def test_seeds_of_the_program_are_known_by_what_has_them(tf: Any) -> None:
    with tf.Graph().as_default() as graph:
        tf.random_normal([2], name="before")
        tf.set_random_seed(1)
        tf.random_normal([2], seed=8, name="own")
        tf.while_loop(lambda i: i < 3.0, lambda i: i + tf.random_uniform([]), [0.0])
        tf.nn.dropout(tf.random_normal([2]), rate=0.0)
    assert pinned_randomness.graph_seeds(graph) == {"own": {"1": 1}, "other": {"": 1, "1": 2}}
    assert pinned_randomness.own_seeds(graph) == {"own/RandomStandardNormal": 8}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (("", "1"), ("", "1"), ""),
        (("", "1"), ("", "2"), "1 in the original, 2 in the migrated program"),
        (("", "1"), ("", ""), ""),  # the migrated program draws nothing
        (("", "1"), ("", "none"), "not every run draws the same random numbers"),
        (("", "none"), ("", "2"), ""),  # makes one of the original's runs
        (("none", "none"), ("2", "2"), "not set in the original, 2 in the migrated program"),
    ],
)
def test_another_graph_level_seed_draws_other_numbers(
    old: tuple[str, str], new: tuple[str, str], said: str
) -> None:
    def seeded(*seeds: str) -> Any:
        given = zip(("own", "other"), seeds, strict=True)
        counts = {kind: {seed.replace("none", ""): 3} if seed else {} for kind, seed in given}
        return replace(trace(), meta={**trace().meta, "graph_seeds": counts})

    found = compare_seeds.graph_seeds(seeded(*old), seeded(*new), Tolerance())
    assert (found.same, said in " ".join(found.details)) == (not said, True)
    assert found.cause == ("seed" if said else "")
    assert compare_seeds.graph_seeds(trace(), seeded(*new), Tolerance()).same
