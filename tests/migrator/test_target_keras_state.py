"""--target keras refuses programs whose state, or whose code, changes in ways it cannot follow."""

from __future__ import annotations

import pytest
from support import changed, found, migrate_tree
from test_target_keras import PROGRAM as ESTIMATOR
from test_target_keras import converted as estimator_form
from test_target_keras import refused as estimator_refused

from tfmigrate.model.targets import KERAS, TARGETS

TARGET = TARGETS[KERAS]

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


SESSION = "with tf.Session() as s:\n  s.run(tf.constant(1))\n"
CANNED = (
    "import tensorflow as tf\nfrom settings import RATE\n\n"
    "est = tf.estimator.LinearRegressor([tf.feature_column.numeric_column('x')])\n"
    "est.train(lambda: None, steps=RATE)\n"
)


def test_each_program_that_is_started_gets_one_finding() -> None:
    settings = "import tensorflow as tf\n\nRATE = tf.app.flags.FLAGS\n"
    session = f"import tensorflow as tf\nfrom settings import RATE\n{SESSION}"
    files = {"a.py": session, "b.py": session, "c.py": CANNED, "settings.py": settings}
    _, findings = migrate_tree(files, target=TARGET)
    found = {f.path: f.message for f in findings if f.code == "TFM802"}
    assert sorted(found) == ["a.py", "b.py", "c.py"]
    assert len([f for f in findings if f.code == "TFM802"]) == len(found)
    assert "several sessions" not in "".join(found.values())
    assert "`tf.estimator.LinearRegressor` has its own model function" in found["c.py"]


def test_all_obstacles_of_a_program_are_listed_with_their_lines() -> None:
    program = changed(
        ESTIMATOR,
        (
            "  logits =",
            "  tf.while_loop(lambda i: i < 1, lambda i: i + 1, [0])\n"
            "  tf.py_func(print, [mode], [])\n  logits =",
        ),
    )
    (finding,) = found(program, "TFM802", target=TARGET)
    lines = program.splitlines()
    for name in ("tf.while_loop", "tf.py_func"):
        line = next(number for number, text in enumerate(lines, 1) if f"{name}(" in text)
        assert finding.line == line or f"; `{name}` (line {line})" in finding.message
        assert name in finding.message


def test_programs_of_sessions_are_for_another_target() -> None:
    (finding,) = found(f"import tensorflow as tf\n\n{SESSION}", "TFM802", target=TARGET)
    assert "a program of sessions becomes eager" in finding.message
    assert "use `--target eager`" in finding.action
