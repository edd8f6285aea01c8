"""Wrong and right forms of programs that no fixture has, through the whole command.

Each is one replacement in a program of many parts, verified against a recording of that program.
"""

from __future__ import annotations

import pytest
from changed_program import Changed
from long_tail import one_in

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM, OUT = "sequences.py", ("{out}",)
STEPS, START, LOSS, VARIABLES, RESULTS, CHECKPOINTS, EXPORTS, WRITTEN = (
    "both train the same steps",
    "same initial values, batch",
    "same loss at every step",
    "same variables and slots",
    "same calls and results",
    "same checkpoints",
    "same exports",
    "same files and hooks",
)
_ERROR = "error = tf.reduce_sum(entropies * mask) / tf.reduce_sum(mask)"
_CLIP = "gradients, _ = tf.clip_by_global_norm(gradients, 0.5)"
_WARM = "tf.minimum(1.0, tf.cast(step + 1, tf.float32) / 4.0)"
_TARGETS = "0.9 * tf.one_hot(y, CLASSES) + 0.1 / CLASSES"

WRONG = [
    (_WARM, "tf.cast(step >= 3, tf.float32)", VARIABLES, "do not move: the learning rate is 0"),
    ("tf.get_collection(tf.GraphKeys.UPDATE_OPS)", "[]", VARIABLES, "their updates are lost"),
    ("momentum=0.9, eps", "momentum=0.99, eps", VARIABLES, "0.1 times: 1 - the decay"),
    (
        "epsilon=1e-3",
        "epsilon=1e-5",
        LOSS,
        "norm/batchnorm has the number 0.001 in the original, 1e-05",
    ),
    ("HELD_OUT = 1, 2", "HELD_OUT = 1, 1", RESULTS, "Session run 3 without training"),
    ("range(0, 48, 16)", "range(0, 32, 16)", RESULTS, "Session run 7 without training"),
    ("training=is_training, name", "training=True, name", RESULTS, "Session run 3"),
    ('"kernel" in v.name', '"bias" in v.name', LOSS, "a regularizer"),
    (' if "kernel" in v.name', "", LOSS, "a regularizer"),
    ("DECAY = 0.3, 1e-3", "DECAY = 0.3, 0.0", LOSS, "a regularizer"),
    (
        _TARGETS,
        "tf.one_hot(y, CLASSES)",
        LOSS,
        "Only the original's graph has the constant mul/x = 0.9",
    ),
    (_CLIP, "gradients = [tf.clip_by_norm(g, 0.5) for g in gradients]", VARIABLES, "gradient is "),
    (_ERROR, "error = tf.reduce_mean(entropies * mask)", LOSS, "the gradient is "),
    (_ERROR, "error = tf.reduce_mean(entropies)", LOSS, "migrated program's graph has an op Mean"),
    ("Average(0.9)", "Average(0.99)", VARIABLES, "0.1 times: 1 - the decay"),
    ("Average(0.9)", "Average(0.9, step)", VARIABLES, " times: 1 - the decay"),
    ("    session.run(use_averages)\n", "", RESULTS, "Session run 2 without training"),
    (", use_nesterov=True", "", VARIABLES, "Nesterov's (use_nesterov) is lost or added"),
    ("(0.2, step, 5", "(0.2, step + 1, 5", VARIABLES, "0.5 times: the learning rate"),
    (", staircase=True", "", VARIABLES, "0.871 times: the learning rate"),
    (
        "DROPPED, DECAY = 0.3",
        "DROPPED, DECAY = 0.32",
        LOSS,
        "dropout has the number 0.3 in the orig",
    ),
    ("DROPPED, training=is_training", "DROPPED, training=True", LOSS, "at step 5"),
    (
        "        session.run(count",
        "        session.run(tf.local_variables_initializer())\n        session.run(count",
        RESULTS,
        "Session run 4 without training",
    ),
    ("-1), weights=mask", "-1)", RESULTS, "Session run 3 without training"),
    ("tf.nn.softmax(logits)}", "tf.identity(logits)}", EXPORTS, "'probabilities' differs"),
    ('tf.summary.scalar("rate", rate)\n', "", WRITTEN, "'rate' (scalar) in events"),
    ("max_to_keep=3", "max_to_keep=1", WRITTEN, "model-11 in the migrated program"),
    ("CLASSES = 12,", "CLASSES = 11,", STEPS, "The original ran 12 steps"),
    ("glorot_uniform_", "glorot_normal_", START, "a different distribution"),
    ("RandomState(7)", "RandomState(8)", START, "rows of the first batch are not"),
    ("[train_op, loss, merged]", "[train_op, error, merged]", RESULTS, "Training step 1 returns"),
    ('scalar("loss", loss)', 'scalar("loss", error)', WRITTEN, "The summary 'loss' (scalar)"),
    (
        "hidden = tf.nn.relu(hidden)\n",
        "",
        LOSS,
        "Only the original's graph has an op Relu: Relu (sequences.py:",
    ),
    ("    session.run(put_back)\n", "", LOSS, "at step 5"),
    ("number % 4 == 3", "number % 3 == 2", VARIABLES, "Variables first differ at step 4"),
    ("Saver(max", "Saver(tf.trainable_variables(), max", CHECKPOINTS, "original's checkpoint"),
]
RIGHT = [
    (
        _ERROR,
        "sums = [tf.reduce_sum(tf.cast(v, tf.float64)) for v in (entropies * mask, mask)]\n"
        "error = tf.cast(sums[0] / sums[1], tf.float32)",
    ),
    (
        _CLIP,
        "norm = tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(g)) for g in gradients]))\n"
        "gradients = [g * (0.5 / tf.maximum(norm, 0.5)) for g in gradients]",
    ),
    (
        "tf.nn.softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)",
        "-tf.reduce_sum(targets * tf.nn.log_softmax(logits), axis=-1)",
    ),
    ("tf.nn.l2_loss(v) for v", "0.5 * tf.reduce_sum(tf.square(v)) for v"),
    (_ERROR, "error = tf.losses.compute_weighted_loss(entropies, mask)"),
    (_ERROR, "error = tf.reduce_mean(tf.boolean_mask(entropies, mask > 0))"),
    (
        "compute_gradients(loss), strict=True)",
        "compute_gradients(loss * 128.0), strict=True)\ngradients = [g / 128.0 for g in gradients]",
    ),
    ("tf.nn.relu(hidden)", "tf.maximum(hidden, 0.0)"),
    (_TARGETS, "tf.gather(0.9 * tf.eye(CLASSES) + 0.1 / CLASSES, y)"),
    ("average.apply(tf.trainable_variables())", "average.apply(tf.trainable_variables()[::-1])"),
    (
        'logits = tf.layers.dense(hidden, CLASSES, name="logits")',
        "flat = tf.reshape(hidden, [-1, 8])\n"
        'flat = tf.layers.dense(flat, CLASSES, name="logits")\n'
        "logits = tf.reshape(flat, [-1, LENGTH, CLASSES])",
    ),
    ("logits = tf.layers", "hidden = tf.nn.dropout(hidden, rate=0.0)\nlogits = tf.layers"),
    (
        "tf.layers.dropout(hidden, DROPPED, training=is_training)",
        "tf.cond(is_training, lambda: tf.nn.dropout(hidden, rate=DROPPED), lambda: hidden + 0.0)",
    ),
    (
        "tf.train.exponential_decay(0.2, step, 5, 0.5, staircase=True)",
        "0.2 * tf.pow(0.5, tf.cast(step // 5, tf.float32))",
    ),
]
IN_TURN = "two_in_turn.py"
WRONG_IN_TURN = [
    ('(0.02, 0.5, name="D")', '(0.01, 0.5, name="D")', VARIABLES, "0.5 times: the learning rate"),
    ("minimize(g_loss,", "minimize(1.001 * g_loss,", LOSS, "gradient is 1.001 times"),
    ("minimize(d_loss, var_list=of_d)", "minimize(d_loss, var_list=of_g)", START, "is only in the"),
    ("        session.run(clip)\n", "", LOSS, "do not move"),
    ("[d_op, d_loss]", "[g_op, d_loss]", STEPS, "global_step"),
    ("random_normal([16, 4])", "random_uniform([16, 4], -1.7, 1.7)", LOSS, "has random_normal."),
    (
        "-0.7, 0.7",
        "-0.6, 0.6",
        LOSS,
        "clip_by_value/Minimum/y is 0.7 in the original (two_in_turn.py:40)",
    ),
    ("seed(31)", "seed(32)", START, "The graph-level seed is 31 in the original, 32"),
    ("seed=17", "seed=18", START, "is drawn with another seed: 17 in the original, 18"),
]


def _name(value: object) -> str:
    return str(value)[:30]


@pytest.mark.parametrize(("old", "new", "rung", "cause"), one_in(36, WRONG), ids=_name)
def test_a_wrong_form_is_found_and_its_cause_named(
    changed: Changed, old: str, new: str, rung: str, cause: str
) -> None:
    said = changed(PROGRAM, (old, new), arguments=OUT)
    assert (said.code, said.failed) == (1, [rung])
    assert cause in said.details(rung)


@pytest.mark.parametrize(("old", "new"), one_in(14, RIGHT), ids=_name)
def test_a_right_form_is_the_same(changed: Changed, old: str, new: str) -> None:
    said = changed(PROGRAM, (old, new), arguments=OUT)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(("old", "new", "rung", "cause"), one_in(9, WRONG_IN_TURN), ids=_name)
def test_a_wrong_form_of_two_models_in_turn_is_found(
    changed: Changed, old: str, new: str, rung: str, cause: str
) -> None:
    said = changed(IN_TURN, (old, new))
    assert (said.code, said.failed) == (1, [rung])
    assert cause in said.details(rung)
