"""Imports that a migration adds, moves and leaves out."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest
from support import check, check_unchanged, migrated, source

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.model.edits import ChangeImport
from tfmigrate.model.targets import EAGER, ESTIMATOR, TARGETS
from tfmigrate.resolve.module import Module
from tfmigrate.rewrite.transformer import rewrite

KERAS = """\
from tensorflow import keras

m = keras.Sequential()
x = tf.placeholder(tf.float32)
sess = tf.Session()
"""
SETTING = 'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"import os\n\n{SETTING}\n"),
        ("#!/usr/bin/env python\n", f"#!/usr/bin/env python\nimport os\n\n{SETTING}\n"),
        ('"""Text."""\n', f'"""Text."""\n\nimport os\n\n{SETTING}\n'),
        (
            "# Licence.\n\nfrom __future__ import division\n\n",
            f"# Licence.\n\nfrom __future__ import division\n\nimport os\n\n{SETTING}\n",
        ),
        ("import sys\n\n", f"import os\nimport sys\n\n{SETTING}\n"),
        # On the line of the first statement that is not an import.
        ("import os; os.chdir('a')\n", f"import os; {SETTING[:-1]}; os.chdir('a')\n"),
        ("import json\nimport sys\n\n", f"import json\nimport os\nimport sys\n\n{SETTING}\n"),
        (
            "from math import pi  # pi\n\nimport numpy\n",
            f"import os\nfrom math import pi  # pi\n\n{SETTING}\nimport numpy\n",
        ),
        ("import os, sys\nimport numpy\n", f"import os, sys\n\n{SETTING}\nimport numpy\n"),
        ("import os.path\nimport numpy\n", f"import os.path\n\n{SETTING}\nimport numpy\n"),
        ("import numpy\nimport os\n", f"import os\n\n{SETTING}\nimport numpy\n"),
    ],
)
def test_an_import_of_the_standard_library_is_put_among_its_own(before: str, after: str) -> None:
    text = migrated(f"{before}import tensorflow as tf\n{KERAS}")
    assert text.startswith(f"{after}import tensorflow.compat.v1 as tf\n")
    assert text.count("import os") == 1


def test_a_name_of_the_standard_library_that_is_taken_is_not_taken_over() -> None:
    text = migrated(
        """\
        from time import time
        import tensorflow as tf

        sys = tf.app.flags.FLAGS

        def main(config):
          sys._parse_flags()
          est = tf.estimator.Estimator(f, config=config)
          return time()
        """
    )
    assert "import sys as sys_module\nfrom time import time\n" in text
    assert "sys(sys_module.argv, known_only=True)" in text


def test_an_import_goes_with_what_used_it() -> None:
    check(
        """\
        # What is trained.
        import tensorflow as tf  # TensorFlow
        from tensorflow.contrib import layers


        def model_fn(mode):
          return tf.estimator.EstimatorSpec(mode)
        """,
        """\
        # What is trained.
        # TensorFlow
        from tfmigrate_runtime import estimator
        from tfmigrate_runtime import layers


        def model_fn(mode):
          return estimator.EstimatorSpec(mode)
        """,
    )


STAYS = {
    "it had no use before": "import json\nimport tensorflow as tf\nx = tf.estimator.Estimator(f)\n",
    "a string names it": (
        "import tensorflow as tf\nx = tf.estimator.Estimator(f)\n__all__ = ['tf']\n"
    ),
    "an annotation names it": (
        "import tensorflow as tf\ndef f(x: 'tf.Tensor'):\n  return tf.estimator.Estimator(x)\n"
    ),
    "it is read by text": "import tensorflow as tf\nx = tf.estimator.Estimator(eval('tf'))\n",
    "it is tried": (
        "try:\n  import tensorflow as tf\nexcept ImportError:\n  pass\n"
        "x = tf.estimator.Estimator(f)\n"
    ),
}


@pytest.mark.parametrize("why", STAYS)
def test_an_import_stays_where(why: str) -> None:
    text = migrated(STAYS[why])
    assert "from tfmigrate_runtime import estimator" in text
    assert ("import json" if "json" in STAYS[why] else "as tf") in text


@pytest.mark.parametrize("taking", ["from a import tf", "import a\na.tf", "from a import *"])
def test_an_import_that_another_file_takes_stays(taking: str) -> None:
    files = {
        "a.py": "import tensorflow as tf\nx = tf.estimator.Estimator(f)\n",
        "b.py": f"import tensorflow\n{taking}\n",
    }
    sources = [source(Path("/nowhere") / name, text) for name, text in files.items()]
    result = migrate(sources, Options())
    assert "as tf" in result.texts[Path("/nowhere/a.py")]


def test_an_import_of_the_programs_own_code_stays() -> None:
    text = migrated(
        """\
        from mine import train_fn
        import tensorflow as tf
        tf.contrib.learn.Experiment(
            estimator=e, train_input_fn=train_fn, eval_input_fn=f).continuous_eval_on_train_data()
        """
    )
    assert "from mine import train_fn\n" in text


def test_comments_of_a_divided_import_stay_with_their_names() -> None:
    check(
        """\
        # cells
        from tensorflow.contrib.rnn import (  # all
            LSTMCell,  # removed
            # the first
            GRUBlockCell,  # block
            # the second
            AttentionCellWrapper)  # end
        from tfmigrate_runtime import estimator


        def cells():
          return estimator, LSTMCell, GRUBlockCell, AttentionCellWrapper
        """,
        """\
        # cells
        # all
        # removed
        from tfmigrate_runtime.rnn import (
            # the first
            GRUBlockCell,  # block
            # the second
            AttentionCellWrapper,
        )  # end
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import estimator


        def cells():
          return estimator, tf.nn.rnn_cell.LSTMCell, GRUBlockCell, AttentionCellWrapper
        """,
    )


def test_comments_stay_with_the_names_that_remain() -> None:
    clauses = "    # above a\n    a,  # a\n    # above b\n    b,  # b\n    c, d  # c and d\n"
    tail = "x = a.A, c.C, d.D\n"
    module = Module(source(Path("a.py"), f"from m import (\n{clauses})\n{tail}"))
    (statement,) = module.all(ast.ImportFrom)
    a, b, c, d = statement.names
    gone = [ChangeImport(statement, a, "from n import a"), ChangeImport(statement, b, "")]
    assert rewrite(module, gone) == (
        f"from m import (\n    # above b\n    # b\n    c, d  # c and d\n)\n"
        f"# above a\nfrom n import a  # a\n{tail}"
    )
    moved = [ChangeImport(statement, alias, f"from n import {alias.name}") for alias in (b, c, d)]
    assert rewrite(module, moved) == (
        "from m import (\n    # above a\n    a  # a\n)\n"
        "from n import (\n    # above b\n    b,  # b\n    c,  # c and d\n    d,\n)\n" + tail
    )


def test_what_chooses_modes_is_set_apart_in_one_group() -> None:
    check(
        """\
        import tensorflow as tf
        # the input
        x = tf.layers.dense(tf.placeholder(tf.float32), 3)
        """,
        """\
        import os

        import tensorflow.compat.v1 as tf

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
        tf.disable_v2_behavior()

        # the input
        x = tf.layers.dense(tf.placeholder(tf.float32), 3)
        """,
    )


def test_an_import_below_a_late_docstring_is_early_enough() -> None:
    check(
        """\
        from __future__ import division

        \'\'\'Trains.\'\'\'
        import os
        import tensorflow as tf

        x = tf.layers.dense(tf.placeholder(tf.float32), 3)
        """,
        """\
        from __future__ import division

        \'\'\'Trains.\'\'\'
        import os
        import tensorflow.compat.v1 as tf

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
        tf.disable_v2_behavior()

        x = tf.layers.dense(tf.placeholder(tf.float32), 3)
        """,
    )


def test_an_import_of_tensorflow_in_the_main_block_does_not_draw_others_there() -> None:
    """It was put below the block: ``NameError`` where the file is imported, and where it is run."""
    ops = source(Path("/nowhere/ops.py"), "import tensorflow as tf\n")
    net = textwrap.dedent(
        """\
        import os
        from ops import *

        arg_scope = tf.contrib.framework.arg_scope

        if __name__ == "__main__":
            import tensorflow as tf
            print(tf.Session())
        """
    )
    path = Path("/nowhere/net.py")
    text = migrate([ops, source(path, net)], Options()).texts[path]
    lines = [line for line in text.splitlines() if "framework" in line]
    assert lines == [
        "from tfmigrate_runtime import framework as tf_framework",
        "arg_scope = tf_framework.arg_scope",
    ]


def test_imports_of_the_runtime_are_sorted() -> None:
    text = migrated(
        """\
        import tensorflow as tf
        r = tf.contrib.learn.RunConfig(tf.contrib.layers.l2_regularizer(1.))
        e = tf.estimator.Estimator(f)
        """
    )
    added = [line for line in text.splitlines() if line.startswith("from tfmigrate_runtime")]
    assert added == sorted(added)
    assert len(added) == 3


CLASHES = {
    "parameter": "def f(estimator):\n  return tf.estimator.RunConfig(estimator)\n",
    "local": "def f():\n  estimator = 1\n  return tf.estimator.RunConfig(estimator)\n",
    "global": "estimator = tf.estimator.RunConfig()\n",
    "class attribute": "class A:\n  estimator = 1\n  c = tf.estimator.RunConfig()\n",
    "loop": "for estimator in x:\n  tf.estimator.RunConfig(estimator)\n",
    "star import": "from mine import *\nc = tf.estimator.RunConfig()\n",
    "no import that is seen": "c = tf.estimator.RunConfig(estimator)\n",
}


@pytest.mark.parametrize("head", ["", "from tensorflow.contrib import estimator as ce\n"])
@pytest.mark.parametrize("clash", CLASHES)
def test_a_name_that_the_file_has_is_left_alone(clash: str, head: str) -> None:
    use = "h = ce.binary_classification_head()\n" if head else ""
    text = migrated(f"import tensorflow as tf\n{head}{CLASHES[clash]}{use}")
    assert "from tfmigrate_runtime import estimator as tf_estimator\n" in text
    assert "tf_estimator.RunConfig(" in text


def test_a_star_import_of_tensorflow_or_of_python_binds_none_of_our_names() -> None:
    text = migrated(
        textwrap.dedent(
            """\
            from math import *
            import tensorflow as tf
            c = tf.estimator.RunConfig()
            """
        )
    )
    assert "from tfmigrate_runtime import estimator\n" in text


IN_FUNCTIONS = """
def main(d):
    import tensorflow as tf
    from tensorflow.contrib.learn import Experiment, learn_runner

    def make(output_dir):
        est = tf.estimator.Estimator(model_fn, output_dir)
        return Experiment(est, train_input_fn=f, eval_input_fn=f, train_steps=10)
    learn_runner.run(make, d)


