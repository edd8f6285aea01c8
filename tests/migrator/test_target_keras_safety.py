"""--target keras refuses what would train differently without a word."""

from __future__ import annotations

import pytest
from test_target_keras import PROGRAM, converted, refused

SPEC = "    return tf.estimator.EstimatorSpec(mode, predictions={'class': tf.argmax(logits, 1)})\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (SPEC, SPEC + "  labels = tf.cast(labels, tf.int32) + 1\n", "is set anew above the metric"),
        ("  net = tf.layers.dense(", "  features.pop('x')\n  net = tf.layers.dense(", "in place"),
        (
            "  train_op = opt",
            "  with tf.control_dependencies([loss]):\n    train_op = opt",
            "a control dependency on something other",
        ),
        (".repeat().batch(8)", ".batch(8).make_initializable_iterator()", "which is not a tf.data"),
        (
            "def main(x, y):\n",
            "def main(x, y):\n  rows = tf.reduce_sum(x, keep_dims=True)\n",
            "no argument `keep_dims`",
        ),
        (
            "def main(x, y):\n",
            "def main(x, y):\n  tf.data.get_output_types(x)\n",
            "no `tf.data",
        ),
    ],
)
def test_what_would_differ_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused((old, new))


def test_features_that_are_set_anew_are_not_the_inputs() -> None:
    after = converted(
        (
            "  net = tf.layers.dense(",
            "  features = tf.reshape(features, [-1, 4])\n  net = tf.layers.dense(",
        )
    )
    assert "  inputs = features\n  features = keras.ops.reshape(features, [-1, 4])\n" in after
    assert "model = keras.Model(inputs, logits)" in after


def test_an_input_function_that_draws_is_called_as_often_as_before() -> None:
    draws = ("  return tf.data", "  x = x + np.random.normal()\n  return tf.data")
    imported = ("import tensorflow as tf\n", "import numpy as np\nimport tensorflow as tf\n")
    loop = ("  est.train(", "  for _ in range(3):\n    est.train(")
    assert "train_dataset = input_fn(x, y)" in converted(draws, imported)
    assert "global random generator" in refused(draws, imported, loop)


def test_a_folder_that_is_made_is_made_once() -> None:
    imported = ("import tensorflow as tf\n", "import tempfile\nimport tensorflow as tf\n")
    after = converted(imported, ("(model_fn, 'out',", "(model_fn, tempfile.mkdtemp(),"))
    assert "  model_dir = tempfile.mkdtemp()\n" in after
    assert "train_model(est, train_dataset, model_dir, steps=100)" in after
    assert "evaluate_model(est, input_fn(x, y), model_dir, steps=2)" in after


BATCH_NORM = (
    "  logits =",
    "  net = tf.layers.batch_normalization(net, training=training)\n  logits =",
)
UPDATES = "  updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n"
DEPENDS = ("  train_op = opt", "  with tf.control_dependencies(updates):\n    train_op = opt")


def test_averages_that_training_does_not_move_are_refused() -> None:
    assert "does not run UPDATE_OPS" in refused(
        BATCH_NORM, ("  optimizer =", f"{UPDATES}  optimizer =")
    )
    above = ("  training =", f"{UPDATES}  training =")
    assert "does not run UPDATE_OPS" in refused(BATCH_NORM, above, DEPENDS)
    below = ("  optimizer =", f"{UPDATES}  optimizer =")
    assert "BatchNormalization()(net)" in converted(BATCH_NORM, below, DEPENDS)


SCOPE = "  with tf.variable_scope('a', reuse=tf.AUTO_REUSE):\n"
LAYER = "net = tf.layers.dense(features, 4, activation=tf.nn.relu, name='hidden')\n"


