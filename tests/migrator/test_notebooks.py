from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfmigrate import cli
from tfmigrate.magics import is_foreign, masked
from tfmigrate.notebook import decode_notebook
from tfmigrate.source import TextRefused, UnreadableFile

MODEL = """\
import tensorflow as tf

def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)"""
MAGIC = "%matplotlib inline\n!pip install \\\n  'it''s'\nfiles = !ls *.csv\nmodel_fn?"
SHELL = "%%bash\necho 'import tensorflow as tf"
TRAIN = """\
%%time
estimator = tf.estimator.Estimator(
    tf.contrib.estimator.replicate_model_fn(model_fn))  # all GPUs
if estimator:
    %timeit 1 + 1
estimator.train(input_fn)"""
CELLS = [MODEL, MAGIC, "", SHELL, TRAIN]


def notebook(*cells: str, indent: int | None = 1, ascii_only: bool = False) -> bytes:
    """Returns a notebook as Jupyter writes it: a text cell, then code cells of these texts."""
    code = [
        {
            "cell_type": "code",
            "execution_count": 7,
            "metadata": {"scrolled": True},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": ["tf.contrib\n"]}],
            "source": cell.splitlines(keepends=True),
        }
        for cell in cells
    ]
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# tf.contrib, \u00e9t\u00e9"]}
    language = {"language_info": {"name": "python", "version": "3.6.4"}}
    document = {"cells": [text, *code], "metadata": language, "nbformat": 4, "nbformat_minor": 2}
    return (json.dumps(document, indent=indent, ensure_ascii=ascii_only) + "\n").encode()


def sources(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]


def ast_lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("cell", "is_shell"),
    [
        ("%%bash\nls -l", True),
        ("%bash\nfor file in *; do echo $file; done", True),  # as Google Datalab writes it
        ("\n%bq query\nSELECT a FROM b", True),
        ("%%time\nx = 1", False),
        ("%matplotlib inline\nx = 1", False),
        ("%bashful\nx = 1", False),
    ],
)
def test_cells_of_other_languages_stay_unread(cell: str, is_shell: bool) -> None:
    assert is_foreign(cell) == is_shell


@pytest.mark.parametrize(("indent", "ascii_only"), [(1, False), (None, False), (2, True)])
def test_a_program_over_several_cells_is_migrated_and_only_its_lines_change(
    here: Path, indent: int | None, ascii_only: bool
) -> None:
    before = notebook(*CELLS, indent=indent, ascii_only=ascii_only)
    path = here / "train.ipynb"
    path.write_bytes(before)
    assert cli.main(["-q", "."]) == 0
    after = path.read_bytes()
    text, model, magic, empty, shell, train = sources(after)
    assert (text, magic, empty, shell) == (sources(before)[0], MAGIC, "", SHELL)
    assert model.startswith("import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import")
    assert "TowerOptimizer" not in model
    assert train.startswith("%%time\n")
    assert "\n    %timeit 1 + 1\n" in train
    assert "# all GPUs" in train
    assert "replicate_model_fn" not in train
    expected = json.loads(before)
    for cell, new in zip(expected["cells"], sources(after), strict=True):
        cell["source"] = new.splitlines(keepends=True)
    layout = json.dumps(expected, indent=indent, ensure_ascii=ascii_only) + "\n"
    assert after == layout.encode()
    assert cli.main(["-q", "."]) == 0
    assert path.read_bytes() == after


def test_findings_name_the_cell_and_the_line_in_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.ipynb").write_bytes(notebook(MODEL, "%matplotlib inline", "\n" + "x = 1\n" + TRAIN))
    assert cli.main(["--check", "."]) == 1
    output = capsys.readouterr().out
    assert "a.ipynb:cell 2:5:17  TFM202" in output
    assert "a.ipynb:cell 4:5:5 " in output
    assert cli.main(["--diff", "."]) == 1
    assert "--- a/a.ipynb\n+++ b/a.ipynb\n" in capsys.readouterr().out


def test_findings_stand_in_the_order_of_the_cells(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uses = ["tf.contrib.tpu.Unknown()", "tf.contrib.gan.Unknown()"]
    (here / "a.ipynb").write_bytes(notebook(MODEL, *["x = 1"] * 9, TRAIN, *uses))
    cli.main(["--check", "."])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("a.ipynb")]
    cells = [int(line.split("cell ")[1].split(":")[0]) for line in lines]
    assert cells == sorted(cells)
    assert {2, 12, 13, 14} <= set(cells)


