"""--target keras refuses programs whose state, or whose code, changes in ways it cannot follow."""

from __future__ import annotations

from textwrap import indent

import pytest
from support import changed, found, migrate_tree
from test_target_keras import PROGRAM as ESTIMATOR
from test_target_keras import converted as estimator_form
from test_target_keras import refused as estimator_refused
from test_target_keras_steps import PROGRAM, TARGET, converted, refused

INIT = "    sess.run(tf.global_variables_initializer())\n"
LOOP = "    for a, b in batches():\n"
LAST = "    print('error', sess.run(error, {x: a, y: b}), sess.run(scale))\n"
SCALE = "  scale = tf.Variable(1.0, name='scale')\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (LAST, INIT + LAST, "variables are initialized again"),
        (LOOP, f"{LOOP}  {INIT}", "variables may be initialized again"),
        (
            LOOP,
            "    init = tf.global_variables_initializer()\n    sess.run(init)\n" + LOOP,
            "again",
        ),
        (LAST, "    sess.run(tf.variables_initializer([scale]))\n" + LAST, "some variables"),
        ("\nmain()\n", "\ndef fold():\n  main()\n\n\nfor _ in range(2):\n  fold()\n", "made again"),
        (
            SCALE,
            "  with tf.variable_scope('a', initializer=tf.ones_initializer()):\n"
            "    scale = tf.get_variable('scale', [])\n",
            "not given by its name alone",
        ),
        (
            SCALE,
            "  with tf.variable_scope('a'):\n    w = tf.get_variable('scale', [])\n"
            "  with tf.variable_scope('a'):\n    scale = tf.get_variable('scale', [])\n",
            "the variable `a/scale` is shared",
        ),
        (
            SCALE,
            "  scale = tf.get_variable('scale', [])\n"
            "  network(x)\n  tf.get_variable_scope().reuse_variables()\n",
            "reus",
        ),
        ("  error = ", "  def no():\n    pass\n\n  error = ", "a definition between"),
        ("RATE = 0.1\n", "RATE = 0.1\nkeras = 1\n", "`keras` is not the module"),
    ],
)
def test_a_session_whose_state_changes_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused((old, new))


def test_a_session_in_a_loop_is_refused() -> None:
    start = PROGRAM.index("  with tf.Session()")
    block = PROGRAM[start : PROGRAM.index("\n\nmain()")]
    assert "may be made again" in refused((block, f"  for _ in range(2):\n{indent(block, '  ')}"))


@pytest.mark.parametrize(
    "change",
    ["  UNITS[0] = 8\n", "  UNITS.append(8)\n", "  np.random.shuffle(UNITS)\n"],
)
def test_an_object_that_changes_after_the_graph_read_it_is_refused(change: str) -> None:
    reads = ("enumerate(units)", "enumerate(UNITS)")
    made = ("RATE = 0.1\n", "RATE = 0.1\nUNITS = [4, 2]\n")
    assert "layer_%d" in converted(made, reads)
    assert "`UNITS` changes here" in refused(made, reads, ("  with tf.S", f"{change}  with tf.S"))


def test_a_function_that_reads_a_placeholder_is_refused() -> None:
    program = (
        "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [2, 2])\n"
        "w = tf.Variable(1.0)\n\n\ndef net(a):\n  return a * w + x\n\n\n"
        "loss = tf.reduce_mean(net(x))\n"
        "train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        "with tf.Session() as sess:\n  sess.run(tf.global_variables_initializer())\n"
        "  sess.run(train_op, {x: [[1, 2], [3, 4]]})\n"
    )
    (finding,) = found(program, "TFM802", target=TARGET)
    assert "a function reads the tensor `x`" in finding.message


LOSS = "  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
OPTIMIZER = "  optimizer = tf.train.AdamOptimizer(0.1)\n"
TRAIN = "  est.train(lambda: input_fn(x, y), steps=100)\n"
RATES = ("def model_fn", "RATES = [0.1]\n\n\ndef model_fn")
READS = ("AdamOptimizer(0.1)", "AdamOptimizer(RATES[0])")


@pytest.mark.parametrize(
    "change",
    [
        "  RATES[0] = 0.2\n",
        "  RATES.append(0.2)\n",
        "  global RATES\n  RATES = [0.2]\n",
        "  more()\n",
    ],
)
def test_what_changes_between_calls_of_the_model_function_is_refused(change: str) -> None:
    more = ("def input_fn", "def more():\n  RATES[0] = 0.2\n\n\ndef input_fn")
    edits = [RATES, READS, *([more] if "more" in change else [])]
    assert "`RATES` changes here" in estimator_refused(*edits, (TRAIN, TRAIN + change))
    if "more" not in change:  # before the Estimator is made
        assert "Adam(RATES[0]" in estimator_form(
            *edits, ("def main(x, y):\n", f"def main(x, y):\n{change}")
        )