def model_fn(features, labels, mode):
    import tensorflow as tf
    loss = tf.reduce_mean(features['x'])
    opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=opt.minimize(loss))


def f():
    return None


def towers():
    import tensorflow as tf
    return tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
"""


def test_functions_that_import_tensorflow_import_the_runtime_themselves() -> None:
    """The file can be imported without TensorFlow, and its migrated form too."""
    after = migrated(IN_FUNCTIONS)

    top = [line for line in after.splitlines() if line.startswith(("import", "from"))]
    assert top == []
    assert after.count("from tfmigrate_runtime import estimator") == 3
    assert "strategy = tf.distribute.MirroredStrategy()" in after
    check_unchanged(after)


EAGER_IN_FUNCTIONS = """
def net():
    import tensorflow as tf
    return tf.get_variable('x', [])


def main():
    import tensorflow as tf
    x = net()
    y = x * 2.0
    with tf.Session() as sess:
        sess.run(y)


def again(sess):
    '''Builds by a function that imports TensorFlow.'''
    z = net() * 3.0
    return sess.run(z)
"""
SPLIT_IN_FUNCTIONS = """
def towers(model_fn, input_fn):
    import tensorflow as tf
    fn = tf.contrib.estimator.replicate_model_fn(model_fn)
    tf.estimator.Estimator(fn).train(input_fn, steps=10)


