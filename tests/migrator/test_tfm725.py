"""TFM725: subclasses that use what the replacement of their base class lacks."""

from __future__ import annotations

import pytest
from support import found, migrate_tree

from tfmigrate.model.targets import TARGETS
from tfmigrate.tables.lost_members import lost_members

HEAD = "import tensorflow as tf\n\n\n"


def _messages(text: str, **options: object) -> list[str]:
    return [f.message for f in found(HEAD + text, "TFM725", **options)]


def _class(base: str, *lines: str) -> str:
    return f"class Mine({base}):\n" + "".join(f"  {line}\n" for line in lines or ("pass",))


@pytest.mark.parametrize(
    "text",
    [
        _class("tf.estimator.Estimator"),
        # Public methods are there, and are called.
        _class("tf.contrib.learn.Experiment", "def train(self, delay_secs=None):", "  return None"),
        # Abstract methods are what a subclass is for.
        _class("tf.contrib.seq2seq.Helper", "def sample(self, time, outputs, state): return 1"),
        # Private names that programs read, and the runtime has.
        _class("tf.estimator.Estimator", "def folder(self): return self._model_dir"),
        _class("tf.estimator.Estimator", "def spec(self, *a): return self._call_model_fn(*a)"),
        _class("tf.contrib.seq2seq.LuongAttention", "def f(self): return self._keys, self._values"),
        _class("tf.contrib.seq2seq.TrainingHelper", "def f(self): return self._sequence_length"),
        # A class that TensorFlow still has, and one that is not a subclass of a replaced one.
        _class("tf.train.SessionRunHook", "def _train_model(self): return self._session_config"),
        _class("object", "def _train_model(self): return self._session_config"),
        # Its own attribute, which the base class would not have used for anything else.
        _class(
            "tf.contrib.seq2seq.BahdanauAttention",
            "def __init__(self, size): self._batch_size = size",
            "def size(self): return self._batch_size",
        ),
    ],
)
def test_subclasses_that_need_nothing(text: str) -> None:
    assert _messages(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            _class("tf.estimator.Estimator", "def _evaluate_run(self, *given): return given"),
            "Mine overrides _evaluate_run of tf.estimator.Estimator",
        ),
        (
            _class("tf.contrib.learn.Experiment", "_call_train = _call_evaluate = None"),
            "Mine overrides _call_evaluate and _call_train of tf.contrib.learn.Experiment",
        ),
        (
            _class(
                "tf.contrib.learn.Experiment",
                "def train(self, delay_secs=None):",
                "  self._start_server()",
                "  return super(Mine, self)._call_train()",
            ),
            "Mine reads _call_train and _start_server of tf.contrib.learn.Experiment",
        ),
        (
            _class("tf.estimator.RunConfig", "def __init__(self, master): self._master = master"),
            "Mine sets _master of tf.estimator.RunConfig",
        ),
        (
            "class Base(tf.estimator.Estimator):\n  pass\n\n\n"
            + _class("Base", "def _train_model(self): return self._convert_train_steps_to_hooks()"),
            "Mine overrides _train_model, reads _convert_train_steps_to_hooks of "
            "tf.estimator.Estimator",
        ),
    ],
)
def test_members_that_the_replacement_lacks(text: str, message: str) -> None:
    assert _messages(text) == [f"{message}, which its replacement lacks"]


def test_what_runs_as_it_is_on_tensorflow_1_15_to_2_15() -> None:
    text = _class("tf.estimator.Estimator", "def _evaluate_run(self): return self._session_config")

    assert _messages(text, target=TARGETS["estimator"]) == []


def test_base_classes_in_other_files() -> None:
    files = {
        "base.py": HEAD + "class Base(tf.contrib.learn.Experiment):\n  pass\n",
        "program.py": "import base, tensorflow\nfrom base import Base\n\n\n"
        + _class("Base", "def _call_train(self): return 1")
        + "\n\nclass Other(base.Base):\n  def _start_server(self): return 1\n",
    }

    _, reported = migrate_tree(files)

    assert [(f.path, f.line) for f in reported if f.code == "TFM725"] == [
        ("program.py", 5),
        ("program.py", 9),
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"net/base.py": "Base", "program.py": "from net.base import Base"},
        {"net/Base.py": "Base", "program.py": "from net.Base import Base"},
        {"net/base.py": "Base", "program.py": "import net.base"},
        {
            "net/base.py": "Base",
            "net/__init__.py": "from .base import Base",
            "program.py": "from net import Base",
        },
        {
            "net/base.py": "Base",
            "net/__init__.py": "from .base import *",
            "program.py": "from net import Base",
        },
    ],
)
def test_a_base_class_of_another_file_is_followed(files: dict[str, str]) -> None:
    base = "net.base.Base" if "import net" in files["program.py"] else "Base"
    texts = {name: f"{text}\n" for name, text in files.items()} | {
        name: f"{HEAD}class Base(tf.estimator.Estimator):\n  pass\n"
        for name, text in files.items()
        if text == "Base"
    }
    mine = f"class Mine({base}):\n  def _evaluate_run(self): return 1\n"
    texts["program.py"] += f"import tensorflow\n{mine}"
    _, reported = migrate_tree({"net/__init__.py": ""} | texts)

    assert [f.path for f in reported if f.code == "TFM725"] == ["program.py"]


def test_the_table_has_what_was_compared() -> None:
    known = lost_members()

    assert "_evaluate_run" in known["tensorflow.estimator.DNNClassifier"]
    assert "model_dir" not in known["tensorflow.estimator.RunConfig"]
    assert not any(name.startswith("__") for those in known.values() for name in those)


def test_members_that_decoders_of_the_runtime_have() -> None:
    text = (
        "import tensorflow as tf\ntf.placeholder(tf.float32)\n\n"
        "class Own(tf.contrib.seq2seq.BasicDecoder):\n"
        "  def size(self):\n    return self._rnn_output_size(), self._cell\n"
    )
    assert found(text, "TFM725") == []
