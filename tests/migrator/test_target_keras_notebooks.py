"""--target keras on notebooks: each cell keeps its statements, and what is added has one place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from test_notebooks import notebook, sources

from tfmigrate import cli
from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.notebook import decode_notebook
from tfmigrate.model.targets import KERAS, TARGETS

FIXTURES = Path(__file__).parents[2] / "fixtures"
OPTIONS = Options(target=TARGETS[KERAS], unsafe=True)
IMPORTS = "%matplotlib inline\nimport numpy as np\nimport tensorflow as tf\nprint(tf.__version__)"
INPUTS = """\
# The data

# eight rows

def input_fn():
    x, y = np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(4)"""
MODEL = """\
def model_fn(features, labels, mode):
    net = tf.layers.dense(features, 1)
    loss = tf.losses.mean_squared_error(labels, net)
    step = tf.train.get_global_step()
    train_op = tf.train.AdamOptimizer().minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)"""
CONFIG = "config = tf.estimator.RunConfig(model_dir='out')"
MADE = "classifier = tf.estimator.Estimator(model_fn, config=config)"
TRAINING = "%%time\nclassifier.train(input_fn, steps=10)\n!ls out"
RESULTS = "classifier.evaluate(input_fn, steps=2)"
CELLS = (IMPORTS, INPUTS, MODEL, "", "# settings", CONFIG, MADE, TRAINING, RESULTS)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.ipynb").write_bytes(notebook(*CELLS))
    return tmp_path


@pytest.mark.parametrize("mode", ["--check", "--diff"])
def test_a_notebook_with_an_estimator_would_become_a_keras_model(
    here: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    assert cli.main(["--target", "keras", mode, "--report", "plan.html", "a.ipynb"]) == 1
    captured = capsys.readouterr()
    assert "a.ipynb:cell 2:1:1  TFM801  fixable" in captured.out + captured.err
    assert "TFM9" not in captured.out + captured.err
    assert (here / "a.ipynb").read_bytes() == notebook(*CELLS)
    assert "TFM801" in (here / "plan.html").read_text("utf-8")


def test_each_cell_keeps_its_statements(here: Path) -> None:
    assert cli.main(["--target", "keras", "-q", "a.ipynb"]) == 0
    after = (here / "a.ipynb").read_bytes()
    _, imports, inputs, model, empty, settings, config, made, training, results = sources(after)
    assert imports.startswith("%matplotlib inline\n")
    assert imports.endswith("import tensorflow as tf\nprint(tf.__version__)")
    assert inputs.startswith("# The data\n\n# eight rows\n\ndef inputs_of(dataset):\n")
    assert inputs.count("# eight rows") == 1
    assert "\n\n\n\n" not in inputs
    assert "\n\ndef input_fn():\n" in inputs
    assert "keras.layers.Dense(1)" in model
    assert (empty, settings, config, made) == ("", "# settings", "", "")
    assert training.startswith("%%time\ntrain_dataset = input_fn()\nclassifier = model_fn(")
    assert training.endswith("train_model(classifier, train_dataset, 'out', steps=10)\n!ls out")
    assert results == "evaluate_model(classifier, input_fn(), 'out', steps=2)"
    assert cli.main(["--target", "keras", "-q", "a.ipynb"]) == 0
    assert (here / "a.ipynb").read_bytes() == after


def in_cells(text: str) -> list[str]:
    """Returns a program with a cell for each function, class and block, and for what follows."""
    lines = text.splitlines(keepends=True)
    kinds = (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.With)
    starts = [s.lineno - 1 for s in ast.parse(text).body if isinstance(s, kinds)]
    ends = [*starts, len(lines)]
    return ["".join(lines[a:b]).rstrip("\n") for a, b in zip([0, *starts], ends, strict=True)]


@pytest.mark.parametrize(
    ("fixture", "code"),
    [
        ("replicate_model_fn/embedding_adagrad", "TFM801"),
        ("experiment/train_then_evaluate", "TFM801"),
        ("contrib_distribute/distribute_config", "TFM801"),
    ],
)
def test_a_program_in_cells_becomes_what_its_file_becomes(fixture: str, code: str) -> None:
    cells = in_cells((FIXTURES / fixture / "original.py").read_text("utf-8"))
    file = decode_notebook(notebook(*cells), Path("a.ipynb"), "a.ipynb")
    result = migrate([file], OPTIONS)
    assert {f.code for f in result.findings if f.applied} == {code}
    after = ast.parse("\n".join(sources(file.encode(result.texts[file.path]))[1:]))
    expected = ast.parse((FIXTURES / fixture / "migrated_keras.py").read_text("utf-8"))
    assert {ast.dump(s) for s in after.body} == {ast.dump(s) for s in expected.body}