@pytest.mark.parametrize(
    "shared",
    [
        f"{SCOPE}    {LAYER}{SCOPE}    other = {LAYER}",
        f"  for _ in range(2):\n  {SCOPE}      {LAYER}",
    ],
)
def test_layers_of_one_name_may_be_shared_by_a_scope(shared: str) -> None:
    assert "may share their variables" in refused((f"  {LAYER}", shared))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "  net = tf.layers.dense(",
            "  with tf.variable_scope('a', None, None, tf.zeros_initializer()):\n"
            "    net = tf.layers.dense(",
            "not passed by keyword",
        ),
        ("  optimizer =", "  logits = tf.layers.dense(logits, 3)\n  optimizer =", "set anew below"),
        (
            "def main(",
            "def size(x, y):\n  return model_fn(x, y, 'train', {})\n\n\ndef main(",
            "call",
        ),
        ("  est.train(", "  est = est.train(", "several times"),
        ("  est.train(", "  result = est.train(", "the result of `train` is used"),
        (
            "  return tf.data",
            "  print(tf.data.Dataset.range(2).output_types)\n  return tf.data",
            "have no `output_types`",
        ),
        (
            ".from_tensor_slices((x, y))",
            ".from_generator(lambda: zip(x, y), (tf.float32, tf.int32))",
            "the shapes of a Dataset of a generator",
        ),
        ("def input_fn", "def same(f):\n  return f\n\n\n@same\ndef input_fn", "has a decorator"),
        ("  logits =", "  print(net.shape.ndims)\n  logits =", "`ndims` of a shape"),
    ],
)
def test_what_would_fail_or_compute_something_else_is_refused(
    old: str, new: str, reason: str
) -> None:
    assert reason in refused((old, new))


def test_a_helper_that_loses_its_flag_of_the_mode_is_called_nowhere_else() -> None:
    helper = (
        "def model_fn",
        "def network(x, training):\n  return tf.layers.dropout(x, 0.5, training=training)\n\n\n"
        "def model_fn",
    )
    call = ("  logits =", "  net = network(net, training)\n  logits =")
    assert "network(net)" in converted(helper, call)
    other = ("def main(", "def benchmark(x):\n  return network(x, False)\n\n\ndef main(")
    assert "outside of the model function" in refused(helper, call, other)


def test_the_value_of_a_dimension_is_the_dimension() -> None:
    after = converted(
        ("  logits =", "  net = tf.reshape(net, [-1, net.get_shape()[1].value])\n  logits =")
    )
    assert "keras.ops.reshape(net, [-1, net.shape[1]])" in after


@pytest.mark.parametrize(
    "between",
    ["  x[:] = x / 255.\n", "  np.random.shuffle(x)\n", "  x = x / 255.\n", "  normalize(x)\n"],
)
@pytest.mark.parametrize("script", [False, True])
def test_the_dataset_is_made_below_what_changes_its_data(between: str, script: bool) -> None:
    step = "" if script else "  "
    moved = [("def main(x, y):\n", "x, y = load()\n"), ("\n  est", "\nest"), ("\n  pr", "\npr")]
    changed = f"{step}{between.strip()}\n{step}"
    after = converted(*moved * script, (f"{step}est.train(", f"{changed}est.train("))
    assert f"{changed}train_dataset = input_fn(x, y)\n" in after


def test_an_input_function_below_the_estimator_is_not_called_above_it() -> None:
    function = "def input_fn(x, y):\n  return tf.data.Dataset.from_tensor_slices((x, y))\n\n\n"
    assert "train_dataset = input_fn(x, y)\n" in converted()
    nested = (
        "  est.train(lambda: input_fn(x, y)",
        "  def rows():\n    return input_fn(x, y)\n\n  est.train(rows",
    )
    assert function not in converted(nested)
    assert "    return input_fn(x, y)\n\n  train_dataset = rows()\n" in converted(nested)


PARAMS = ("params={'dropout': 0.0})\n", "params=params)\n  params['dropout'] = 0.5\n")


def test_params_that_change_below_the_estimator_are_refused() -> None:
    assert "`params` of the Estimator may change" in refused(
        ("  est = ", "  params = {'dropout': 0.0}\n  est = "), PARAMS
    )


@pytest.mark.parametrize(
    "effect", ["print('reads')", "CALLS.append(1)", "x = x[RNG.permutation(8)]", "global x_"]
)
def test_an_input_function_with_an_effect_is_called_as_often_as_before(effect: str) -> None:
    made = ("def input_fn", "RNG = np.random.RandomState(0)\nCALLS = []\n\n\ndef input_fn")
    imported = ("import tensorflow as tf\n", "import numpy as np\nimport tensorflow as tf\n")
    inside = ("  return tf.data", f"  {effect}\n  return tf.data")
    assert "train_dataset = input_fn(x, y)" in converted(imported, made, inside)
    loop = ("  est.train(", "  for _ in range(3):\n    est.train(")
    assert "would be called again" in refused(imported, made, inside, loop)


