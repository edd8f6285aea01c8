"""--target keras: where an Estimator is used, and how it is replicated."""

from __future__ import annotations

import json
import os
from importlib import resources

import pytest
from test_target_keras import MAIN, converted, refused

MAKING = "  est = tf.estimator.Estimator(model_fn, 'out', params={'dropout': 0.0})\n"
TRAINING = "  est.train(lambda: input_fn(x, y), steps=100)\n"
EVALUATION = "  print(est.evaluate(lambda: input_fn(x, y), steps=2))\n"
MIRRORED = "tf.contrib.distribute.MirroredStrategy(num_gpus=2)"
CONFIG = "tf.estimator.RunConfig(train_distribute=%s)"


def under(strategy: str, *before: str) -> tuple[str, str]:
    """Returns the change that trains the program under a strategy."""
    made = MAKING.replace("params=", f"config={CONFIG % strategy}, params=")
    return MAKING, "".join((*before, made))


def test_a_strategy_joins_the_batches_of_its_replicas() -> None:
    after = converted(under("dist", f"  dist = {MIRRORED}\n"))
    assert (
        "  dist = tf.distribute.MirroredStrategy(\n      ['/gpu:0', '/gpu:1'],\n"
        "      cross_device_ops=tf.distribute.ReductionToOneDevice())\n"
        "  train_dataset = batches_of_replicas(input_fn(x, y), dist)\n"
        "  with dist.scope():\n"
        "    est = model_fn(inputs_of(train_dataset), params={'dropout': 0.0})\n"
        "  train_model(est, train_dataset, 'out', steps=100)\n"
        "  print(evaluate_model(est, input_fn(x, y), 'out', steps=2))\n"
    ) in after


def test_a_strategy_of_the_run_config_gets_a_name() -> None:
    after = converted(under(MIRRORED))
    assert "  strategy = tf.distribute.MirroredStrategy(" in after
    assert "batches_of_replicas(input_fn(x, y), strategy)" in after
    named = converted(under("0", f"  config = {CONFIG % MIRRORED}\n"), (CONFIG % "0", "config"))
    assert "  strategy = tf.distribute.MirroredStrategy(" in named
    assert "RunConfig" not in named


def test_one_device_has_no_batches_to_join() -> None:
    after = converted(under("tf.contrib.distribute.OneDeviceStrategy('/gpu:0')"))
    assert "  strategy = tf.distribute.OneDeviceStrategy('/gpu:0')\n" in after
    assert "batches_of_replicas" not in after


def test_a_function_that_chooses_a_strategy() -> None:
    function = (
        "def strategy_of(num_gpus):\n  if num_gpus < 2:\n    return None\n"
        "  return tf.distribute.MirroredStrategy()\n\n\n"
    )
    after = converted(under("strategy_of(x)", ""), ("def input_fn", function + "def input_fn"))
    assert "    return tf.distribute.get_strategy()\n" in after
    assert "cross_device_ops=tf.distribute.ReductionToOneDevice()" in after
    assert "  strategy = strategy_of(x)\n" in after


def test_the_steps_of_an_evaluation_are_those_of_each_replica() -> None:
    both = "d, eval_distribute=d"
    after = converted(under(both, f"  d = {MIRRORED}\n"))
    assert "'out', steps=2 * d.num_replicas_in_sync))" in after
    one = converted(under("d", f"  d = {MIRRORED}\n"))
    assert "'out', steps=2))" in one


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (under("x"), "cannot determine which strategy `x` is"),
        (
            under("tf.contrib.distribute.ParameterServerStrategy()"),
            "cannot determine which strategy",
        ),
        (
            under(f"{MIRRORED}, eval_distribute=tf.distribute.MirroredStrategy()"),
            "the strategy of the evaluation is not that of the training",
        ),
    ],
)
def test_other_strategies_are_refused(change: tuple[str, str], reason: str) -> None:
    assert reason in refused(change)


def test_sums_and_batch_normalization_under_a_strategy_are_refused() -> None:
    change = under(MIRRORED)
    summed = ("(labels, logits)\n", "(labels, logits, reduction=tf.losses.Reduction.SUM)\n")
    assert "the loss is a sum" in refused(change, summed)
    layer = (
        "  net = tf.layers.drop",
        "  net = tf.layers.batch_normalization(net, training=training)\n  net = tf.layers.drop",
    )
    updates = (
        "  train_op =",
        "  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
        "    train_op =",
    )
    assert "batch normalization under `train_distribute`" in refused(change, layer, updates)


