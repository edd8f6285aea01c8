"""Imports whose uses are all replaced, and whose name something else still reads."""

from __future__ import annotations

import textwrap

import pytest
from support import migrate_tree, migrated, run

from tfmigrate.model.findings import Finding

HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
OPS = "from tensorflow.python.framework import ops\n"
ISINSTANCE = "def check(x):\n    return isinstance(x, ops.Tensor)\n"
USES = OPS + HEAD + ISINSTANCE

# Code that reads `ops` after `ops.Tensor` became `tf.Tensor`.
READERS = {
    "a branch for old versions": "if tf.__version__ < '1.0':\n    ops.get_stats()\n",
    "__all__": "__all__ = ['ops', 'check']\n",
    "more of __all__": "__all__ = []\n__all__ += ['ops']\n",
    "a call of __all__": "__all__ = []\n__all__.extend(['ops', 'check'])\n",
    "a doctest": 'def f():\n    """Converts.\n\n    >>> ops.convert_to_tensor(3)\n    """\n',
    "globals": "def f():\n    return globals()['ops']\n",
    "globals().get": "def f():\n    return globals().get('ops')\n",
    "eval": "def f(kind):\n    return eval('ops.' + kind)\n",
    "a quoted annotation": "def f(x: 'ops.Operation') -> 'ops.Graph':\n    return x\n",
    "del": "del ops\n",
    "except NameError": "try:\n    ops\nexcept NameError:\n    ops = None\n",
}


def program(**files: str) -> tuple[dict[str, str], list[Finding]]:
    """Returns the texts of a program after its migration, and the findings that are left."""
    changed, found = migrate_tree({f"{name}.py": text for name, text in files.items()})
    after = {name: changed.get(f"{name}.py", text) for name, text in files.items()}
    return after, [finding for finding in found if not finding.applied]


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_an_import_stays_for_what_still_reads_its_name(reader: str) -> None:
    after = migrated(USES + reader)
    assert OPS in after


def test_an_import_that_nothing_reads_is_removed() -> None:
    assert OPS not in migrated(USES + "LABEL = 'ops'\n")


@pytest.mark.parametrize(
    "reader",
    [
        "from model import ops, check\nprint(ops.Graph, check)\n",
        "import model\nprint(model.ops.Graph, model.check)\n",
        "import model as m\nprint(m.ops.Graph, m.check)\n",
        "from model import *\nprint(ops.Graph, check)\n",
    ],
)
def test_an_import_stays_for_other_files_that_read_its_name(reader: str) -> None:
    after, left = program(model=USES, train=reader)
    assert OPS in after["model"]
    assert left == []


def test_an_import_stays_for_files_that_get_it_through_others() -> None:
    common = "import tensorflow\nfrom model import ops, check\n"
    after, _ = program(model=USES, common=common, train="import common\ncommon.ops.Graph\n")
    assert OPS in after["model"]
    assert after["common"] == common


def test_an_import_that_no_other_file_reads_is_removed_there_too() -> None:
    after, _ = program(
        model=USES, train="import tensorflow\nfrom model import ops, check\ncheck(1)\n"
    )
    assert OPS not in after["model"]
    assert "ops" not in after["train"]


@pytest.mark.parametrize(
    ("imported", "use", "kept"),
    [
        ("contrib.rnn", "GRUCell(3)", "tensorflow.compat.v1.nn.rnn_cell import GRUCell"),
        ("contrib.metrics", "streaming_accuracy(x, x)", "tfmigrate_runtime.metrics import strea"),
        ("contrib.metrics", "streaming_mean(x)", "tensorflow.compat.v1.metrics import mean as s"),
    ],
)
def test_a_name_that_is_exported_is_what_replaces_it(imported: str, use: str, kept: str) -> None:
    name = use.partition("(")[0]
    text = f"from tensorflow.{imported} import {name}\n{HEAD}__all__ = ['{name}']\ny = {use}\n"
    after = migrated(text)
    assert kept in after
    assert f"= {use}" not in after


def test_a_name_that_nothing_replaces_and_that_is_exported_is_reported() -> None:
    text = """\
        import tensorflow as tf
        from tensorflow.contrib.estimator import replicate_model_fn
        __all__ = ["replicate_model_fn"]

        def model_fn(features, labels, mode):
            optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
            loss = tf.get_variable("w", []) * features
            train = optimizer.minimize(loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

        tf.estimator.Estimator(replicate_model_fn(model_fn)).train(lambda: 1)
        """
    left = [f for f in run(textwrap.dedent(text)).findings if not f.applied]
    assert [(f.code, f.line) for f in left] == [("TFM720", 2)]


def test_several_rules_add_an_import_once() -> None:
    model = "from tensorflow.contrib.rnn import GRUCell\n" + HEAD + "cell = GRUCell(3)\n"
    after, _ = program(model=model, train="# tensorflow\nimport model\ncell = model.GRUCell(4)\n")
    assert after["train"].count("import tensorflow.compat.v1 as tf") == 1
    assert "cell = tf.nn.rnn_cell.GRUCell(4)" in after["train"]