def test_two_estimators_have_a_dataset_and_a_folder_each() -> None:
    start, end = PROGRAM.index("def model_fn"), PROGRAM.index("def input_fn")
    other = PROGRAM[start:end].replace("model_fn", "other_fn").replace("hidden", "other")
    after = converted(
        ("def input_fn", f"{other}def input_fn"),
        ("import tensorflow as tf\n", "import tempfile\nimport tensorflow as tf\n"),
        ("  est.train(", "  two = tf.estimator.Estimator(other_fn, 'b')\n  est.train("),
        ("steps=2))\n", "steps=2))\n  two.train(lambda: input_fn(y, x), steps=3)\n"),
        ("'out'", "tempfile.mkdtemp()"),
        ("'b'", "tempfile.mkdtemp()"),
    )
    assert "train_model(est, train_dataset, model_dir, steps=100)" in after
    assert "train_model(two, train_dataset_2, model_dir_2, steps=3)" in after


LOSS = "  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            LOSS,
            f"  loss = tf.reduce_mean(logits)\n  if params['loss']:\n  {LOSS}",
            "that does not always run",
        ),
        (
            "  training =",
            "  if params['force']:\n    mode = tf.estimator.ModeKeys.TRAIN\n  training =",
            "`mode` is set anew",
        ),
        (
            "  train_op =",
            "  extra = optimizer.minimize(loss)\n  train_op =",
            "another use of the optimizer",
        ),
        (
            "  logits =",
            "  for _ in range(2):\n    table = tf.get_variable('table', [9, 4])\n"
            "    net += tf.nn.embedding_lookup(table, tf.cast(features, tf.int32))\n  logits =",
            "embeddings of one name",
        ),
    ],
)
def test_what_has_several_values_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused((old, new))


def test_an_output_that_is_computed_for_the_loss_only_stays() -> None:
    after = converted(
        (LOSS, f"  scaled = logits / 2.0\n{LOSS.replace('logits', 'scaled')}"), METRIC
    )
    assert "  scaled = logits / 2.0\n" in after
    assert "model = keras.Model(features, scaled)" in after


METRIC = (
    """loss=loss, eval_metric_ops={
        'accuracy': tf.metrics.accuracy(labels, tf.argmax(logits, 1))})""",
    "loss=loss)",
)


def test_data_that_change_in_a_branch_are_read_below_the_change() -> None:
    after = converted(("  est.train(", "  if len(x):\n    x[:] = x / 255.\n    est.train("))
    assert "    train_model(est, input_fn(x, y), 'out', steps=100)\n" in after
    logged = converted(("  est.train(", "  if len(x):\n    print(1)\n    est.train("))
    assert "    train_model(est, train_dataset, 'out', steps=100)\n" in logged


def test_flags_that_change_below_the_estimator_are_refused() -> None:
    flags = ("def main(", "FLAGS = tf.app.flags.FLAGS\n\n\ndef main(")
    changed = ("{'dropout': 0.0})\n", "{'dropout': FLAGS.rate})\n  FLAGS.rate = 0.5\n")
    assert "`FLAGS` of the Estimator may change" in refused(flags, changed)


def test_params_that_are_none_are_an_empty_dictionary() -> None:
    assert "params=dict())" in converted(("params={'dropout': 0.0})", "params=None)"))


def test_the_seed_of_a_run_config_is_not_that_of_numpy() -> None:
    imported = ("import tensorflow as tf\n", "import numpy as np\nimport tensorflow as tf\n")
    config = "config=tf.estimator.RunConfig(tf_random_seed=5)"
    seeded = ("{'dropout': 0.0})", f"{{'dropout': 0.0}}, {config})")
    draws = ("  est.train(", "  np.random.shuffle(x)\n  est.train(")
    assert "keras.utils.set_random_seed(5)" in converted(seeded)
    assert "global random generator" in refused(imported, seeded, draws)


def test_a_configuration_that_is_read_elsewhere_stays() -> None:
    made = "  config = tf.estimator.RunConfig(model_dir='out')\n  est = "
    given = ("  est = ", made), ("(model_fn, 'out',", "(model_fn, config=config,")
    assert "'out'" in converted(*given)
    printed = ("  print(est", "  print(config.model_dir)\n  print(est")
    assert "`config` is " in refused(*given, printed)


def test_names_that_are_assigned_to_each_other_are_no_flags() -> None:
    training = "  training = mode == tf.estimator.ModeKeys.TRAIN\n"
    loop = "  first = second\n  second = first\n  if first:\n    training = False\n"
    refused((training, training + loop))
