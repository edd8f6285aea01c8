"""Where programs of TensorFlow 1.x are switched to graph mode: once, in the file that is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import check_unchanged, findings, migrate_tree, migrated

from tfmigrate.cli import main

MODEL = """\
import tensorflow as tf

def run():
  x = tf.placeholder(tf.float32, [None, 5])
  w = tf.get_variable('w', [x.get_shape()[1].value, 1])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return session.run(w, {x: [[0] * 5]})
"""
MAIN = "if __name__ == '__main__':\n  model.run()\n"
SWITCH = "tf.disable_v2_behavior()\n"


def test_only_the_file_that_is_run_is_switched() -> None:
    changed, _ = migrate_tree(
        {"main.py": "import tensorflow as tf\nimport model\n\n" + MAIN, "model.py": MODEL}
    )
    assert "disable" not in changed["model.py"]
    assert changed["main.py"] == (
        "import tensorflow as tf\nimport model\n\ntf.compat.v1.disable_v2_behavior()\n\n" + MAIN
    )


def test_the_file_that_is_run_need_not_name_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text('"""Runs it."""\nimport os\nimport model\n\n' + MAIN)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "old.py").write_text("import model\nif __name__ == '__main__':\n  print 1\n")
    (tmp_path / "unrelated.py").write_text("import os\n" + MAIN)
    # old.py is Python 2 and does not name TensorFlow: nothing is known of it, and nothing said.
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / "main.py").read_text() == (
        '"""Runs it."""\nimport os\nimport model\nimport tensorflow.compat.v1 as tf\n\n'
        f"{SWITCH}\n{MAIN}"
    )
    assert (tmp_path / "unrelated.py").read_text() == "import os\n" + MAIN
    before = [path.read_text() for path in sorted(tmp_path.glob("*.py"))]
    assert main([str(tmp_path)]) == 0
    assert [path.read_text() for path in sorted(tmp_path.glob("*.py"))] == before


@pytest.mark.parametrize(
    ("estimator", "switch"),
    [
        ("tf.estimator.ModeKeys.TRAIN", "disable_v2_behavior"),
        ("tf.contrib.learn.ModeKeys.TRAIN", "disable_v2_behavior"),
        ("tf.estimator.Estimator(tf.estimator.ModeKeys.TRAIN)", "disable_eager_execution"),
        ("tf.contrib.learn.Estimator(run)", "disable_eager_execution"),
    ],
)
def test_names_of_modes_are_no_estimator(estimator: str, switch: str) -> None:
    """Programs that train in sessions, such as google/nmt, take these for their own modes."""
    text = f"{MODEL}\nmode = {estimator}\nif __name__ == '__main__':\n  run()\n"
    assert f"tf.{switch}()\n" in migrated(text, unsafe=True)


def test_a_script_that_others_import_switches_when_it_is_run() -> None:
    script = MODEL + "\nif __name__ == '__main__':\n  run()\n"
    changed, _ = migrate_tree(
        {"model.py": script, "modern.py": "import model\nimport tensorflow as tf\ntf.optimizers\n"}
    )
    assert changed["model.py"].endswith(f"\nif __name__ == '__main__':\n  {SWITCH}  run()\n")
    assert list(changed) == ["model.py"]


def test_what_is_built_during_an_import_finds_graph_mode() -> None:
    changed, _ = migrate_tree(
        {
            "main.py": "import tensorflow as tf\nimport net\n\ntf.app.run(net.main)\n",
            "net.py": "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n",
        }
    )
    assert changed["main.py"].startswith(
        f"import tensorflow.compat.v1 as tf\n\n{SWITCH}\nimport net\n"
    )
    assert "disable" not in changed["net.py"]


@pytest.mark.parametrize(
    "body",
    [
        "tf.enable_eager_execution()\ntf.set_random_seed(1)\ntf.get_variable('v', [1])\n",
        "tf.app.flags.DEFINE_string('a', '', '')\ntf.logging.info(tf.gfile.Exists('a'))\n",
        "with tf.python_io.TFRecordWriter('a') as writer:\n  writer.write(b'')\n",
        "SCHEMA = {'a': tf.FixedLenFeature([], tf.string), 'b': tf.VarLenFeature(tf.int64)}\n",
    ],
)
def test_programs_that_run_in_either_mode_or_choose_one(body: str) -> None:
    text = f"import tensorflow as tf\n{body}\nif __name__ == '__main__':\n  pass\n"
    assert "disable" not in migrated(text)


KERAS_MODEL = """\
import tensorflow as tf
from tensorflow.keras.layers import Dense

def build():
  return tf.keras.Sequential([Dense(1, input_shape=(5,))])
