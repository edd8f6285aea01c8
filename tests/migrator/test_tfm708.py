"""TFM708: a file uses names of TensorFlow 1.x and of TensorFlow 2."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrate_tree

CODE = "TFM708"
HEAD = "import tensorflow as tf\n\n"
OLD = "session = tf.Session()\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}{OLD}",
        f"{HEAD}optimizer = tf.optimizers.Adam(0.1)\n",
        f"{HEAD}s = tf.compat.v1.Session()\no = tf.optimizers.Adam(0.1)\n",
        f"{HEAD}{OLD}o = tf.compat.v2.optimizers.Adam(0.1)\n",
        f"{HEAD}{OLD}# tf.optimizers.Adam(0.1)\n",
        f"{HEAD}{OLD}tf.summary.scalar(name='loss', tensor=1.0)\n",
        f"{HEAD}{OLD}tf.compat.v2.summary.scalar(name='loss', data=1.0)\n",
        f"{HEAD}if hasattr(tf, 'Session'):\n  {OLD}else:\n  o = tf.optimizers.Adam(0.1)\n",
    ],
)
def test_one_generation(text: str) -> None:
    assert found(text, CODE) == []


def test_both_are_reported_once_and_the_file_stays() -> None:
    text = f"{HEAD}{OLD}a = tf.optimizers.Adam(0.1)\nb = tf.optimizers.SGD(0.1)\n"
    (finding,) = found(text, CODE)
    assert (finding.line, finding.severity.value) == (4, "manual")
    assert "tf.optimizers.Adam is only in TensorFlow 2" in finding.message
    check_unchanged(text)


def test_a_keyword_that_only_tensorflow_2_takes_counts() -> None:
    text = f"{HEAD}{OLD}tf.summary.scalar(name='loss', data=1.0)\n"
    (finding,) = found(text, CODE)
    assert "argument data of tf.summary.scalar is only in TensorFlow 2" in finding.message
    check_unchanged(text)


def test_a_file_with_such_keywords_alone_is_of_tensorflow_2() -> None:
    summaries = f"{HEAD}def log(loss, step):\n  tf.summary.scalar('loss', loss, step=step)\n"
    train = f"{HEAD}import summaries\n\n{OLD}"
    changed, _ = migrate_tree({"train.py": train, "summaries.py": summaries})
    assert list(changed) == ["train.py"]


def test_a_demand_for_tensorflow_2_counts() -> None:
    text = f"{HEAD}assert tf.__version__ >= '2.0'\n{OLD}"
    (finding,) = found(text, CODE)
    assert "requires TensorFlow 2" in finding.message
    check_unchanged(text)


def test_a_function_of_a_library_of_tensorflow_1_may_need_eager_mode() -> None:
    """spotify-tensorflow: its data frames are eager, and its Datasets are not."""
    library = f"{HEAD}def frame():\n  assert tf.executing_eagerly()\n\ndef features():\n"
    library += "  return tf.FixedLenFeature([], tf.int64)\n"
    assert found(library, CODE) == []
    script = f"{library}\nif __name__ == '__main__':\n  frame()\n"
    assert len(found(script, CODE)) == 1


def test_a_question_about_the_version_may_be_in_another_file() -> None:
    """tensorpack: ``if is_tfv2() and isinstance(opt, tf.optimizers.Optimizer)``."""
    compat = "from tensorflow.python import tf2\n\ndef is_2():\n  return tf2.enabled()\n"
    text = f"{HEAD}from compat import is_2\n\ndef train():\n  {OLD}"
    text += "  if is_2():\n    o = tf.optimizers.Adam(0.1)\n"
    for asks, count in ((compat, 0), (compat.replace("tf2.enabled()", "3"), 1)):
        _, findings = migrate_tree({"main.py": text, "compat.py": asks})
        assert len([f for f in findings if f.code == CODE]) == count


def test_what_another_file_finds_out_keeps_no_name_from_being_migrated() -> None:
    versions = "import sys\n\nPY3 = sys.version_info[0] == 3\n"
    text = f"{HEAD}from versions import PY3\n\nif PY3:\n  {OLD}"
    changed, _ = migrate_tree({"main.py": text, "versions.py": versions})
    assert "tensorflow.compat.v1" in changed["main.py"]


def test_the_program_of_such_a_file_waits() -> None:
    changed, findings = migrate_tree(
        {
            "main.py": f"{HEAD}import model\n\nx = tf.placeholder(tf.float32)\nmodel.train(x)\n",
            "model.py": f"{HEAD}def train(x):\n  {OLD}  o = tf.optimizers.Adam(0.1)\n",
        }
    )
    assert [f.path for f in findings if f.code == CODE] == ["model.py"]
    assert "model.py" not in changed


def test_the_tools_of_tensorflow_1_are_no_names_of_tensorflow_2() -> None:
    text = "from tensorflow.tools.tfprof import tfprof_log_pb2\nimport tensorflow as tf\n"
    text += "tfprof_log_pb2.OpLog()\ntf.placeholder(tf.float32)\n"
    assert found(text, CODE) == []