def test_a_cell_that_does_not_parse_is_named_and_the_notebook_stays(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = notebook(MODEL, "x = 1\nif x\n  pass")
    (here / "a.ipynb").write_bytes(data)
    assert cli.main(["."]) == 2
    assert "a.ipynb:cell 3:2:5  TFM900  error    cannot be parsed" in capsys.readouterr().err
    assert (here / "a.ipynb").read_bytes() == data


def test_a_notebook_that_only_printed_something_of_tensorflow_is_not_told_of(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A warning in an output names the folder that TensorFlow was installed in."""
    printed = b"/envs/tensorflow/lib/python3.6"
    data = notebook("import nltk\nx = [1").replace(b"tf.contrib\\n", printed)
    assert printed in data
    (here / "a.ipynb").write_bytes(data)
    (here / "b.py").write_text("import tensorflow as tf\nx = tf.contrib.training.HParams()\n")
    assert cli.main(["."]) == 0
    assert "a.ipynb" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"", "1:1", "no JSON object"),
        (b"version https://git-lfs.github.com/spec/v1\n", "1:1", "no JSON object"),
        (b'{"cells": [{]}', "1:13", "not a notebook"),
        (b'{\n "cells": 1}', "2:11", "no [ where one has to stand"),
        (b'{"cells": [{"cell_type": "code", "source": 3}]}', "1:44", "is no text"),
        (b'{"metadata": {}}', "1:1", "has no cells"),
        (b'{"cells": "\xff"}', "1:1", "not valid UTF-8"),
    ],
)
def test_what_is_no_notebook_is_refused_in_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], data: bytes, place: str, words: str
) -> None:
    (here / "a.ipynb").write_bytes(data)
    assert cli.main(["a.ipynb"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"a.ipynb:{place}  TFM901")
    assert words in lines[0]


def test_a_notebook_of_another_language_is_left_alone(here: Path) -> None:
    data = notebook("library(tensorflow)\nx <- tf$contrib").replace(b'"python"', b'"R"')
    (here / "a.ipynb").write_bytes(data)
    assert cli.main(["-q", "a.ipynb"]) == 0
    assert (here / "a.ipynb").read_bytes() == data


def test_notebooks_of_the_third_format_and_sources_of_one_string_keep_their_form(
    here: Path,
) -> None:
    program = f"{MODEL}\n{TRAIN.removeprefix('%%time')}"
    cell = {"cell_type": "code", "language": "python", "input": program, "outputs": []}
    document = {"metadata": {}, "nbformat": 3, "worksheets": [{"cells": [cell]}]}
    (here / "a.ipynb").write_text(json.dumps(document))
    assert cli.main(["-q", "."]) == 0
    after = (here / "a.ipynb").read_text()
    new = json.loads(after)["worksheets"][0]["cells"][0]["input"]
    assert new.startswith("import tensorflow.compat.v1 as tf\n")
    cell["input"] = new
    assert after == json.dumps(document)


def test_statements_that_would_stand_in_two_cells_are_refused() -> None:
    data = notebook("x = 1", "y = 2", "%time")
    file = decode_notebook(data, Path("a.ipynb"), "a.ipynb")
    assert file.encode(file.text) == data
    for bad in (
        file.text.replace("# tfmigrate: cell 3", "    # tfmigrate: cell 3"),
        file.text.replace("# tfmigrate: cell 3\n", ""),
        file.text.replace("_tfmigrate_line_4_1", ""),
        file.text.replace("x = 1", "x = (1"),
    ):
        with pytest.raises(TextRefused):
            file.fit(bad)


def test_a_cell_that_holds_a_boundary_of_ours_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="do not turn back"):
        decode_notebook(notebook("x = 1\n# tfmigrate: cell 9\n"), Path("a.ipynb"), "a.ipynb")


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("%matplotlib inline", 1),
        ("if x:\n    !ls\n    y = 1", 1),
        ("!pip install a \\\n   b \\\n   c\nx = 1", 3),
        ("x = %env HOME\ny, z = !ls\n?print\nprint??", 4),
        ("s = '''\n%no magic\n!nor this\n'''\n%time", 1),
        ("x = (1\n % 2)\n%time", 1),
        ("x = 1 \\\n  % 2\n!echo it's", 1),
        ("x = 'a\\\n%b'\n%time", 1),
        ("x = 5\n% time", 1),
        ("x = 7 % 2\ny = x != 3", 0),
    ],
)
def test_exactly_what_is_no_python_has_names(cell: str, names: int) -> None:
    found = masked(cell, 3)
    assert len(found.originals) == names
    assert found.unmasked(found.text) == cell
    assert found.text.count("\n") == cell.count("\n")
    ast.parse(found.text)


@settings(deadline=None)  # a loaded machine is no failure
@given(st.lists(st.text("a=1 %!?#'\"\\\n\r\f([)\u00e9\u2028", max_size=12), max_size=4))
def test_any_cells_turn_back_into_the_same_file(cells: list[str]) -> None:
    data = notebook(*cells)
    file = decode_notebook(data, Path("a.ipynb"), "a.ipynb")
    assert file.encode(file.text) == data
    for cell in file.cells:
        assert cell.masked.unmasked(cell.masked.text) == cell.source.text
        head = f"# tfmigrate: cell {cell.source.number}\n\n"
        before = file.text.partition(head)[0] + head if head in file.text else ""
        line = len(ast_lines(before))
        assert file.where(line, 1) == (cell.source.number, 1, 1)