"""
KERAS_FIT = """\
net = model.build()
net.compile('sgd', 'mse', ['acc'])
net.fit(rows, rows, callbacks=[tf.keras.callbacks.EarlyStopping('val_acc')])
"""


def test_models_of_keras_train_in_graphs_as_in_tensorflow_1() -> None:
    """Eager metrics have other names: what monitors "val_acc" never acted."""
    train = f"import tensorflow as tf\nimport model\n\ntf.set_random_seed(1)\n{KERAS_FIT}"
    changed, reported = migrate_tree({"train.py": train, "model.py": KERAS_MODEL})
    assert "tf.disable_v2_behavior()\n\ntf.set_random_seed(1)\n" in changed["train.py"]
    assert 'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")' in changed["train.py"]
    assert "model.py" not in changed
    assert not [f for f in reported if f.code == "TFM708"]


@pytest.mark.parametrize(
    "text",
    [
        f"import tensorflow as tf\nimport model\n\ntf.random.set_seed(1)\n{KERAS_FIT}",
        "import tensorflow as tf\nimport model\n\ntf.enable_eager_execution()\n"
        f"tf.set_random_seed(1)\n{KERAS_FIT}",
    ],
    ids=["TensorFlow 2", "eager"],
)
def test_models_of_keras_of_other_programs_stay_eager(text: str) -> None:
    changed, _ = migrate_tree({"train.py": text, "model.py": KERAS_MODEL})
    assert not any("disable_v2_behavior" in new for new in changed.values())


@pytest.mark.parametrize(
    ("condition", "switched"),
    [
        ("if args.eager:", True),
        ("if args.eager and not tf.executing_eagerly():", False),
        ("if is_old(tf.VERSION):", False),
        ("if not tf.executing_eagerly():", False),
    ],
)
def test_eager_execution_by_an_option_leaves_graph_mode_to_the_others(
    condition: str, switched: bool
) -> None:
    text = f"import tensorflow as tf\n\n{condition}\n  tf.enable_eager_execution()\ntf.Session()\n"
    assert ("disable_v2_behavior" in migrated(text)) is switched


MODES = """\
import tensorflow as tf

def saved(variables):
  if tf.executing_eagerly():
    return tf.train.Checkpoint(v=variables)
  return tf.train.Saver(variables)