def test_a_value_of_another_file_that_changes_is_refused() -> None:
    program = changed(ESTIMATOR, ("AdamOptimizer(0.1)", "AdamOptimizer(settings.RATE)"))
    program = program.replace("import tensorflow", "import settings\nimport tensorflow")
    later = program.replace(TRAIN, f"{TRAIN}  settings.RATE = 0.2\n")
    setter = "RATE = 0.1\n\n\ndef more():\n  global RATE\n  RATE = 0.2\n"
    for files in (
        {"train.py": later, "settings.py": "import tensorflow as tf\n\nRATE = 0.1\n"},
        {"train.py": program, "settings.py": f"import tensorflow as tf\n\n{setter}"},
    ):
        _, findings = migrate_tree(files, target=TARGET)
        assert [f.message for f in findings if "changes here" in f.message]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("  RATES.append(1)\n", "the model function calls `RATES.append`"),
        ("  RATES[0] += 1\n", "the model function changes `RATES`"),
        ("  global RATES\n  RATES = mode\n", "the model function sets `RATES`"),
        ("  note()\n", "the model function calls `RATES.append`"),
        ("  units = np.random.randint(4)\n", "the model function calls `np.random.randint`"),
        ("  params['dropout'] = 0.5\n", "the model function changes `params`"),
    ],
)
def test_a_model_function_that_does_more_than_to_build_is_refused(code: str, reason: str) -> None:
    note = ("def input_fn", "def note():\n  RATES.append(1)\n\n\ndef input_fn")
    imported = ("import tensorflow as tf\n", "import numpy as np\nimport tensorflow as tf\n")
    above = ("  logits =", f"{code}  logits =")
    assert reason in estimator_refused(RATES, note, imported, above)


@pytest.mark.parametrize(
    "code",
    [
        "  if mode == tf.estimator.ModeKeys.TRAIN:\n    {0}\n",
        "  if mode == tf.estimator.ModeKeys.EVAL:\n    {0}\n",
        "  if training:\n    {0}\n",
    ],
)
@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("loss = loss * 2.0", OPTIMIZER),
        ("loss += 0.1 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])", LOSS),
        ("logits = logits * 2.0", LOSS),
        ("labels = labels + 1", LOSS),
        ("features = features * 2.0", "  net = tf.layers.dense("),
    ],
)
def test_what_some_modes_only_set_anew_is_refused(code: str, line: str, place: str) -> None:
    block = code.format(line)
    new = place + block if place is LOSS and "loss" in line else block + place
    assert "set anew in some" in estimator_refused((place, new))


def test_a_value_that_a_branch_ends_with_reaches_nothing_below() -> None:
    after = estimator_form(("  if mode == tf.estimator.ModeKeys.EVAL:\n", EVAL_BRANCH))
    assert "loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)" in after


EVAL_BRANCH = "  if mode == tf.estimator.ModeKeys.EVAL:\n    kinds = tf.argmax(logits, 1)\n"


@pytest.mark.parametrize("name", ["keras = 4", "os = 'a'", "json = None"])
def test_a_name_that_hides_a_module_is_refused(name: str) -> None:
    module = name.partition(" ")[0]
    assert f"`{module}` is not the module `{module}`" in estimator_refused(
        ("def main(x, y):\n", f"def main(x, y):\n  {name}\n")
    )


@pytest.mark.parametrize("tasks", ["['a:1', 'b:1']", "HOSTS"])
def test_a_program_that_sets_up_several_tasks_is_refused(tasks: str) -> None:
    imports = ("import tensorflow as tf\n", "import os\nimport tensorflow as tf\n")
    line = f"  os.environ['TF_CONFIG'] = str({{'cluster': {{'worker': {tasks}}}}})\n"
    edits = (imports, ("def main(x, y):\n", f"def main(x, y):\n{line}"))
    assert "a TF_CONFIG of several tasks" in estimator_refused(*edits)


def test_a_checkpoint_does_not_bring_its_learning_rate() -> None:
    after = estimator_form()
    restored = after[after.index("def restore_weights") :]
    assert restored.index("get_config()['learning_rate']") < restored.index("load_weights")
    saver = ("  with tf.S", "  saver = tf.train.Saver()\n  with tf.S")
    restore = (LAST, "    saver.restore(sess, 'out' + '/a')\n" + LAST)
    save = (LOOP, "    saver.save(sess, 'out' + '/model')\n" + LOOP)
    flag = ("RATE)", "float(RATE))")
    assert "the learning rate of the program that wrote it" in refused(flag, saver, restore, save)


CANNED = (
    "import tensorflow as tf\nfrom settings import RATE\n\n"
    "est = tf.estimator.LinearRegressor([tf.feature_column.numeric_column('x')])\n"
    "est.train(lambda: None, steps=RATE)\n"
)


def test_each_program_that_is_started_gets_one_finding() -> None:
    settings = "import tensorflow as tf\n\nRATE = tf.app.flags.FLAGS\n"
    session = f"from settings import RATE as rate\n{PROGRAM}"
    files = {"a.py": session, "b.py": session, "c.py": CANNED, "settings.py": settings}
    _, findings = migrate_tree(files, target=TARGET)
    found = {f.path: f.message for f in findings if f.code == "TFM802"}
    assert sorted(found) == ["a.py", "b.py", "c.py"]
    assert len([f for f in findings if f.code == "TFM802"]) == len(found)
    assert "several sessions" not in "".join(found.values())
    assert "`tf.estimator.LinearRegressor` brings its own model function" in found["c.py"]


def test_all_obstacles_of_a_program_are_listed_with_their_lines() -> None:
    program = changed(
        PROGRAM,
        ("  error = ", "  error = tf.cond(tf.constant(True), lambda: 1.0, lambda: 2.0)\n  bad = "),
        (LAST, "    sess.run(tf.assign(scale, 2.0))\n" + LAST),
    )
    (finding,) = found(program, "TFM802", target=TARGET)
    lines = program.splitlines()
    for name in ("tf.cond", "tf.assign"):
        line = next(number for number, text in enumerate(lines, 1) if f"{name}(" in text)
        assert finding.line == line or f"; `{name}` (line {line})" in finding.message
        assert name in finding.message


def test_a_session_that_only_evaluates_is_reported() -> None:
    program = "import tensorflow as tf\n\nwith tf.Session() as s:\n  s.run(tf.constant(1))\n"
    (finding,) = found(program, "TFM802", target=TARGET)
    assert "this session trains nothing" in finding.message
