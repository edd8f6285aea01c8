"""Where programs start: which files get the switch to graph mode, whatever calls what they do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import check_unchanged, migrate_tree, migrated, run

from tfmigrate.cli import main

SWITCH = "tf.disable_v2_behavior()\n"
KERAS_LAYERS = "from tensorflow.keras import layers\n"
SETTING = 'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n'
HEAD = "import tensorflow.compat.v1 as tf\n"
MAIN = """\
def main(argv=None):
  x = tf.placeholder(tf.float32)
  with tf.Session() as session:
    print(session.run(x * 2, {x: 4.0}))
"""
TRAINER = """\
class Trainer:
  def run(self):
    x = tf.placeholder(tf.float32)
    with tf.Session() as session:
      print(session.run(x * 2, {x: 4.0}))
"""
# What each program does when it is executed; all of them print 8.0.
ENTRIES = {
    "exit": ("import sys\n", MAIN, "sys.exit(main())\n"),
    "method": ("", TRAINER, "Trainer().run()\n"),
    "object": ("", TRAINER, "trainer = Trainer()\ntrainer.run()\n"),
    "absl": ("from absl import app\n", MAIN, "app.run(main)\n"),
    "fire": ("import fire\n", MAIN, "fire.Fire(main)\n"),
    "assigned": ("", MAIN, "r = main()\n"),
    "printed": ("", MAIN, "print(main())\n"),
    "try": ("", MAIN, "try:\n  main()\nfinally:\n  print('done')\n"),
    "for": ("", MAIN, "for _ in range(1):\n  main()\n"),
    "if": ("import sys\n", MAIN, "if len(sys.argv) > 0:\n  main()\n"),
    "with": ("", MAIN, "with open(__file__):\n  main()\n"),
    "click": ("import click\n", "@click.command()\n" + MAIN.replace("argv=None", ""), "main()\n"),
    "sacred": (
        "from sacred import Experiment\n",
        "ex = Experiment()\n@ex.automain\n" + MAIN.replace("argv=None", ""),
        "",
    ),
    "arguments": (
        "import argparse\n",
        MAIN,
        "parser = argparse.ArgumentParser()\nargs = parser.parse_args()\nmain(args)\n",
    ),
    "through": ("", MAIN + "def start():\n  main()\n", "start()\n"),
    "thread": (
        "import threading\n",
        MAIN,
        "worker = threading.Thread(target=main)\nworker.start()\nworker.join()\n",
    ),
    "bare": ("", "x = tf.placeholder(tf.float32)\n", "print(tf.Session().run(x * 2, {x: 4.0}))\n"),
    "no session": ("", "v = tf.get_variable('v', [1])\n", "print(v, 8.0)\n"),
    "unittest": (
        "import unittest\n",
        "class Test(unittest.TestCase):\n  def test(self):\n    print(tf.Session().run("
        "tf.placeholder_with_default(8.0, [])))\n",
        "unittest.main()\n",
    ),
    "tf.test": (
        "",
        "class Test(tf.test.TestCase):\n  def test_it(self):\n    print(tf.Session().run("
        "tf.placeholder_with_default(8.0, [])))\n",
        "tf.test.main()\n",
    ),
    "block": ("", MAIN, "if '__main__' == __name__:\n  main()\n"),
}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_forms_of_entry(entry: tuple[str, str, str]) -> None:
    imports, body, rest = entry
    after = migrated(f"import tensorflow as tf\n{imports}\n{body}\n{rest}")
    assert after == f"{HEAD}{imports}\n{SWITCH}\n{body}\n{rest}"


@pytest.mark.parametrize(
    ("lines", "is_script"),
    [
        ("m = tf.keras.Sequential()\nm.compile(tf.train.AdamOptimizer(), 'mse')\n", True),
        ("tf.losses.add_loss(tf.constant(1.0))\n", True),
        ("x = tf.contrib.slim.flatten(1)\ntf.contrib.slim.learning.train(x, 'd')\n", True),
        ("x = tf.losses.get_losses()\n", False),
        ("tf.logging.set_verbosity(1)\nx = tf.losses.get_losses\n", False),
        ("hp = tf.contrib.training.HParams(a=1)\nhp.add_hparam('b', 2)\n", False),
    ],
)
def test_lines_that_only_scripts_have(lines: str, is_script: bool) -> None:
    after = run(f"import tensorflow as tf\n{lines}")
    (text,) = after.texts.values()
    assert ("tf.disable_v2_behavior()" in text) is is_script
    needed = after.unstarted == [] if "HParams" in lines or is_script else after.unstarted != []
    assert needed


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "NAMES = frozenset(['a'])\nprint(len(NAMES))\n",
        "def size():\n  return 3\n\nSIZE = size()\n",
        "INITIALIZER = tf.truncated_normal_initializer(0.0, 0.1)\n",
        "'''if __name__ == '__main__': main()'''\n",
        "if __doc__ == '__main__':\n  pass\n",
    ],
)
def test_libraries_get_no_switch(rest: str) -> None:
    assert "disable" not in migrated(f"import tensorflow as tf\n\n{MAIN}\n{rest}")


MODEL = f"import tensorflow as tf\n\n{MAIN}"


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("__main__.py", "import model\n\nmodel.main()\n"),
        ("run.py", "from model import main\n\nmain()\n"),
        ("run.py", "import model\n\nfor _ in range(2):\n  result = model.main()\n"),
        ("run.py", "import numpy\nimport bare\n\nprint(bare.x)\n"),
        ("run.py", "import fire\nimport model\n\nfire.Fire(model.main)\n"),
        ("run.py", "import model\n\ndef go():\n  model.main()\n\ngo()\n"),
        ("test_model.py", "import model\n\ndef test_it():\n  model.main()\n"),
    ],
)
def test_starts_that_do_not_name_tensorflow(tmp_path: Path, name: str, start: str) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / name).write_text(start)
    (tmp_path / "other.py").write_text("import model\n\nNAMES = ['a']\n")
    (tmp_path / "bare.py").write_text("import tensorflow as tf\nx = tf.placeholder('float')\n")
    assert main([str(tmp_path)]) == 0
    after = (tmp_path / name).read_text()
    assert f"{HEAD}{SWITCH}" in after.replace("\n\n", "\n")
    assert "disable" not in (tmp_path / "model.py").read_text()
    assert (tmp_path / "other.py").read_text() == "import model\n\nNAMES = ['a']\n"
    assert main([str(tmp_path), "--check"]) == 0


def test_a_library_that_a_start_imports_is_none() -> None:
    changed, _ = migrate_tree(
        {
            "layers.py": "import tensorflow as tf\n\ndef build():\n  return tf.get_variable('v', "
            "[1])\n\nREADY = bool(build)\nTABLE = build()\n",
            "train.py": "import tensorflow as tf\nimport layers\n\nif __name__ == '__main__':\n"
            "  tf.Session().run(layers.TABLE)\n",
        }
    )
    assert "disable" not in changed["layers.py"]
    # layers.py builds while it is imported
    assert changed["train.py"].startswith(f"{HEAD}\n{SWITCH}\nimport layers\n")


PLACES: Mapping[str, tuple[str, str]] = {
    "later imports": (
        "import tensorflow as tf\nimport os\n\ntf.Session().run(tf.constant(1))\n\nimport json\n",
        f"{HEAD}import os\n\n{SWITCH}\ntf.Session().run(tf.constant(1))\n\nimport json\n",
    ),
    "what prepares imports": (
        "import tensorflow as tf\nimport matplotlib\nmatplotlib.use('Agg')\nfrom net import f\n"
        "try:\n  import cPickle\nexcept ImportError:\n  import pickle\n\nx = tf.Session()\n",
        f"{HEAD}import matplotlib\nmatplotlib.use('Agg')\nfrom net import f\n"
        f"try:\n  import cPickle\nexcept ImportError:\n  import pickle\n\n{SWITCH}\n"
        "x = tf.Session()\n",
    ),
    "code of others between imports": (
        "import tensorflow as tf\nimport net\nnet.start()\nimport json\n\nx = tf.Session()\n",
        f"{HEAD}import net\n\n{SWITCH}\nnet.start()\nimport json\n\nx = tf.Session()\n",
    ),
    "imported again": (
        "import tensorflow as tf\ntf.Session()\nimport tensorflow as tf\ntf.Session()\n",
        f"{HEAD}\n{SWITCH}\ntf.Session()\n{HEAD}tf.Session()\n",
    ),
    "another import first": (
        "from tensorflow.examples.tutorials.mnist import input_data\nimport tensorflow as tf\n"
        "tf.Session()\n",
        f"from tfmigrate_runtime.datasets.mnist import input_data\n{HEAD}\n{SWITCH}\n"
        "tf.Session()\n",
    ),
    "try": (
        "try:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None\ntf.Session()\n",
        f"try:\n  {HEAD}  {SWITCH}except ImportError:\n  tf = None\ntf.Session()\n",
    ),
    "if": (
        "if True:\n  import tensorflow as tf\ntf.Session()\n",
        f"if True:\n  {HEAD}  {SWITCH}tf.Session()\n",
    ),
    "in the block": (
        "if __name__ == '__main__':\n  import tensorflow as tf\n  tf.Session()\n",
        f"if __name__ == '__main__':\n  {HEAD}  {SWITCH}  tf.Session()\n",
    ),
    "in a function": (
        "def main():\n  import tensorflow as tf\n  tf.Session()\n\nmain()\n",
        f"def main():\n  {HEAD}  {SWITCH}  tf.Session()\n\nmain()\n",
    ),
    "global": (
        "def load():\n  global tf\n  import tensorflow as tf\n\ndef main():\n  load()\n"
        "  tf.Session()\n\nmain()\n",
        f"def load():\n  global tf\n  {HEAD}  {SWITCH}\ndef main():\n  load()\n"
        "  tf.Session()\n\nmain()\n",
    ),
    "a part of tensorflow": (
        "import tensorflow.keras.backend\nfrom tensorflow import Session\nSession()\n",
        "import tensorflow.keras.backend\nfrom tensorflow.compat.v1 import Session\n\n"
        "tensorflow.compat.v1.disable_v2_behavior()\n\nSession()\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=PLACES)
def test_place_of_the_switch(before: str, after: str) -> None:
    assert migrated(before) == after


def test_os_is_imported_before_keras_2_is_asked_for() -> None:
    net = (
        "import tensorflow as tf\nx = tf.placeholder('float')\ndef f():\n  tf.layers.dense(x, 1)\n"
    )
    start = "# tensorflow\nimport net\nfrom net import *\n\nprint(net.x)\n"
    changed, _ = migrate_tree({"main.py": start, "net.py": net})
    assert changed["main.py"].startswith(
        f'# tensorflow\nimport os\n\n{HEAD}os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n'
    )


def test_os_is_imported_above_a_file_that_imports_nothing_else() -> None:
    text = "from __future__ import print_function\n\ndef main():\n  import tensorflow as tf\n"
    text += "  with tf.Session():\n    tf.layers.dense(net.f(1), 1)\n\nimport net\nmain()\n"
    net = "import tensorflow as tf\ndef f(x):\n  return tf.placeholder(x)\n"
    changed, _ = migrate_tree({"main.py": text, "net.py": net})
    after = changed["main.py"]
    assert 0 < after.index("import os\n") < after.index("os.environ")


def test_switch_before_a_file_that_builds_while_it_is_imported() -> None:
    changed, _ = migrate_tree(
        {
            "main.py": "import os\nimport net\nimport tensorflow as tf\n\n"
            "with tf.Session() as session:\n  session.run(net.x)\n",
            "net.py": "import tensorflow as tf\nx = tf.constant(1) + tf.placeholder('int32')\n",
        }
    )
    assert changed["main.py"].startswith(f"import os\n{HEAD}{SWITCH}import net\n\nwith")


@pytest.mark.parametrize(
    ("body", "is_script"),
    [("print(build(3))\n", True), ("def f():\n  build(3)\n", False), ("print(3)\n", False)],
)
def test_a_script_that_takes_all_names_of_its_module(body: str, is_script: bool) -> None:
    net = "import tensorflow as tf\n\ndef build(n):\n  return tf.Session().run(tf.zeros([n]))\n"
    changed, _ = migrate_tree(
        {"net.py": net, "main.py": f"# tensorflow\nfrom net import *\n{body}"}
    )
    assert ("disable_v2_behavior" in changed.get("main.py", "")) is is_script


MODERN = [
    "assert tf.version.VERSION.startswith('2.')\nassert tf.executing_eagerly()\n",
    "assert int(tf.__version__.split('.')[0]) >= 2\n",
    "if tf.__version__[0] != '2':\n  raise RuntimeError('TensorFlow 2')\n",
    "@tf.function\ndef step(x):\n  return x\n",
    "assert tf.executing_eagerly()\n",
]


@pytest.mark.parametrize("text", MODERN)
@pytest.mark.parametrize("rest", ["tf.argmax(x, 1)\n", "def old():\n  return tf.Session()\n"])
def test_programs_of_tensorflow_2_are_never_switched(text: str, rest: str) -> None:
    check_unchanged(f"import tensorflow as tf\n{text}{rest}")


HELPER = "import tensorflow as tf\n\ndef batches(x):\n  return tf.data.Dataset.from_tensors(x)\n"
KERAS_3 = """\
import tensorflow as tf
import helper

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile('sgd', 'mse')
model.fit(helper.batches(tf.Variable([1.0])))
"""
OLD = "import helper\nimport tensorflow as tf\n\nwith tf.Session():\n  helper.batches([1.0])\n"


@pytest.mark.parametrize(
    "modern",
    [
        KERAS_3,
        KERAS_3.replace("model.compile", "@tf.function\ndef f(x):\n  return x\nmodel.compile"),
        "import helper\nimport model_of_keras\n\nif __name__ == '__main__':\n  helper.batches(0)\n",
    ],
)
def test_programs_of_keras_3_that_share_a_helper_stay(tmp_path: Path, modern: str) -> None:
    files = {
        "helper.py": HELPER + "  tf.Variable\n",
        "modern.py": modern,
        "model_of_keras.py": "import tensorflow as tf\nModel = tf.keras.Model\n",
        "test_helper.py": "import helper\nimport tensorflow as tf\n\ndef test_it():\n"
        "  assert tf.argmax(next(iter(helper.batches([1, 2])))) == 1\n",
        "old.py": OLD,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert main([str(tmp_path)]) == 0
    changed = {n for n, text in files.items() if (tmp_path / n).read_text() != text}
    assert changed == {"old.py"}
    assert "KERAS" not in (tmp_path / "old.py").read_text()


def test_keras_3_beside_a_migrated_program_is_still_looked_at(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(
        "import tensorflow as tf\n\nwith tf.Session() as s:\n  s.run(tf.layers.dense(x, 1))\n"
    )
    assert main([str(tmp_path)]) == 0
    assert "TF_USE_LEGACY_KERAS" in (tmp_path / "old.py").read_text()
    (tmp_path / "modern.py").write_text(
        "import tensorflow as tf\nmetric = tf.keras.metrics.Mean()\nmetric.reset_states()\n"
    )
    assert main([str(tmp_path)]) == 0
    assert "reset_state()" in (tmp_path / "modern.py").read_text()


def test_keras_in_programs_of_tensorflow_1() -> None:
    changed, _ = migrate_tree(
        {
            "main.py": "import tensorflow as tf\nimport agent\n\ninputs = tf.keras.Input([2])\n"
            "agent.train(tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs)))\n",
            "agent.py": "import tensorflow as tf\n\ndef train(model):\n"
            "  with tf.Session() as session:\n    session.run(model.outputs)\n",
        }
    )
    assert "disable_v2_behavior()" in changed["main.py"]
    assert '"TF_USE_LEGACY_KERAS", "1"' in changed["main.py"]


def test_keras_of_an_estimator_program_is_one_keras() -> None:
    text = (
        "import tensorflow as tf\nfrom tensorflow.keras.models import Sequential\n\n"
        "model = Sequential([tf.keras.layers.Dense(1)])\n"
        "model.compile(tf.keras.optimizers.Adam(), 'mse')\n"
        "tf.keras.estimator.model_to_estimator(model)\n"
        "tf.estimator.Estimator(f).train(g)\n\nif __name__ == '__main__':\n  pass\n"
    )
    after = migrated(text.replace("tf.keras.estimator.model_to_estimator(model)\n", ""))
    start = 'import os\n\nos.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n\nimport'
    assert after.startswith(start)
    alone = migrated(
        text.replace("tf.keras.estimator.model_to_estimator(model)\n", "").partition("if __")[0]
    )
    assert alone.startswith(start)


def test_layers_that_were_moved_to_compat_v1_by_hand_ask_for_keras_2() -> None:
    text = (
        f"{HEAD}\n{SWITCH}\ndef main():\n  tf.layers.dense(x, 1)\n\n"
        "if __name__ == '__main__':\n  main()\n"
    )
    assert 'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")' in migrated(text)
    check_unchanged(text.replace("tf.layers.dense", "tf.matmul"))


EXECUTORS = [
    ("rdd", "sc.parallelize(range(2)).foreachPartition(train)\n"),
    ("spark", "from tensorflowonspark import TFCluster\nTFCluster.run(sc, train, args, 2)\n"),
    ("ray", "import ray\nray.remote(train).remote(1)\n"),
    ("joblib", "from joblib import Parallel, delayed\nParallel(2)(delayed(train)(i) for i in x)\n"),
]


@pytest.mark.parametrize("call", [c for _, c in EXECUTORS], ids=[n for n, _ in EXECUTORS])
def test_functions_of_executors_switch_themselves(call: str) -> None:
    inside = f"def train(part):\n  import tensorflow as tf\n  tf.Session()\n\n{call}"
    assert f"  {HEAD}  {SWITCH}  tf.Session()\n" in migrated(inside)
    outside = f"import tensorflow as tf\n\ndef train(part):\n  tf.Session()\n\n{call}"
    assert f"def train(part):\n  {SWITCH}  tf.Session()\n" in migrated(outside)


@pytest.mark.parametrize(
    "call",
    [
        "multiprocessing.Process(target=train).start()\n",
        "multiprocessing.Pool(2).map(train, [1])\n",
        "threading.Thread(target=train).start()\n",
        "dataset.map(train)\n",
    ],
)
def test_functions_of_the_same_program_do_not(call: str) -> None:
    text = (
        "import tensorflow as tf\nimport multiprocessing\nimport threading\n\n"
        f"def train(part=None):\n  tf.Session()\n\nif __name__ == '__main__':\n  {call}"
    )
    assert migrated(text).count("disable_v2_behavior") == 1


@pytest.mark.parametrize(
    "text",
    [
        "from tensorflow.models.embedding import word2vec\n",
        "from tensorflow.nothing import name\n",
        "import tensorflow.models.rnn.ptb.reader as reader\n",
    ],
)
def test_packages_that_compat_v1_has_not_are_not_moved_there(text: str) -> None:
    after = migrated(f"import tensorflow as tf\n{text}tf.Session()\n")
    assert text in after
    codes = [f.code for f in run(f"import tensorflow as tf\n{text}tf.Session()\n").findings]
    assert "TFM717" in codes


def notes(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = main([*arguments, "--format", "json"])
    said: list[str] = json.loads(capsys.readouterr().out)["notes"]
    return code, said


def test_a_library_without_a_start_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL)
    code, said = notes(capsys, str(tmp_path))
    assert code == 0
    assert len(said) == 1
    assert "model.py" in said[0]
    assert "call tf.compat.v1.disable_v2_behavior()" in said[0]
    assert notes(capsys, str(tmp_path)) == (0, [])


@pytest.mark.parametrize("named", [True, False])
def test_a_library_with_a_start_is_not_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], named: bool
) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL)
    (tmp_path / "run.py").write_text(
        f"import model\nimport tensorflow.compat.v1 as tf\n\n{SWITCH}model.main()\n"
    )
    assert notes(capsys, str(model if named else tmp_path)) == (0, [])


def test_a_library_of_model_functions_needs_no_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model.py").write_text(
        "import tensorflow as tf\n\ndef model_fn(features, labels, mode):\n"
        "  loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))\n"
        "  return tf.estimator.EstimatorSpec(mode, loss=loss)\n"
    )
    assert notes(capsys, str(tmp_path)) == (0, [])


@pytest.mark.parametrize(
    ("access", "asks"),
    [
        ("features.get_shape()[1].value", True),
        ("features.shape[-1].value", True),
        ("[d.value for d in features.shape[1:]]", True),
        ("size(features.shape)", True),
        ("tf.Dimension(3)", True),
        ("Color[features.shape].value  # shape", False),
        ("Color.RED.value  # a shape", False),
        ("[c.value for c in Color]  # features.shape[1].value", False),
        ("features.shape[1].value()", False),
    ],
)
def test_dimensions_are_seen_by_structure(access: str, asks: bool) -> None:
    text = (
        "import enum\nimport tensorflow as tf\n\nclass Color(enum.Enum):\n  RED = 1\n\n"
        "def size(shape):\n  _, columns = shape\n  return columns.value\n\n"
        f"def model_fn(features, labels, mode):\n  n = {access}\n"
        "  tf.get_variable('w', [n, 1])\n  return tf.estimator.EstimatorSpec(mode)\n\n"
        "if __name__ == '__main__':\n  tf.estimator.Estimator(model_fn).train(f)\n"
    )
    assert ("disable_v2_tensorshape" in migrated(text)) is asks


def notebook(*cells: str) -> str:
    made = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": c}
        for c in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 2})


@pytest.mark.parametrize(
    ("cells", "after"),
    [
        (
            ["%matplotlib inline\nimport tensorflow as tf", "tf.Session()", "import os"],
            [f"%matplotlib inline\n{HEAD}\n{SWITCH}".rstrip(), "tf.Session()", "import os"],
        ),
        (
            ["import tensorflow as tf\nimport os", "tf.Session()", "import tensorflow as tf\ntf"],
            [f"{HEAD}import os\n\n{SWITCH}".rstrip(), "tf.Session()", f"{HEAD}tf"],
        ),
        (
            ["import model", "model.main()", "import os"],
            [f"import model\n{HEAD}\n{SWITCH}".rstrip(), "model.main()", "import os"],
        ),
        (
            [
                "!pip list",
                "import numpy\nimport os",
                f"import tensorflow as tf\n{KERAS_LAYERS}tf.Session()\nlayers.Dense(1)",
            ],
            [
                "!pip list",
                f"import os\n\n{SETTING}\nimport numpy",
                f"{HEAD}{KERAS_LAYERS}\n{SWITCH}\ntf.Session()\nlayers.Dense(1)",
            ],
        ),
    ],
)
def test_notebooks(tmp_path: Path, cells: list[str], after: list[str]) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    path = tmp_path / "n.ipynb"
    path.write_text(notebook(*cells))
    assert main([str(tmp_path)]) == 0
    found = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    assert found == after


def test_layers_of_keras_2_in_programs_of_tensorflow_2_are_reported() -> None:
    text = (
        "import tensorflow as tf\n\n@tf.function\ndef step(x):\n"
        "  return tf.compat.v1.layers.dense(x, 1)\n\nif __name__ == '__main__':\n  step(x)\n"
    )
    check_unchanged(text)
    assert [(f.code, f.line) for f in run(text).findings] == [("TFM718", 5)]
    chosen = f"import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n{text}"
    assert run(chosen).findings == []


MAIN_BLOCK = "if __name__ == '__main__':\n  main()\n"
TRAINS_AND_RUNS = """\
def model_fn(features, labels, mode):
  loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
  train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

