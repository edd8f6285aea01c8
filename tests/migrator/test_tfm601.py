"""TFM601: tf.estimator."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, findings, found, migrate_tree, migrated

V1 = "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import estimator\n"


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntext = 'tf.estimator.Estimator'  # tf.estimator.Estimator\n",
        "import tensorflow as tf\n'''tf.estimator'''\nx = f'tf.estimator.Estimator'\n",
        "estimator = tf.estimator.Estimator(f)\n",
        "import tensorflow as tf\ndef f(tf):\n  return tf.estimator.Estimator\n",
        "import other as tf\ntf.estimator.Estimator(f)\n",
        "from sklearn import estimator\nestimator.Estimator(f)\n",
        "from . import estimator\nestimator.Estimator(f)\n",
        "import tensorflow as tf\nself.tf.estimator.Estimator(f)\n",
        "import tensorflow as tf\ntf.estimators.Estimator(f)\n",
        "from tensorflow import *\nestimator.Estimator(f)\n",
        "from tfmigrate_runtime import estimator\nestimator.Estimator(f)\n",
        "from tfmigrate_runtime.estimator import Estimator\nEstimator(f)\n",
        "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import estimator\n"
        "def f():\n  tf.layers.dense(1)\n  return estimator.Estimator(f)\n",
        "import tfmigrate_runtime.estimator as tf_estimator\ntf_estimator.Estimator(f)\n",
        "import tensorflow as tf\ntf.estimator.KMeans()\n",
        "from tensorflow.estimator import KMeans\nKMeans()\n",
        "from tensorflow.estimator import *\nEstimator(f)\n",
    ],
)
def test_left_alone(text: str) -> None:
    check_unchanged(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import tensorflow as tf\ntf.estimator.Estimator(tf.abs)\n",
            "import tensorflow as tf\nfrom tfmigrate_runtime import estimator\n"
            "estimator.Estimator(tf.abs)\n",
        ),
        (
            "import tensorflow as tf\ntf.compat.v1.estimator.Estimator(tf.abs)\n",
            "import tensorflow as tf\nfrom tfmigrate_runtime import estimator\n"
            "estimator.Estimator(tf.abs)\n",
        ),
        (
            "import tensorflow.compat.v1 as tf\ntf.estimator.export.PredictOutput(tf.abs)\n",
            f"{V1}estimator.export.PredictOutput(tf.abs)\n",
        ),
        (
            "from tensorflow import estimator\nestimator.Estimator(f)\n",
            "from tfmigrate_runtime import estimator\nestimator.Estimator(f)\n",
        ),
        (
            "from tensorflow import estimator as est\nest.Estimator(f)\n",
            "from tfmigrate_runtime import estimator as est\nest.Estimator(f)\n",
        ),
        (
            "import tensorflow.estimator as est\nest.Estimator(f)\n",
            "from tfmigrate_runtime import estimator as est\nest.Estimator(f)\n",
        ),
        (
            "import tensorflow.compat.v1.estimator as est\nest.Estimator(f)\n",
            "from tfmigrate_runtime import estimator as est\nest.Estimator(f)\n",
        ),
        (
            "from tensorflow.compat.v1 import estimator\nestimator.Estimator(f)\n",
            "from tfmigrate_runtime import estimator\nestimator.Estimator(f)\n",
        ),
        (
            "from tensorflow_estimator import estimator\nestimator.Estimator(f)\n",
            "from tfmigrate_runtime import estimator\nestimator.Estimator(f)\n",
        ),
        (
            "from tensorflow.estimator import Estimator, ModeKeys as Mode\nEstimator(Mode.TRAIN)\n",
            "from tfmigrate_runtime.estimator import Estimator, ModeKeys as Mode\n"
            "Estimator(Mode.TRAIN)\n",
        ),
        (
            "from tensorflow.estimator.export import PredictOutput\nPredictOutput(x)\n",
            "from tfmigrate_runtime.estimator.export import PredictOutput\nPredictOutput(x)\n",
        ),
        (
            "from tensorflow.python.estimator.run_config import RunConfig\nRunConfig()\n",
            "from tfmigrate_runtime.estimator import RunConfig\nRunConfig()\n",
        ),
        (
            "import tensorflow\ntensorflow.estimator.Estimator(tensorflow.abs)\n",
            "import tensorflow\nfrom tfmigrate_runtime import estimator\n"
            "estimator.Estimator(tensorflow.abs)\n",
        ),
        (
            "import tensorflow as tf\ntf.estimator.Estimator(f)\n",
            "from tfmigrate_runtime import estimator\nestimator.Estimator(f)\n",
        ),
        (
            "import tensorflow.estimator\ntensorflow.estimator.Estimator(tensorflow.float32)\n",
            "import tensorflow\nfrom tfmigrate_runtime import estimator\n"
            "estimator.Estimator(tensorflow.float32)\n",
        ),
        (
            "import os, tensorflow.estimator\n"
            "tensorflow.estimator.Estimator(tensorflow.layers.dense)\n",
            "import os, tensorflow.compat.v1 as tensorflow\n"
            "from tfmigrate_runtime import estimator\n"
            "estimator.Estimator(tensorflow.layers.dense)\n",
        ),
        (
            "import tensorflow as tf, numpy as np\ntf.estimator.Estimator(tf.layers.dense)\n",
            "import tensorflow.compat.v1 as tf, numpy as np\n"
            "from tfmigrate_runtime import estimator\nestimator.Estimator(tf.layers.dense)\n",
        ),
        (
            "from tensorflow import estimator, layers  # both\nestimator.Estimator(layers.dense)\n",
            "# both\nfrom tfmigrate_runtime import estimator\n"
            "from tensorflow.compat.v1 import layers\nestimator.Estimator(layers.dense)\n",
        ),
        (
            "import tensorflow as tf\nlearn = tf.estimator\nlearn.Estimator(tf.abs)\n",
            "import tensorflow as tf\nfrom tfmigrate_runtime import estimator\n"
            "learn = estimator\nlearn.Estimator(tf.abs)\n",
        ),
        (
            "import tensorflow as tf\nprint(f'{tf.estimator.ModeKeys.EVAL!r} tf.estimator')\n",
            "import tensorflow as tf\nfrom tfmigrate_runtime import estimator\n"
            "print(f'{estimator.ModeKeys.EVAL!r} tf.estimator')\n",
        ),
    ],
)
def test_import_forms(before: str, after: str) -> None:
    if "# both" in before:
        after = after.replace("# both\n", "").replace("estimator\n", "estimator  # both\n", 1)
    first = after.partition("\n")[0]
    used = f"print({first.split()[-1]})\n" if first.startswith("import tensorflow") else ""
    check(before + used, after + used)


@pytest.mark.parametrize(
    "bound",
    [
        "estimator = tf.estimator.Estimator(f)",
        "def train(estimator):\n  return tf.estimator.EvalSpec(estimator)",
        "for estimator in [tf.estimator.Estimator(f)]:\n  pass",
        "with x as estimator:\n  tf.estimator.Estimator(f)",
        "import estimator\ntf.estimator.Estimator(f)",
        "class estimator:\n  spec = tf.estimator.EvalSpec",
        "if (estimator := tf.estimator.Estimator(f)):\n  pass",
        "[estimator for estimator in tf.estimator.Estimator(f)]",
        "f(lambda estimator: tf.estimator.EvalSpec(estimator))",
    ],
)
def test_name_that_is_taken(bound: str) -> None:
    after = migrated(f"import tensorflow as tf\n{bound}\n")
    assert "from tfmigrate_runtime import estimator as tf_estimator\n" in after
    assert "tf.estimator" not in after
    assert "tf_estimator." in after


def test_name_that_is_taken_twice() -> None:
    after = migrated(
        "import tensorflow as tf\ntf_estimator = estimator = tf.estimator.Estimator(f)\n"
    )
    assert "from tfmigrate_runtime import estimator as tfmigrate_estimator\n" in after


def test_import_of_another_function_is_not_relied_on() -> None:
    after = migrated(
        "import tensorflow as tf\ndef f():\n  from tensorflow import estimator\n"
        "  return estimator.ModeKeys\ndef g():\n  return tf, tf.estimator.Estimator(f)\n"
    )
    assert after.count("from tfmigrate_runtime import estimator\n") == 2
    assert after.startswith("import tensorflow as tf\nfrom tfmigrate_runtime import estimator\n")


def test_every_name_taken() -> None:
    text = (
        "import tensorflow as tf\ntfmigrate_estimator = tf_estimator = estimator = "
        "tf.estimator.Estimator(f)\n"
    )
    after = migrated(text)
    assert "tf.estimator.Estimator" not in after


def test_import_that_is_there_already_is_used() -> None:
    check(
        "import tensorflow as tf\nfrom tfmigrate_runtime import estimator as est\n"
        "est.ModeKeys\ntf, tf.estimator.Estimator(f)\n",
        "import tensorflow as tf\nfrom tfmigrate_runtime import estimator as est\n"
        "est.ModeKeys\ntf, est.Estimator(f)\n",
    )


def test_runtime_import_of_another_function_is_not_relied_on() -> None:
    after = migrated(
        "import tensorflow as tf\ndef f():\n  from tfmigrate_runtime import estimator\n"
        "  return estimator\ndef g():\n  return tf, tf.estimator.Estimator(f)\n"
    )
    assert after.startswith("import tensorflow as tf\nfrom tfmigrate_runtime import estimator\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "try:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None\n"
            "m = tf.estimator.ModeKeys\n",
            "try:\n  import tensorflow as tf\n  from tfmigrate_runtime import estimator\n"
            "except ImportError:\n  tf = None\nm = estimator.ModeKeys\n",
        ),
        (
            "def f():\n  import tensorflow as tf\n  return tf, tf.estimator.ModeKeys\n",
            "def f():\n  import tensorflow as tf\n  from tfmigrate_runtime import estimator\n"
            "  return tf, estimator.ModeKeys\n",
        ),
        (
            '"""Doc."""\ndef f():\n  import tensorflow as tf\n  return tf, tf.estimator.ModeKeys\n',
            '"""Doc."""\ndef f():\n  import tensorflow as tf\n'
            "  from tfmigrate_runtime import estimator\n  return tf, estimator.ModeKeys\n",
        ),
        (
            '#!/usr/bin/env python\n"""Doc."""\nfrom __future__ import print_function\n'
            "def f():\n  import tensorflow as tf\n  return tf, tf.estimator.ModeKeys\n",
            '#!/usr/bin/env python\n"""Doc."""\nfrom __future__ import print_function\n'
            "def f():\n  import tensorflow as tf\n  from tfmigrate_runtime import estimator\n"
            "  return tf, estimator.ModeKeys\n",
        ),
        (
            "import tensorflow as tf; x = 1\ntf, tf.estimator.ModeKeys\n",
            "import tensorflow as tf; x = 1\nfrom tfmigrate_runtime import estimator\n"
            "tf, estimator.ModeKeys\n",
        ),
    ],
)
def test_place_of_the_import(before: str, after: str) -> None:
    check(before, after)


def test_names_that_are_missing_stay() -> None:
    text = migrated(
        "import tensorflow as tf\nfrom tensorflow.estimator import KMeans, Estimator\n"
        "Estimator(tf.estimator.BoostedTrees(), tf.estimator.ModeKeys.TRAIN)\n"
    )
    assert "from tensorflow.estimator import KMeans\n" in text
    assert "Estimator(tf.estimator.BoostedTrees(), estimator.ModeKeys.TRAIN)\n" in text


def test_chain_over_several_lines_and_comments() -> None:
    text = migrated(
        "import tensorflow as tf\nx = (tf\n     # the estimator\n     .estimator\n     .ModeKeys)\n"
    )
    assert "# the estimator" in text


def test_one_finding_a_file() -> None:
    text = "import tensorflow as tf\ntf.estimator.ModeKeys\ntf.estimator.RunConfig()\n"
    (finding,) = found(text, "TFM601")
    assert (finding.line, finding.column, finding.applied) == (2, 1, True)
    assert findings(text) == []


def test_a_package_named_tensorflow_of_the_project_is_not_ours() -> None:
    changed, _ = migrate_tree(
        {"a.py": "# tensorflow\nfrom .tensorflow import estimator\nestimator.Estimator(f)\n"}
    )
    assert changed == {}


@pytest.mark.parametrize(
    ("arguments", "added"),
    [
        ("model, config=c", ', checkpoint_format="saver"'),
        ("model, None, {}, c", ', checkpoint_format="saver"'),
        ("model, None, {}, f, c, 'saver'", ""),
        ("model, checkpoint_format='checkpoint'", ""),
        ("**options", ""),
    ],
)
def test_estimators_of_keras_models_keep_the_format_of_checkpoints(
    arguments: str, added: str
) -> None:
    text = "import tensorflow as tf\ntf.to_float(1)\n\n"
    text += f"tf.keras.estimator.model_to_estimator({arguments})\n"
    new = migrated(text)
    assert f"estimator.model_to_estimator({arguments}{added})" in new
    # The model draws its initial values in graphs only, where its Estimator is trained.
    assert "disable_eager_execution()" in new


def test_estimators_of_keras_models_in_tensorflow_2_have_its_format() -> None:
    text = (
        "import tensorflow as tf\ntf.random.set_seed(1)\ntf.keras.estimator.model_to_estimator(m)\n"
    )
    new = migrated(text)
    assert "estimator.model_to_estimator(m)" in new
    assert "disable" not in new


def test_a_file_of_keras_alone_keeps_the_format_in_a_program_of_tensorflow_1() -> None:
    model = "import tensorflow as tf\n\ndef build(model):\n  return tf.keras.estimator."
    model += "model_to_estimator(model)\n"
    start = "import tensorflow as tf\nfrom model import build\n\nif __name__ == '__main__':\n"
    start += "  {}\n  build(None).train(f)\n"
    files = {"model.py": model, "main.py": start.format("tf.logging.set_verbosity(3)")}
    changed, _ = migrate_tree(files)
    assert 'model_to_estimator(model, checkpoint_format="saver")' in changed["model.py"]
    assert "tf.disable_eager_execution()" in changed["main.py"]
    changed, _ = migrate_tree({**files, "main.py": start.format("print(tf.GradientTape())")})
    assert "checkpoint_format" not in changed["model.py"]
    assert "disable" not in "".join(changed.values())
