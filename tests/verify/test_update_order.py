"""What a run updates in no order has one order while it is recorded, and the other is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from long_tail import one_in
from native_program import Native
from verify_support import record

from tfmigrate_runtime.verify.traces.trace import Array

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
TOWERS = """
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.training import moving_averages
tf.disable_v2_behavior()
kernel = tf.get_variable("kernel", [3, 1])
mean = tf.get_variable("mean", [3], initializer=tf.zeros_initializer(), trainable=False)
x = tf.placeholder(tf.float32, [8, 3])
trains = tf.placeholder_with_default(True, [])
losses = []
for part in tf.split(x, 2):
    update = moving_averages.assign_moving_average(mean, tf.reduce_mean(part, 0), 0.5, False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
    losses.append(tf.reduce_mean((part @ kernel - 1) ** 2))
step = tf.train.get_or_create_global_step()
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n(losses) / 2, step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(4):
        rows = np.random.RandomState(number).normal(size=(8, 3))
        session.run(train, {x: rows + number})
"""
UPDATE = "moving_averages.assign_moving_average(mean, tf.reduce_mean(part, 0), 0.5, False)"
IN_BRANCH = UPDATE.replace("moving_averages", "tf.cond(trains, lambda: moving_averages") + (
    ", lambda: tf.identity(mean))"
)
RESOURCES = "tf.disable_v2_behavior()", "tf.disable_v2_behavior(); tf.enable_resource_variables()"
BY_REFERENCE = "tf.disable_v2_behavior()", "tf.disable_v2_behavior(); tf.disable_control_flow_v2()"
FORMS = {
    "reference": (BY_REFERENCE,),
    "resource": (RESOURCES,),
    "assigned": ((UPDATE, "tf.assign(mean, mean - 0.5 * (mean - tf.reduce_mean(part, 0)))"),),
    "in a branch": ((UPDATE, IN_BRANCH),),
    "resource in a branch": (RESOURCES, (UPDATE, IN_BRANCH)),
}
# Reductions of four float32 numbers.
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def _written(folder: Path, text: str, *replaced: tuple[str, str]) -> Path:
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    path = folder / "towers.py"
    path.write_text(text)
    return path


def _rows(number: int) -> Array:
    return np.random.RandomState(number).normal(size=(8, 3)) + number


@pytest.mark.parametrize("tower", [0, 1])
def test_updates_of_other_towers_are_not_run(tower: int, tmp_path: Path) -> None:
    """Inception-like programs run the updates of one tower (hclhkbu/dlbench: of the first)."""
    every = "tf.get_collection(tf.GraphKeys.UPDATE_OPS))"
    path = _written(tmp_path, TOWERS, (every, f"{every[:-1]}[{tower} : {tower} + 1])"))
    trace = record(path, tmp_path / "trace.npz")
    assert trace.meta["ordered_updates"] == []
    assert not trace.other_order
    expected = np.zeros(3)
    for number, value in enumerate(trace.variables["mean"]):
        expected = 0.5 * expected + 0.5 * np.split(_rows(number), 2)[tower].mean(axis=0)
        np.testing.assert_allclose(value, expected, **CLOSE)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("every", one_in(2, [1, 3]))
def test_towers_update_an_average_from_the_first_to_the_last(
    form: str, every: int, tmp_path: Path
) -> None:
    path = _written(tmp_path, TOWERS, *FORMS[form])
    trace = record(path, tmp_path / "trace.npz", every=every)
    assert trace.meta["ordered_updates"] == ["mean"]
    first = last = np.zeros(3)
    values = []
    for number in range(4):
        parts = [part.mean(axis=0) for part in np.split(_rows(number), 2)]
        for part, other in zip(parts, parts[::-1], strict=True):
            first = 0.5 * first + 0.5 * part
            last = 0.5 * last + 0.5 * other
        if every == 1 or number in (0, 2, 3):  # the end is recorded, too
            values.append((first, last))
            last = first  # each step is compared from the state that was recorded
    recorded = trace.variables["mean"], trace.other_order["mean"]
    for made, expected in zip(recorded, zip(*values, strict=True), strict=True):
        np.testing.assert_allclose(made, np.stack(expected), **CLOSE)


def test_no_update_in_a_branch_that_is_not_run(tmp_path: Path) -> None:
    path = _written(tmp_path, TOWERS, *FORMS["in a branch"], ("_default(True", "_default(False"))
    trace = record(path, tmp_path / "trace.npz")
    assert not trace.variables["mean"].any()
    assert not trace.other_order


def test_sums_have_no_order(tmp_path: Path) -> None:
    path = _written(tmp_path, TOWERS, (UPDATE, "tf.assign_add(mean, tf.reduce_mean(part, 0))"))
    trace = record(path, tmp_path / "trace.npz")
    assert trace.meta["ordered_updates"] == []


def test_updates_that_wait_for_each_other_keep_their_order(tmp_path: Path) -> None:
    waits = "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)): update = "
    path = _written(tmp_path, TOWERS, ("update = ", waits))
    trace = record(path, tmp_path / "trace.npz")
    assert trace.meta["ordered_updates"] == []


OF_REAL = "        of_real = discriminator(real, training=True)\n"
OF_MADE = "        of_made = discriminator(made, training=True)\n"
OF_BOTH = (
    "        both = discriminator(tf.concat([real, made], 0), training=True)\n"
    "        of_real, of_made = tf.split(both, 2)\n"
)


@pytest.mark.parametrize("first", ["real", "made"])
def test_real_and_generated_rows_in_one_run(native: Native, first: str) -> None:
    """nmhkahn/DCGAN-tensorflow-slim was called different from its own migration now and then."""
    in_order = OF_REAL + OF_MADE, OF_REAL + OF_MADE if first == "real" else OF_MADE + OF_REAL
    said = native("inline_updates.py", "inline_updates_native.py", in_order)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(
    ("replaced", "rung"),
    [
        (("MOMENTUM = 12, 0.9", "MOMENTUM = 12, 0.89"), "same variables"),
        ((OF_MADE, OF_MADE.replace("True", "False")), "same loss"),
        ((OF_REAL + OF_MADE, OF_BOTH), "same loss"),
        ((OF_MADE, OF_MADE + OF_MADE), "same variables"),
    ],
)
def test_other_averages_are_found(native: Native, replaced: tuple[str, str], rung: str) -> None:
    said = native("inline_updates.py", "inline_updates_native.py", replaced)
    assert said.code == 1
    assert said.failed[0].startswith(rung)


HOOKED = (
    "with tf.Session() as session:\n    session.run(tf.global_variables_initializer())\n",
    "hook = tf.train.NanTensorHook(tf.add_n(losses) / 2)\n"
    "with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:\n",
)


@pytest.mark.parametrize("form", ["reference", "resource"])
def test_towers_of_a_hooked_session_follow_their_own_trace(form: str, tmp_path: Path) -> None:
    """The state is written by the initializers' ops, which are no updates without an order."""
    path = _written(tmp_path, TOWERS, HOOKED, *FORMS[form])
    first = record(path, tmp_path / "first.npz")
    assert first.meta["ordered_updates"] == ["mean"]
    again = record(path, tmp_path / "again.npz", follow=tmp_path / "first.npz")
    assert again.meta["follow"]["forced"] == len(first.step)
    for name, values in first.variables.items():
        np.testing.assert_allclose(again.variables[name], values, **CLOSE)
    np.testing.assert_allclose(again.other_order["mean"], first.other_order["mean"], **CLOSE)


WAITING = """
import numpy as np
import tensorflow as tf
X = np.random.RandomState(0).rand(32, 4).astype(np.float32)
def model_fn(features, labels, mode):
    out = tf.layers.batch_normalization(tf.layers.dense(features, 3), training=True)
    loss = tf.reduce_mean(tf.square(out - labels))
    step = tf.train.get_global_step()
    train = tf.contrib.layers.optimize_loss(loss, step, 0.01, tf.train.AdamOptimizer)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
strategy = tf.contrib.distribute.MirroredStrategy(num_gpus=2)
config = tf.estimator.RunConfig(train_distribute=strategy)
data = lambda: tf.data.Dataset.from_tensor_slices((X, X[:, :1])).batch(8)
tf.estimator.Estimator(model_fn, config=config).train(data)
"""


def test_losses_of_replicas_that_wait_for_averages(tmp_path: Path) -> None:
    """An order of updates and losses made a cycle of them."""
    path = tmp_path / "replicas.py"
    path.write_text(WAITING)
    trace = record(path, tmp_path / "trace.npz", legacy=True, replicas=2)
    assert trace.step.tolist() == [1, 2]