def train(folder):
  tf.estimator.Estimator(model_fn, folder).train(input_fn, steps=1)

"""


@pytest.mark.parametrize(
    ("head", "session"),
    [
        ("import tensorflow as tf", "tf.train.MonitoredTrainingSession()"),
        ("import tensorflow as tf", "tf.Session()"),
        ("import tensorflow.compat.v1 as tf", "tf.Session()"),
    ],
)
def test_a_program_with_an_estimator_and_sessions_runs_in_graph_mode(
    head: str, session: str
) -> None:
    runs = f"def main():\n  with {session} as session:\n    session.run(x)\n\n{MAIN_BLOCK}"
    assert "tf.disable_eager_execution()\n" in migrated(f"{head}\n\n{TRAINS_AND_RUNS}{runs}")


def test_sessions_of_another_file_beside_an_estimator() -> None:
    start = (
        f"import tensorflow as tf\nimport readers\n\n{TRAINS_AND_RUNS}readers.read()\ntrain('a')\n"
    )
    reads = "import tensorflow as tf\n\ndef read():\n{}"
    own = "  with tf.Graph().as_default():\n    with tf.Session() as session:\n      return 1\n"
    plain = "  with tf.Session() as session:\n    return session.run(x)\n"
    for body, switched in ((own, False), (plain, True)):
        changed, _ = migrate_tree({"main.py": start, "readers.py": reads.format(body)})
        assert ("disable_eager_execution" in changed["main.py"]) is switched


def test_an_estimator_alone_needs_no_graph_mode() -> None:
    text = f"import tensorflow as tf\n\n{TRAINS_AND_RUNS}train('a')\n"
    assert "disable_eager_execution" not in migrated(text)