"""


def test_code_for_both_modes_is_of_the_program_that_imports_it() -> None:
    script = "import tensorflow as tf\nimport modes\n\ntf.Session()\nmodes.saved([])\n"
    changed, _ = migrate_tree({"main.py": script, "modes.py": MODES})
    assert changed["modes.py"] == MODES.replace("tensorflow as", "tensorflow.compat.v1 as")
    assert migrate_tree({"main.py": "import modes\n\nmodes.saved([])\n", "modes.py": MODES}) == (
        {},
        [],
    )


def test_an_assertion_of_eager_mode_in_code_for_both_modes_is_not_of_tensorflow_2() -> None:
    text = (
        "import tensorflow as tf\n\ndef read(session, v):\n"
        "  if not tf.executing_eagerly():\n    return session.run(v)\n"
        "  return values(v)\n\ndef values(v):\n  assert tf.executing_eagerly()\n"
        "  return v.numpy()\n\nread(tf.Session(), tf.get_variable('v', []))\n"
    )
    assert "tensorflow.compat.v1" in migrated(text)
    assert findings(text) == []


PACKAGING = {
    "setup.py": "setup(entry_points={'console_scripts': [\n  # 'a=b:c'\n  'go = pkg.cli:go']})",
    "setup.cfg": "[options.entry_points]\nconsole_scripts =\n  go = pkg.cli:go\n",
    "pyproject.toml": '[project]\nname = "pkg"\n[project.scripts]\ngo = "pkg.cli:go"\n',
}


@pytest.mark.parametrize("name", PACKAGING)
@pytest.mark.parametrize("shared", [False, True])
def test_commands_of_a_package_start_programs(tmp_path: Path, name: str, shared: bool) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    files = {
        "__init__.py": "",
        "model.py": MODEL,
        "cli.py": '"""Trains."""\nfrom pkg import model\n\n\ndef go():\n    """Trains."""\n'
        "    model.run()\n\n\nif __name__ == '__main__':\n    go()\n",
        "other.py": "from pkg import cli, model\n\nif __name__ == '__main__':\n    model.run()\n",
    }
    if not shared:
        files["cli.py"] = files["cli.py"].partition("\n\n\nif")[0] + "\n"
        files["other.py"] = files["other.py"].replace("cli, ", "")
    for file, text in files.items():
        (package / file).write_text(text)
    (tmp_path / name).write_text(PACKAGING[name])
    main([str(tmp_path), "--quiet"])
    after = (package / "cli.py").read_text()
    switched = (
        f'    """Trains."""\n    import tensorflow.compat.v1 as tf\n    {SWITCH}    model.run()\n'
    )
    assert (switched in after) is shared
    assert (f"import model\nimport tensorflow.compat.v1 as tf\n\n{SWITCH}" in after) is not shared
    assert after.count("disable_v2_behavior") == 1
    assert "disable_v2_behavior" in (package / "other.py").read_text()
    before = {path: path.read_text() for path in package.iterdir()}
    main([str(tmp_path), "--quiet"])
    assert {path: path.read_text() for path in package.iterdir()} == before


def test_modules_that_import_each_other_by_their_package_select_keras_2() -> None:
    changed, _ = migrate_tree(
        {
            "net/__init__.py": "from net.dense import Dense\nfrom net.cells import cell\n",
            "net/base.py": "class Base:\n  pass\n",
            "net/dense.py": "import tensorflow as tf\nfrom net.base import Base\n\n"
            "class Dense(Base):\n  def run(self):\n    return tf.placeholder(tf.float32)\n",
            "net/cells.py": "import tensorflow as tf\nfrom net.base import Base\n\n"
            "def cell(n):\n  return tf.nn.rnn_cell.BasicLSTMCell(n)\n",
        }
    )
    assert "TF_USE_LEGACY_KERAS" in changed["net/cells.py"]


def test_the_switch_is_called_by_the_shortest_name() -> None:
    text = "import tensorflow.python.platform\nimport tensorflow as tf\n\ntf.Session()\n"
    assert migrated(text) == (
        "import tensorflow.python.platform\nimport tensorflow.compat.v1 as tf\n\n"
        f"{SWITCH}\ntf.Session()\n"
    )


def test_shapes_of_programs_with_an_estimator_are_made_of_dimensions() -> None:
    text = (
        "import tensorflow as tf\n\n"
        "def model_fn(features, labels, mode):\n"
        "  w = tf.get_variable('w', [features.get_shape()[1].value, 1])\n"
        "  return tf.estimator.EstimatorSpec(mode, predictions=tf.matmul(features, w))\n\n"
        "if __name__ == '__main__':\n  tf.estimator.Estimator(model_fn).train(f)\n"
    )
    assert "\n\ntf.disable_v2_tensorshape()\n" in migrated(text)
    assert "disable" not in migrated(text.replace(".value", ""))
    assert "disable" not in migrated(text.replace(".value", ".value()"))


@pytest.mark.parametrize(
    ("dataset", "switched"),
    [
        ("rows()", False),
        ("reader.rows()", False),
        ("tf.data.Dataset.range(8).repeat()", False),
        ("own", False),
        ("rows().map(lambda x: x)", False),
        ("data.repeat().batch(8)", False),
        ("data", True),
        ("reader.data", True),
        ("local", True),
    ],
)
def test_datasets_that_input_functions_copy_are_made_in_graphs(
    dataset: str, switched: bool
) -> None:
    text = f"""
        import tensorflow as tf

        def rows():
          return tf.data.Dataset.range(8)

        def main(reader):
          data = rows()

          def input_fn():
            own, local = rows(), None
            own = rows().repeat()
            local = data
            iterator = {dataset}.make_one_shot_iterator()
            return {{'x': iterator.get_next()}}

          tf.estimator.Estimator(model_fn).train(input_fn)

        if __name__ == '__main__':
          main(None)
        """
    assert ("tf.disable_eager_execution()\n" in migrated(text)) is switched


def test_no_name_of_tensorflow_at_the_top() -> None:
    text = "def f():\n  from tensorflow import placeholder\n  return placeholder('float')\n\nf()\n"
    assert migrated(text).startswith(f"import tensorflow.compat.v1 as tf\n{SWITCH}")


KERAS = 'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n'


def test_layers_of_keras_2_are_asked_for_in_the_file_that_is_run() -> None:
    files = {
        "main.py": "import tensorflow as tf\nimport net\n\nwith tf.Session():\n  net.run()\n",
        "net.py": "import tensorflow as tf\ndef run():\n  return tf.layers.dense(x, 1)\n",
    }
    changed, _ = migrate_tree(files)
    assert changed["main.py"] == (
        "import os\n\nimport tensorflow.compat.v1 as tf\nimport net\n\n"
        f"{KERAS}{SWITCH}\nwith tf.Session():\n  net.run()\n"
    )
    assert "environ" not in changed["net.py"]
    assert migrate_tree(files | changed) == ({}, [])


def test_keras_that_is_needed_by_an_import_is_asked_for_before_it() -> None:
    text = (
        '"""Trains."""\nfrom __future__ import division\nimport tensorflow as tf\n\n'
        "class Model(tf.keras.Model):\n  pass\n\n"
        "if __name__ == '__main__':\n  tf.Session()\n"
    )
    assert migrated(text).startswith(
        f'"""Trains."""\nfrom __future__ import division\n\nimport os\n\n{KERAS}\n'
        f"import tensorflow.compat.v1 as tf\n\n{SWITCH}"
    )


@pytest.mark.parametrize(
    "rest",
    [
        "with tf.Session():\n  cell.Cell()\n",
        # the runtime would ask too late
        "if __name__ == '__main__':\n  tf.contrib.learn.learn_runner.run(f, 'd')\n",
    ],
)
def test_cells_that_are_base_classes_in_other_files_need_keras_2_at_once(rest: str) -> None:
    files = {
        "main.py": f"import cell\nimport tensorflow as tf\n\n{rest}",
        "cell.py": "import tensorflow as tf\nclass Cell(tf.contrib.rnn.RNNCell):\n  pass\n",
    }
    changed, _ = migrate_tree(files)
    assert changed["main.py"].startswith(f"import os\n\n{KERAS}\nimport cell\n")
    assert migrate_tree(files | changed)[0] == {}


def test_the_runtime_asks_for_keras_2_itself() -> None:
    text = (
        "import tensorflow as tf\n\ndef model_fn(features):\n"
        "  return tf.estimator.EstimatorSpec('infer', tf.layers.dense(features, 1))\n\n"
        "if __name__ == '__main__':\n  tf.estimator.Estimator(model_fn).predict(f)\n"
    )
    assert "environ" not in migrated(text)


_OF_COMPAT = "x = tf.placeholder(tf.float32)\nwith tf.Session() as s:\n  s.run(x)\n"
_IN_MAIN = "def main():\n  tf.compat.v1.placeholder(1)\nif __name__ == '__main__':\n  main()\n"


@pytest.mark.parametrize(
    "text",
    [
        f"import tensorflow.compat.v1 as tf\ntf.disable_eager_execution()\n{_OF_COMPAT}",
        f"import tensorflow.compat.v1 as tf\nwith tf.Graph().as_default():\n  pass\n{_OF_COMPAT}",
        f"import tensorflow as tf\ntf.keras.Sequential()\n{_IN_MAIN}",
        f"import tensorflow as tf\ntf.optimizers.Adam()\n{_IN_MAIN}",
        f"import tensorflow as tf\nwith tf.GradientTape():\n  pass\n{_IN_MAIN}",
        "import tensorflow.compat.v1 as tf\ndef f():\n  return tf.placeholder(tf.float32)\n",
        "import tensorflow.compat.v1 as tf\nwith tf.Session() as s:\n  s.run(x)\n",
    ],
)
def test_programs_of_compat_v1_that_run_stay(text: str) -> None:
    check_unchanged(text)


@pytest.mark.parametrize(
    ("text", "switch"),
    [
        (f"import tensorflow.compat.v1 as tf\n{_OF_COMPAT}", "tf.disable_v2_behavior()"),
        (f"import tensorflow as tf\n{_IN_MAIN}", "tf.compat.v1.disable_v2_behavior()"),
    ],
)
def test_programs_of_compat_v1_that_never_switched_do(text: str, switch: str) -> None:
    """They ran on TensorFlow 1.15, where nothing had to be switched."""
    head, _, rest = text.partition("\n")
    blank = "\n\n" if rest.startswith("def") else "\n"
    assert migrated(text) == f"{head}\n\n{switch}\n{blank}{rest}"


@pytest.mark.parametrize("again", ["tf, y = 1, 2", "for tf in []: pass", "with f() as tf: pass"])
def test_a_file_that_binds_tensorflows_name_again_gets_one_switch(again: str) -> None:
    imports = "import tensorflow as tf\nfrom tensorflow import placeholder\n"
    before = f"{imports}x = placeholder(int)\n{again}\n"
    assert migrated(before).count("disable_v2_behavior") == 1


def test_os_is_imported_above_a_setting_that_stands_among_imports() -> None:
    files = {
        "model.py": "import tensorflow as tf\nzero = tf.constant(0)\n"
        "def net(x): return tf.layers.dense(x, 3)\n",
        "train.py": "from config import steps\nfrom model import net\n\n"
        "import tensorflow as tf\nimport os\n\nprint(os.getpid())\nnet(tf.placeholder('float'))\n",
    }
    texts, _ = migrate_tree(files)
    lines = texts["train.py"].splitlines()
    setting = lines.index('os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")')
    assert lines.index("import os") < setting < lines.index("from model import net")
    assert lines.count("import os") == 1