def test_penalties_under_a_strategy_have_the_gradient_of_one_replica() -> None:
    layer = (
        "tf.layers.dense(net, 3)",
        "tf.layers.dense(net, 3, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))",
    )
    loss = (
        "(labels, logits)\n",
        "(labels, logits)\n  loss += tf.losses.get_regularization_loss()\n",
    )
    wrapped = "kernel_regularizer=InOneReplica(keras.regularizers.L2(0.1 / 2))"
    assert wrapped in converted(under(MIRRORED), layer, loss)
    assert "kernel_regularizer=keras.regularizers.L2(0.1 / 2)" in converted(layer, loss)


def test_replicas_share_the_loss_of_an_output_without_columns() -> None:
    loss = (
        "  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n",
        "  price = logits[:, 0]\n  loss = tf.losses.mean_squared_error(labels, price)\n",
    )
    metric = ("accuracy(labels, tf.argmax(logits, 1))", "mean_squared_error(labels, price)")
    shared = "  loss = MeanOfElements(keras.losses.MeanSquaredError())\n"
    assert shared in converted(under(MIRRORED), loss, metric)
    assert "  loss = keras.losses.MeanSquaredError()\n" in converted(loss, metric)
    assert "MeanOfElements" not in converted(under(MIRRORED))


def test_a_seeded_shuffle_under_a_strategy_begins_anew_for_fit() -> None:
    shuffled = (".batch(", ".shuffle(9, seed=1).batch(")
    after = converted(under(MIRRORED), shuffled)
    assert "batches_of_replicas(same_each_time(lambda: input_fn(x, y)), strategy)" in after
    assert "same_each_time" not in converted(under(MIRRORED), (".batch(", ".shuffle(9).batch("))
    assert "same_each_time" not in converted(shuffled)


def test_train_and_evaluate() -> None:
    specs = (
        "  train_spec = tf.estimator.TrainSpec(lambda: input_fn(x, y), max_steps=40)\n"
        "  tf.estimator.train_and_evaluate(est, train_spec,\n"
        "      tf.estimator.EvalSpec(input_fn=lambda: input_fn(y, x), throttle_secs=0))\n"
    )
    saved = MAKING.replace(
        "params=", "config=tf.estimator.RunConfig(save_checkpoints_steps=10), params="
    )
    after = converted((TRAINING, specs), (EVALUATION, ""), (MAKING, saved))
    assert "Spec" not in after
    made = "EvaluateCheckpoints(input_fn(y,x),steps=100,save_steps=10,throttle_secs=0)"
    assert f"evaluation={made}" in "".join(after.split())
    assert "max_steps=40, save_steps=10, callbacks=[evaluation])\n" in after
    assert '  """\n  check_alone()\n  restore_weights(model, model_dir)\n' in after


