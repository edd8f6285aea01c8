"""TFM312: updates of variables that are no gradients of the synchronous optimizer."""

from __future__ import annotations

import pytest
from support import check_kept, found, migrated
from sync_support import WRAPPED, program


def lines(text: str, **options: object) -> list[str]:
    reported = found(text, "TFM312", **options)
    return [text.splitlines()[finding.line - 1].strip() for finding in reported]


@pytest.mark.parametrize(
    "update",
    [
        "total = tf.add(loss, 1)",
        "session.run(apply(loss))",
        "opt.apply_gradients(grads, step)",
        "average = tf.train.ExponentialMovingAverage(0.9)",
        "data = data.apply(f)",
    ],
)
def test_nothing_is_updated(update: str) -> None:
    assert lines(program(f"{update}\n{WRAPPED}")) == []


@pytest.mark.parametrize(
    "update",
    [
        "op = tf.assign(rate, 0.1)",
        "op = tf.assign_add(step, 1)",
        "op = rate.assign(0.1)",
        "op = tf.scatter_update(table, [0], [1.0])",
        "op = table.scatter_nd_add([[0]], [1.0])",
        "value, op = tf.metrics.mean(loss)",
        "x = tf.layers.batch_normalization(x, training=True)",
        "x = tf.contrib.layers.batch_norm(x)",
        "op = tf.train.ExponentialMovingAverage(0.9).apply([loss])",
    ],
)
def test_update_needs_unsafe(update: str) -> None:
    text = program(f"{update}\n{WRAPPED}")
    if "contrib" not in text:
        check_kept(text)
    assert lines(text) == [update]
    assert all(not f.applied and f.severity.value == "kept" for f in found(text, "TFM312"))
    assert "between_graph.SyncReplicasOptimizer(" in migrated(text, unsafe=True)
    assert all(f.applied for f in found(text, "TFM312", unsafe=True))


def test_asynchronous_program_may_update() -> None:
    assert lines(program("op = tf.assign(rate, 0.1)\n")) == []
