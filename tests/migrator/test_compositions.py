"""Programs put together at random from the idioms: what must hold for all of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support import check_unchanged, findings, migrated

IMPORTS = {
    "tf.contrib.estimator.": "import tensorflow as tf\n",
    "estimator.": "import tensorflow as tf\nfrom tensorflow.contrib import estimator\n",
    "ce.": "import tensorflow.contrib.estimator as ce\nimport tensorflow as tf\n",
    "": (
        "import tensorflow as tf\n"
        "from tensorflow.contrib.estimator import replicate_model_fn, TowerOptimizer\n"
    ),
}
OPTIMIZERS = [
    "opt = {p}TowerOptimizer(tf.train.AdamOptimizer())  # comment 1",
    "opt = tf.train.AdamOptimizer()\n@if multi_gpu:\n@@# comment 2\n@@opt = {p}TowerOptimizer(opt)",
    "opt = tf.train.AdamOptimizer()\n@if params.get('multi_gpu'): opt = {p}TowerOptimizer(opt)",
    "opt = {p}TowerOptimizer(\n@@@@tf.train.AdamOptimizer(\n@@@@@@1e-3))",
    "opt = make()\n@opt = {p}TowerOptimizer(opt) if multi_gpu else opt",
    "params['optimizer'] = {p}TowerOptimizer(params['optimizer'])\n@opt = params['optimizer']",
    "opt = {p}TowerOptimizer(lambda: tf.train.AdamOptimizer())",
]
WRAPPERS = [
    "fn = {p}replicate_model_fn(model_fn{a})  # comment 3\n@est = tf.estimator.Estimator(fn{c})",
    "est = tf.estimator.Estimator({p}replicate_model_fn(model_fn{a}){c})",
    "fn = model_fn\n@if multi_gpu:\n@@# comment 4\n@@fn = {p}replicate_model_fn(model_fn{a})\n"
    "@est = tf.estimator.Estimator(model_fn=fn{c})",
    "if multi_gpu:\n@@fn = {p}replicate_model_fn(model_fn{a})\n@else:\n@@fn = model_fn\n"
    "@est = tf.estimator.Estimator(model_fn=fn{c})",
    "fn = {p}replicate_model_fn(model_fn{a}) if multi_gpu else model_fn\n"
    "@est = tf.estimator.Estimator(\n@@@@model_fn=fn{c})  # comment 5",
]
ARGUMENTS = ["", ", devices=devices", ", tf.losses.Reduction.MEAN", ", loss_reduction=R.SUM"]
CONFIGS = [
    "",
    ", config=config",
    ", config=tf.estimator.RunConfig(tf_random_seed=1)",
    ", config=None",
]


@st.composite
def programs(draw: st.DrawFn) -> str:
    prefix = draw(st.sampled_from(sorted(IMPORTS)))
    wrapper = draw(st.sampled_from(WRAPPERS))
    text = (
        IMPORTS[prefix]
        + "\n\ndef model_fn(features, labels, mode, params):\n@"
        + draw(st.sampled_from(OPTIMIZERS)).format(p=prefix)
        + "\n@return tf.estimator.EstimatorSpec(mode)\n\n\ndef main(config, devices):\n@"
        + wrapper.format(
            p=prefix, a=draw(st.sampled_from(ARGUMENTS)), c=draw(st.sampled_from(CONFIGS))
        )
        + "\n"
    )
    text = text.replace("@", draw(st.sampled_from(["  ", "    ", "\t"])))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(programs())
def test_all_compositions_are_migrated_whole(text: str) -> None:
    after = migrated(text)  # parses, is stable, keeps every comment
    assert findings(text) == []
    assert "contrib" not in after
    assert "TowerOptimizer" not in after
    assert after.count("global_batch=True") == 1
    assert ("loss_reduction" in after) == ("R.SUM" in text)
    if "\r\n" in text:
        assert "\n" not in after.replace("\r\n", "")


PIECES = ["import numpy as np", "import tensorflow as tf", "x = tf.constant(1)", "# tf.contrib", ""]


@given(st.lists(st.sampled_from([*PIECES, "s = 'TowerOptimizer(opt)'", "\f"]), max_size=8))
def test_texts_without_the_constructs_are_left_alone(lines: list[str]) -> None:
    check_unchanged("\n".join(lines) + "\n")