@pytest.mark.parametrize("given", [None, "", "{}", '{"cluster": {"chief": ["a:1"]}}'])
def test_one_task_trains(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    check_alone(monkeypatch, given)


def test_a_cluster_of_several_tasks_ends_the_program_at_its_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = '{"cluster": {"chief": ["a:1"], "ps": ["b:1"], "worker": ["c:1", "d:1"]}}'
    with pytest.raises(SystemExit, match="TF_CONFIG names several tasks"):
        check_alone(monkeypatch, cluster)


def check_alone(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    """Calls the function that programs have, with a value of TF_CONFIG; None for none."""
    monkeypatch.delenv("TF_CONFIG", raising=False)
    if given is not None:
        monkeypatch.setenv("TF_CONFIG", given)
    space = {"os": os, "json": json}
    data = resources.files("tfmigrate_keras").joinpath("data/written_out")
    text = data.joinpath("check_alone.py.txt").read_text()
    exec(f"{text}\ncheck_alone()", space)


def test_an_estimator_that_a_function_returns() -> None:
    function = (
        "def build(folder):\n"
        "  return tf.estimator.Estimator(model_fn, folder, params={'dropout': 0.0})\n\n\n"
        "def main(x, y):\n"
    )
    changes = (
        ("def main(x, y):\n", function),
        (MAKING, "  est = build('out')\n"),
        ("lambda: input_fn(x, y), steps=100", "lambda: input_fn([1.0], [2]), steps=100"),
    )
    after = converted(*changes)
    assert "  return model_fn(inputs_of(input_fn([1.0], [2])), params={'dropout': 0.0})\n" in after
    assert (
        "  est = build('out')\n  train_model(est, input_fn([1.0], [2]), 'out', steps=100)" in after
    )
    assert "is not known where the Estimator is created" in refused(*changes[:2])


def test_an_estimator_that_is_passed_to_a_function() -> None:
    function = "def show(e, x):\n  print(e.evaluate(lambda: input_fn(x, x)))\n\n\ndef main(x, y):\n"
    changes = (("def main(x, y):\n", function), (EVALUATION, "  show(est, x)\n"))
    after = converted(*changes)
    assert "def show(e, x):\n  print(evaluate_model(e, input_fn(x, x), 'out'))\n" in after
    assert "  show(est, x)\n" in after
    local = (MAKING, "  folder = 'out'\n" + MAKING.replace("'out'", "folder"))
    assert "`folder` of the Estimator is not known here" in refused(*changes, local)
    assert "the Estimator is passed to `other`" in refused((EVALUATION, "  other(est)\n"))


def test_an_estimator_in_an_attribute() -> None:
    after = converted(
        ("def main(x, y):\n  est", "class Job:\n  def __init__(self, x, y):\n    self.est"),
        ("  est.train", "    self.est.train"),
        ("  print(est.", "    print(self.est."),
    )
    assert "    self.est = model_fn(inputs_of(train_dataset), params={'dropout': 0.0})\n" in after
    assert "    train_model(self.est, train_dataset, 'out', steps=100)\n" in after
    assert "    print(evaluate_model(self.est, input_fn(x, y), 'out', steps=2))\n" in after


def test_hooks_that_write_logs_are_dropped_by_request_only() -> None:
    hook = "  names = {'loss': 'loss'}\n  log = tf.train.LoggingTensorHook(names, 10)\n"
    changes = (
        (MAKING, hook + MAKING),
        ("steps=100)", "steps=100, hooks=[log])"),
    )
    reason = "the logs of `tf.train.LoggingTensorHook` are not written"
    assert refused(*changes) == f"not converted to Keras: {reason}"
    after = converted(*changes, unsafe=True)
    assert MAIN in after
    assert "the hook `tf.train.StopAtStepHook" in refused(
        ("steps=100)", "steps=100, hooks=[tf.train.StopAtStepHook(5)])")
    )


WRAPPED = "tf.contrib.estimator.replicate_model_fn(%s)"
CHOICE = "  f = model_fn\n  if x:\n    # on all GPUs\n    f = " + WRAPPED + "\n"
TOWER = (
    "tf.train.AdamOptimizer(0.1)",
    "tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.1))",
)


@pytest.mark.parametrize("inner", ["model_fn", "f"])
def test_a_branch_that_replicates_the_model_function(inner: str) -> None:
    making = MAKING.replace("(model_fn,", "(f,")
    after = converted((MAKING, CHOICE % inner + making), TOWER)
    assert (
        "  strategy = tf.distribute.get_strategy()\n  if x:\n    # on all GPUs\n"
        "    strategy = tf.distribute.MirroredStrategy(\n"
        "        cross_device_ops=tf.distribute.ReductionToOneDevice())\n"
        "  train_dataset = input_fn(x, y)\n  with strategy.scope():\n"
        "    est = model_fn(inputs_of(train_dataset), params={'dropout': 0.0})\n"
    ) in after


def test_a_branch_that_chooses_another_model_function_is_refused() -> None:
    making = CHOICE % "other" + MAKING.replace("(model_fn,", "(f,")
    assert "another model function" in refused((MAKING, making), TOWER)
    again = (CHOICE % "f").replace("  if", "  f = other\n  if") + MAKING.replace(
        "(model_fn,", "(f,"
    )
    assert "`f` is assigned several times" in refused((MAKING, again), TOWER)


def test_a_file_that_names_tensorflow_otherwise_gets_tf_for_added_code() -> None:
    after = converted(("tensorflow as tf", "tensorflow"), ("tf.", "tensorflow."))
    assert "import keras\nimport tensorflow\nimport tensorflow as tf\n" in after
    assert "tensorflow.data.Dataset" in after


FUNCTOOLS = ("import tensorflow as tf\n", "import functools\nimport tensorflow as tf\n")


@pytest.mark.parametrize("arguments", ["x, y", "x, y=y"])
def test_an_input_function_may_be_a_partial_one(arguments: str) -> None:
    after = converted(
        FUNCTOOLS,
        (
            "lambda: input_fn(x, y), steps=100",
            f"functools.partial(input_fn, {arguments}), steps=100",
        ),
    )
    assert f"  train_dataset = input_fn({arguments})\n" in after


def test_a_partial_input_function_gets_the_params_of_the_estimator() -> None:
    after = converted(
        FUNCTOOLS,
        ("def input_fn(x, y):", "def input_fn(x, y, params):"),
        ("def main(x, y):\n", "def main(x, y):\n  params = {'dropout': 0.0}\n"),
        ("'out', params={'dropout': 0.0}", "'out', params=params"),
        ("lambda: input_fn(x, y)", "functools.partial(input_fn, x, y)"),
    )
    assert "  train_dataset = input_fn(x, y, params=params)\n" in after


def test_the_function_of_a_partial_input_function_has_to_be_there() -> None:
    reason = refused(
        FUNCTOOLS,
        ("lambda: input_fn(x, y), steps=100", "functools.partial(x.input_fn, y), steps=100"),
    )
    assert "cannot find the input function" in reason
