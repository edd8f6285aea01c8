"""TFM702: names of tf.contrib that no rule migrates."""

from __future__ import annotations

import pytest
from support import found

from tfmigrate.model.targets import TARGETS

FAMILY = """\
import tensorflow as tf
opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
est = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(f))
"""


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntf.layers.dense(1)\n",
        "import tensorflow as tf\n# tf.contrib.layers\nx = 'tf.contrib.layers'\n",
        "import other as tf\ntf.contrib.layers.conv2d()\n",
        "from django.contrib import admin\nadmin.site\n",
        "import contrib\ncontrib.layers.conv2d()\n",
        FAMILY,
    ],
)
def test_nothing_to_report(text: str) -> None:
    assert not found(text, "TFM702")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("import tensorflow as tf\ntf.contrib.gan.gan_train(x)\n", [(2, 1)]),
        ("import tensorflow as tf\nf(tf.contrib.a.b)\nf(tf.contrib.a.b)\n", [(2, 3)]),
        ("import tensorflow as tf\nf(tf.contrib.a.b, tf.contrib.a.c)\n", [(2, 3), (2, 19)]),
        ("from tensorflow.contrib import gan\ngan.gan_train(x)\n", [(1, 32)]),
        ("from tensorflow.contrib import gan\n__all__ = ['gan']\n", [(1, 32)]),
        ("from tensorflow.contrib.layers import *\nconv2d(unknown)\n", [(1, 1)]),
        (
            "import tensorflow as tf\ngan = tf.contrib.gan\ngan.gan_train(x)\n",
            [(2, 7), (3, 1)],
        ),
    ],
)
def test_reported_once_a_name(text: str, places: list[tuple[int, int]]) -> None:
    told = found(text, "TFM702")
    assert [(f.line, f.column) for f in told] == places
    assert {(f.severity.value, f.applied) for f in told} == {("manual", False)}
    assert all(f.action for f in told)


def test_another_name_of_the_family_is_reported() -> None:
    told = found("import tensorflow as tf\ntf.contrib.estimator.multi_label_head(3)\n", "TFM702")
    assert [(f.line, f.column) for f in told] == [(2, 1)]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("layers.no_such_layer", "TensorFlow 1.15 has no public name like it"),
        ("layers.python.layers.layers.no_such_layer", "TensorFlow 1.15 has no public name like it"),
        ("ndlstm.lstm1d.ndlstm_base", "TensorFlow 1.15 has no public name like it"),
        ("kfac.optimizer.KfacOptimizer", "use github.com/tensorflow/kfac"),
        ("learn.datasets.DATASETS", "copy its code from TensorFlow 1.15"),
    ],
)
def test_code_is_to_be_copied_from_where_it_is(name: str, said: str) -> None:
    (told,) = found(f"import tensorflow as tf\nx = tf.contrib.{name}\n", "TFM702")
    assert told.action.startswith(said)


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("Mixture", "tfp.distributions.Mixture, without use_static_graph"),
        ("Poisson", "tfp.distributions.Poisson"),
        ("bijectors.Exp", "tfp.bijectors"),
        ("bijectors.AffineScalar", "tfp.bijectors.Shift(shift)(tfp.bijectors.Scale(scale))"),
        ("percentile", "tfp.stats.percentile"),
    ],
)
@pytest.mark.parametrize(
    "imported",
    ["ds = tf.contrib.distributions", "from tensorflow.contrib import distributions as ds"],
)
def test_distributions_name_what_tensorflow_probability_has(
    name: str, action: str, imported: str
) -> None:
    text = f"import tensorflow as tf\n{imported}\nx = ds.{name}(ds.Normal(0.0, 1.0))\n"
    (finding,) = found(text, "TFM702")
    assert finding.line == 3
    assert action in finding.action


def test_names_that_tf_estimator_does_not_have_are_reported_where_it_stays() -> None:
    text = "import tensorflow as tf\nx = tf.contrib.estimator.regression_head()\n"
    (finding,) = found(text, "TFM702", target=TARGETS["estimator"])
    assert finding.message == "tf.contrib.estimator.regression_head is not in TensorFlow 2"
    assert finding.action == "run tfmigrate without --target estimator"


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("get_signature_def_by_key", "write that"),
        ("python.saved_model.reader.get_saved_model_tag_sets", "import tensorflow.python.tools."),
        ("load_keras_model", "use model.save"),
    ],
)
def test_a_package_is_not_given_the_reason_of_another_name(name: str, action: str) -> None:
    (finding,) = found(
        f"import tensorflow as tf\ntf.contrib.saved_model.{name}(x, 'serve')\n", "TFM702"
    )
    assert finding.action.startswith(action)