def model(features, labels, mode):
    import tensorflow as tf
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
    loss = tf.reduce_mean(features['x'])
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))
"""
EXPERIMENT_IN_FUNCTIONS = """
def main(estimator, f, g):
    import tensorflow as tf
    e = tf.contrib.learn.Experiment(estimator, train_input_fn=f, eval_input_fn=g, train_steps=9)
    return e.train_and_evaluate()
"""
COORDINATOR_IN_FUNCTIONS = """
def main(FLAGS, ps_hosts, worker_hosts):
    import tensorflow as tf
    cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()
    elif FLAGS.job_name == 'worker':
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 10])
            train_op = make_train_op(x)
        with tf.train.MonitoredTrainingSession(master=server.target) as sess:
            sess.run(train_op, feed_dict={x: next_batch()})
"""


@pytest.mark.parametrize(
    ("before", "options", "has"),
    [
        (EAGER_IN_FUNCTIONS, {"target": TARGETS[EAGER]}, "graphs.Runner() as sess"),
        (SPLIT_IN_FUNCTIONS, {"target": TARGETS[ESTIMATOR]}, "split_batches(input_fn)"),
        (EXPERIMENT_IN_FUNCTIONS, {"target": TARGETS[ESTIMATOR]}, "run_experiment(*e)"),
        (COORDINATOR_IN_FUNCTIONS, {"coordinator": True}, "coordinator.Server(cluster"),
    ],
)
def test_files_that_import_tensorflow_in_functions_stay_so(
    before: str, options: dict[str, object], has: str
) -> None:
    after = migrated(before, **options)
    assert has in after
    top = {line for line in after.splitlines() if line.startswith(("import", "from"))}
    assert top <= {"import inspect", "import time"}
    for node in ast.parse(after).body:  # each function that names TensorFlow imports it
        if isinstance(node, ast.FunctionDef):
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            bound = {a.asname for n in ast.walk(node) if isinstance(n, ast.Import) for a in n.names}
            assert "tf" not in names or "tf" in bound
