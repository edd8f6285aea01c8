"""TFM101: the names of tf.contrib.learn."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrated

V1 = "import tensorflow.compat.v1 as tf\n"


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntext = 'tf.contrib.learn.Experiment'  # tf.contrib.learn\n",
        "from sklearn import learn\nlearn.Experiment(e)\n",
        "import other as tf\ntf.contrib.learn.Experiment(e)\n",
        "def f(tf):\n  return tf.contrib.learn.Experiment\n",
        "from tfmigrate_runtime import learn\nlearn.Experiment(e)\n",
        "from tfmigrate_runtime.learn import learn_runner\nlearn_runner.run(f, 'd', 'train')\n",
    ],
)
def test_left_alone(text: str) -> None:
    check_unchanged(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import tensorflow as tf\ntf.contrib.learn.Experiment(e).train()\n",
            f"{V1}from tfmigrate_runtime import learn\nlearn.Experiment(e).train()\n",
        ),
        (
            "from tensorflow.contrib import learn\nlearn.Experiment(e).train()\n",
            "from tfmigrate_runtime import learn\nlearn.Experiment(e).train()\n",
        ),
        (
            "import tensorflow.contrib.learn as tflearn\ntflearn.Experiment(e).train()\n",
            "from tfmigrate_runtime import learn as tflearn\ntflearn.Experiment(e).train()\n",
        ),
        (
            "from tensorflow.contrib.learn.python.learn import learn_runner\n"
            "learn_runner.run(f, 'd', 'train')\n",
            "from tfmigrate_runtime.learn import learn_runner\nlearn_runner.run(f, 'd', 'train')\n",
        ),
        (
            "from tensorflow.contrib.learn.python.learn import evaluable, run_config\n"
            "class Mine(evaluable.Evaluable):\n  config = run_config.RunConfig()\n"
            "  where = run_config.Environment.CLOUD\n",
            "from tfmigrate_runtime import learn as evaluable, learn as run_config\n"
            "class Mine(evaluable.Evaluable):\n  config = run_config.RunConfig()\n"
            "  where = run_config.Environment.CLOUD\n",
        ),
        (
            "from tensorflow.contrib.learn.python.learn.experiment import Experiment\n"
            "class Mine(Experiment):\n  pass\n",
            "from tfmigrate_runtime.learn import Experiment\nclass Mine(Experiment):\n  pass\n",
        ),
        (
            "from tensorflow import contrib\nx = contrib.learn.Experiment(e)\nx.train()\n",
            "from tfmigrate_runtime import learn\nx = learn.Experiment(e)\nx.train()\n",
        ),
        (
            "from tensorflow.contrib.learn.python.learn.utils import saved_model_export_utils\n"
            "s = saved_model_export_utils.make_export_strategy(f, exports_to_keep=1)\n",
            "from tfmigrate_runtime.learn.utils import saved_model_export_utils\n"
            "s = saved_model_export_utils.make_export_strategy(f, exports_to_keep=1)\n",
        ),
        (
            "import tensorflow.contrib.learn.python.learn.utils.saved_model_export_utils as u\n"
            "folder = u.get_temp_export_dir(u.get_timestamped_export_dir(base))\n",
            "from tfmigrate_runtime.learn.utils import saved_model_export_utils as u\n"
            "folder = u.get_temp_export_dir(u.get_timestamped_export_dir(base))\n",
        ),
        (
            "import tensorflow as tf\nm = tf.contrib.learn.monitors.ValidationMonitor(x)\n",
            f"{V1}from tfmigrate_runtime import learn\nm = learn.monitors.ValidationMonitor(x)\n",
        ),
        (
            "import tensorflow as tf\n"
            "x = tf.contrib.learn.io.read_batch_features('f', 8, spec, tf.TFRecordReader)\n"
            "y = tf.contrib.learn.read_batch_record_features('f', 8, spec)\n",
            f"{V1}from tfmigrate_runtime import learn\n"
            "x = learn.io.read_batch_features('f', 8, spec, tf.TFRecordReader)\n"
            "y = learn.read_batch_record_features('f', 8, spec)\n",
        ),
        (
            "from tensorflow.contrib.learn.python.learn.learn_io.graph_io import "
            "read_keyed_batch_examples as read\n"
            "x = read('f', 8, reader)\n",
            "from tfmigrate_runtime.learn.io import read_keyed_batch_examples as read\n"
            "x = read('f', 8, reader)\n",
        ),
        (
            "from tensorflow.contrib.learn.python.learn.learn_io import numpy_io\n"
            "x = numpy_io.numpy_input_fn({'x': a})\n",
            "from tfmigrate_runtime.learn import io as numpy_io\n"
            "x = numpy_io.numpy_input_fn({'x': a})\n",
        ),
        (
            "import tensorflow as tf\nlearn = tf.contrib.learn\nlearn.Experiment(e).train()\n",
            f"{V1}from tfmigrate_runtime import learn\nlearn.Experiment(e).train()\n",
        ),
    ],
)
def test_becomes_ours(before: str, after: str) -> None:
    used = "print(tf)\n" if " as tf" in before else ""
    check(before + used, after + used)


def test_names_that_the_runtime_lacks_are_reported() -> None:
    text = (
        "import tensorflow as tf\n"
        "tf.contrib.learn.Experiment(tf.contrib.learn.SVM('id'), a, b).train()\n"
    )
    (finding,) = found(text, "TFM702")
    assert (finding.line, finding.column) == (2, 29)
    assert "learn.Experiment(tf.contrib.learn.SVM('id'), a, b)" in migrated(text)


def test_experiments_that_stay_are_named() -> None:
    text = """
        import tensorflow as tf
        from tensorflow.contrib.learn import Experiment, learn_runner

        def fn(run_config, hparams):
          return Experiment(tf.estimator.Estimator(f, config=run_config), train_input_fn=a,
                            eval_input_fn=b, train_steps=1)

        def other(**given):
          return tf.contrib.learn.Experiment(**given)

        class Mine(Experiment):
          pass

        learn_runner.run(fn, run_config=tf.contrib.learn.RunConfig(), hparams=None)
        """
    (finding,) = found(text, "TFM101")
    assert finding.message.endswith(
        "; the Experiment at line 10 stays one, which the runtime runs"
        "; Mine (line 12) derives from the runtime's Experiment"
    )
    (finding,) = found(text.replace("learn_runner.run(fn", "learn_runner.run(get()"), "TFM101")
    assert finding.message.endswith(
        "; the Experiments at lines 6, 10 stay Experiments, which the runtime runs"
        "; Mine (line 12) derives from the runtime's Experiment"
    )
