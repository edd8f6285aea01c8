"""Rewrites go to a name that means TensorFlow 1.x at their place, and imports to where it is."""

from __future__ import annotations

import pytest
from support import check, migrated


def test_import_of_a_submodule_is_not_tensorflow_1() -> None:
    check(
        """
        import tensorflow.python.platform
        import tensorflow as tf

        kept = tf.select(pick, first, second)
        op = tf.scalar_summary('a', kept)
        step = tf.contrib.framework.get_or_create_global_step()
        """,
        """
        import tensorflow.python.platform
        import tensorflow.compat.v1 as tf

        kept = tf.where(pick, first, second)
        op = tf.summary.scalar('a', kept)
        step = tf.train.get_or_create_global_step()
        """,
    )


def test_names_of_tensorflow_1_below_an_import_of_a_submodule() -> None:
    check(
        """
        import tensorflow.python.platform

        def model(x):
          return tensorflow.nn.dropout(tensorflow.get_variable('x', []), 0.5)
        """,
        """
        import tensorflow.compat.v1 as tensorflow

        def model(x):
          return tensorflow.nn.dropout(tensorflow.get_variable('x', []), 0.5)
        """,
    )


def test_both_imports_of_one_name_become_one() -> None:
    after = migrated("""
        import tensorflow.python.platform
        import tensorflow

        x = tensorflow.placeholder(tensorflow.float32)
        """)

    assert after.count("import tensorflow") == 1
    assert "import tensorflow.compat.v1 as tensorflow\n" in after


def test_an_alias_of_compat_v1_is_preferred() -> None:
    after = migrated("""
        import tensorflow as tf2
        import tensorflow.compat.v1 as tf
        from tensorflow.contrib.framework import get_or_create_global_step

        step = get_or_create_global_step()
        """)

    assert "step = tf.train.get_or_create_global_step()" in after


def test_a_parameter_hides_the_import() -> None:
    after = migrated("""
        import tensorflow as tf

        def step(tf):
          from tensorflow.contrib.framework import get_or_create_global_step
          return get_or_create_global_step()
        """)

    assert "return tensorflow_v1.train.get_or_create_global_step()" in after
    assert "import tensorflow.compat.v1 as tensorflow_v1\n" in after


def test_a_file_that_imports_tensorflow_in_functions_does_so_after_it() -> None:
    check(
        """
        import json

        def model(x):
          import tensorflow as tf
          step = tf.contrib.framework.get_or_create_global_step()
          return tf.contrib.layers.flatten(x), step

        def pick(x):
          from tensorflow import select
          return select(x, 1, 2)
        """,
        """
        import json

        def model(x):
          import tensorflow.compat.v1 as tf
          from tfmigrate_runtime import layers
          step = tf.train.get_or_create_global_step()
          return layers.flatten(x), step

        def pick(x):
          import tensorflow.compat.v1 as tf
          return tf.where(x, 1, 2)
        """,
    )


def test_of_several_imports_of_contrib_one_becomes_tensorflow() -> None:
    check(
        """
        import tensorflow.contrib
        import tensorflow.contrib.predictor
        import tensorflow.contrib.slim

        def model(x):
          tensorflow.contrib.slim.fully_connected(x, 2)
          return tensorflow.placeholder(x)
        """,
        """
        import tensorflow.compat.v1 as tensorflow
        from tfmigrate_runtime import slim

        def model(x):
          slim.fully_connected(x, 2)
          return tensorflow.placeholder(x)
        """,
    )
    check(
        """
        import tensorflow as tf
        import tensorflow.contrib
        import tensorflow.contrib.slim

        def model(x):
          return tf.contrib.slim.fully_connected(tf.placeholder(x), 2)
        """,
        """
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import slim

        def model(x):
          return slim.fully_connected(tf.placeholder(x), 2)
        """,
    )


def test_names_that_moved_from_contrib_to_estimator_are_of_tensorflow_1() -> None:
    check(
        """
        import tensorflow as tf

        config = tf.contrib.tpu.RunConfig(model_dir='a')
        """,
        """
        from tfmigrate_runtime import estimator

        config = estimator.tpu.RunConfig(model_dir='a')
        """,
    )


def test_a_guarded_import_is_enough() -> None:
    """No other import is added: clients without TensorFlow import the module too."""
    text = (
        "try:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None\n"
        "if tf is not None:\n  cell = tf.contrib.rnn.GRUCell(3)\n  x = tf.mul(tf.no_op, 2)\n"
    )
    after = migrated(text)
    assert "cell = tf.nn.rnn_cell.GRUCell(3)\n  x = tf.multiply(tf.no_op, 2)\n" in after
    assert after.count("import tensorflow") == 1


@pytest.mark.parametrize(
    "imported",
    [
        "import tensorflow.compat.v1 as tf\n",
        "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n    tf = None\n",
        "import tensorflow\ntf = tensorflow.compat.v1\n",
    ],
)
def test_tf_contrib_is_migrated_in_files_of_compat_v1_too(imported: str) -> None:
    """Whoever changed only the import is as far as any other program."""
    after = migrated(f"{imported}y = tf.contrib.layers.flatten(tf.placeholder(tf.float32))\n")
    assert "y = layers.flatten(tf.placeholder(tf.float32))\n" in after


@pytest.mark.parametrize(
    "text",
    [
        (
            "def f():\n  import tensorflow as tf\n  x = tf.placeholder(tf.float32)\n"
            "  return tf.train.match_filenames_once('*.csv'), x\n"
        ),
        (
            "def f(x):\n  import tensorflow as tf\n  layers = tf.contrib.layers\n"
            "  return layers.flatten(tf.placeholder(x))\n"
        ),
        (
            "def train(ps, job, cluster):\n  import tensorflow as tf\n"
            "  server = tf.train.Server(cluster, job, 0)\n"
            "  if job == 'ps':\n    server.join()\n    return\n"
            "  setter = tf.train.replica_device_setter(cluster=cluster) if ps else None\n"
            "  with tf.device(setter):\n    step = tf.train.get_or_create_global_step()\n"
            "    w = tf.get_variable('w', [])\n"
            "    op = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, step)\n"
            "  with tf.train.MonitoredTrainingSession(server.target) as s:\n"
            "    while not s.should_stop():\n      s.run(op)\n"
        ),
    ],
)
def test_a_file_that_needs_no_tensorflow_to_be_imported_stays_so(text: str) -> None:
    after = migrated(text)

    assert "\n  import tensorflow.compat.v1 as tf\n" in after
    top = [line for line in after.splitlines() if line.startswith(("import ", "from "))]
    assert not [line for line in top if "tensorflow" in line or "tfmigrate" in line]
