"""Programs composed at random from the idioms of the family, and what always holds for them."""

from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st
from support import check_unchanged, comments, migrated, run

IMPORTS = (
    ("import tensorflow as tf\n", "tf.contrib.estimator.", "tf.estimator."),
    ("import numpy as np, tensorflow as tf\n", "tf.contrib.estimator.", "tf.estimator."),
    (
        "import tensorflow as tf\nfrom tensorflow.contrib.estimator import (\n"
        "    replicate_model_fn,  # wraps\n    TowerOptimizer)\n",
        "",
        "tf.estimator.",
    ),
    (
        "import tensorflow as tf\nfrom tensorflow.contrib import estimator as ce\n",
        "ce.",
        "tf.estimator.",
    ),
    (
        "import tensorflow as tf\nfrom tensorflow import estimator\n",
        "tf.contrib.estimator.",
        "estimator.",
    ),
    (
        "try:\n  import tensorflow as tf\nfinally:\n  pass\n",
        "tf.contrib.estimator.",
        "tf.estimator.",
    ),
)
ARGUMENTS = (
    "model_fn",
    "model_fn, devices=devices",
    "model_fn, tf.losses.Reduction.SUM",
    "\n    # the model\n    model_fn,\n    loss_reduction=tf.losses.Reduction.MEAN,  # mean\n",
    "model_fn=model_fn, devices=['/gpu:%d' % i for i in range(2)]",
)
WRAPPERS = (
    "fn = {C}replicate_model_fn({A})\n{E}(fn{R})\n",
    "# Estimator.\n{E}(\n    model_fn={C}replicate_model_fn({A}){R})  # built\n",
    "fn = model_fn\nif FLAGS.multi_gpu:  # many\n  fn = {C}replicate_model_fn({A})\n{E}(fn{R})\n",
    "if many:\n  fn = {C}replicate_model_fn({A})\nelse:\n  fn = model_fn  # one\n{E}(fn{R})\n",
    "fn = {C}replicate_model_fn({A}) if many else model_fn\n{E}(fn{R})\n",
    "x = 1; fn = {C}replicate_model_fn({A}); {E}(fn{R})\n",
    "with scope():\n  # inside\n  est = {E}({C}replicate_model_fn({A}){R})\n",
)
REST = (
    "",
    ", params={'a': 1}",
    ", config=config",
    ", config=config, params=params",
    ",\n    model_dir='x',  # where\n    params=p",
)
OPTIMIZERS = (
    "opt = {C}TowerOptimizer(tf.train.AdamOptimizer(1e-3))  # adam\n",
    "opt = tf.train.AdamOptimizer()\nopt = {C}TowerOptimizer(opt)\n",
    "opt = adam\n# guard\n{G}\n  # inner\n  opt = {C}TowerOptimizer(opt)  # end\n",
    "opt = tf.train.AdamOptimizer()\n{G} opt = {C}TowerOptimizer(opt)\n",
    "params['o'] = {C}TowerOptimizer(optimizer_or_optimizer_fn=params['o'])\nopt = params['o']\n",
    "opt = {C}TowerOptimizer(\n    # why\n    a or\n    b)\n",
    "opt = {C}TowerOptimizer(lambda: tf.train.AdamOptimizer())\n",
    "g = {C}TowerOptimizer(g); d = {C}TowerOptimizer(d)  # both\nopt = g\n",
    "opt = {C}TowerOptimizer(adam) if params['many'] else adam\n",
)
GUARDS = (
    "if params.get('multi_gpu'):",
    "if params['multi_gpu']:",
    "if FLAGS.multi_gpu:",
    "if is_many():",
    "for _ in range(1):",
)
COMMENTS = (
    "",
    "# one\n",
    "\n\n# two\n\n",
    '"""Text."""\n',
    "é = 'ü'  # ä\n",
    "x = '''tf.estimator\n'''\n",
)
WIDTHS = ("  ", "    ", "\t")
NEWLINES = ("\n", "\r\n", "\r")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Returns a program of one file, whole or in functions."""
    head, contrib, estimator = draw(st.sampled_from(IMPORTS))

    def filled(template: str) -> str:
        for place, code in (
            ("{C}", contrib),
            ("{E}", f"{estimator}Estimator"),
            ("{A}", draw(st.sampled_from(ARGUMENTS))),
            ("{R}", draw(st.sampled_from(REST))),
            ("{G}", draw(st.sampled_from(GUARDS))),
        ):
            template = template.replace(place, code)
        return template

    optimizer = filled(draw(st.sampled_from(OPTIMIZERS))) + "op = opt.minimize(loss)\n"
    wrapper = filled(draw(st.sampled_from(WRAPPERS)))
    model = "def model_fn(features, labels, mode, params):\n" + textwrap.indent(optimizer, "  ")
    model += f"  return {estimator}EstimatorSpec(mode, train_op=op)\n"
    if draw(st.booleans()):
        wrapper = "def main(devices, config, params, p):\n" + textwrap.indent(wrapper, "  ")
    between = st.sampled_from(COMMENTS)
    text = draw(between) + head + draw(between) + model + draw(between) + wrapper + draw(between)
    width = draw(st.sampled_from(WIDTHS))
    lines = [_indented(line, width) for line in text.splitlines()]
    newline = draw(st.sampled_from(NEWLINES))
    return newline.join(lines) + (newline if draw(st.booleans()) else "")


def _indented(line: str, width: str) -> str:
    stripped = line.lstrip(" ")
    depth, rest = divmod(len(line) - len(stripped), 2)
    return width * depth + " " * rest + stripped


@given(programs())
def test_migrated_programs(text: str) -> None:
    result = run(text)
    assert [f for f in result.findings if f.severity.value != "fixed"] == []
    after = migrated(text)  # parses, is stable and has every comment
    assert after != text
    assert "contrib" not in after
    assert "TowerOptimizer" not in after
    assert "tf.estimator." not in after
    assert after.count("MirroredStrategy(") == 1
    assert "global_batch=True" in after
    assert comments(after) == comments(text)
    newlines = {"\r\n" in text: "\r\n"}.get(True) or ("\r" if "\r" in text else "\n")
    assert after.replace(newlines, "").count("\n") == 0
    assert after.replace(newlines, "").count("\r") == 0
    assert after.endswith(newlines) == text.endswith(newlines)


# No tf.estimator and no runtime among these: such a file is nobody's program.
PIECES = (
    "import tensorflow as tf\n",
    "import tensorflow.compat.v1 as tf\n",
    "x = tf.compat.v1.losses.huber_loss(features, 1)\n",
    "# tf.contrib.estimator.TowerOptimizer(opt)\n",
    "'''tf.estimator.Estimator(replicate_model_fn(f))'''\n",
    "def f(tf):\n  return tf.contrib.estimator.replicate_model_fn(tf)\n",
    "estimator = Estimator(replicate(model_fn))\n",
    "if multi_gpu: opt = Tower(opt)\n",
    "w = tf.Variable(1.0)\n",
    "op = opt.apply_gradients(zip(g, v))\n",
    "\f\n",
    "x = (1,\n     2)  # end\n",
    "class A(object):\n\n    def f(self): pass\n",
)


@given(st.lists(st.sampled_from(PIECES)), st.sampled_from(NEWLINES))
def test_texts_without_the_constructs_are_unchanged(pieces: list[str], newline: str) -> None:
    check_unchanged("".join(pieces).replace("\n", newline))
