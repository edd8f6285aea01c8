from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmigrate import cli
from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.magics import is_foreign, masked
from tfmigrate.files.notebook import decode_notebook
from tfmigrate.files.source import TextRefused, UnreadableFile

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
USE = "import tensorflow as tf\ntf.Session()"
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


def cells_after(here: Path, *cells: str) -> list[str]:
    """Returns the cells of a migrated notebook, without its text."""
    (here / "a.ipynb").write_bytes(notebook(*cells))
    assert cli.main([".", "--no-cache"]) == 0
    after = json.loads((here / "a.ipynb").read_text())["cells"]
    return ["".join(cell["source"]) for cell in after if cell["cell_type"] == "code"]


def test_imports_of_future_are_in_any_cell(here: Path) -> None:
    future = "from __future__ import division\n"
    _, after = cells_after(here, "!git clone x\nx = 1", future + USE)
    assert after.startswith(f"{future}import tensorflow.compat.v1 as tf\n")


V1 = "import tensorflow.compat.v1 as tf\n\n"
MODE = "tf.disable_v2_behavior()\n"


@pytest.mark.parametrize(
    ("cell", "after"),
    [
        (f" {USE}", f" {V1}{MODE}\ntf.Session()"),
        (
            " import tensorflow as tf\n %time 1\n\n tf.Session()",
            f" {V1} {MODE}\n %time 1\n\n tf.Session()",
        ),
        (
            "  import tensorflow as tf\nif 1:\n    tf.Session()",
            f"  {V1}{MODE}\nif 1:\n    tf.Session()",
        ),
    ],
)
def test_the_indentation_of_a_first_line_is_none(here: Path, cell: str, after: str) -> None:
    """IPython removes it, and as much from the lines below."""
    assert cells_after(here, "x = 1", cell, "  %ls", "\ty = 2") == [
        "x = 1",
        after,
        "  %ls",
        "\ty = 2",
    ]


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
        (b"", "1:1", "not a JSON object"),
        (b"version https://git-lfs.github.com/spec/v1\n", "1:1", "not a JSON object"),
        (b'{"cells": [{]}', "1:13", "not a Jupyter notebook"),
        (b'{\n "cells": 1}', "2:11", "expected ["),
        (b'{"cells": [{"cell_type": "code", "source": 3}]}', "1:44", "is not text"),
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


def test_a_notebook_of_another_language_is_left_alone_and_counted(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = notebook("library(tensorflow)\nx <- tf$contrib").replace(b'"python"', b'"R"')
    (here / "a.ipynb").write_bytes(data)
    (here / "cache").mkdir()
    for _ in range(2):  # the second time from the cache
        assert cli.main(["--check", "--cache-dir", "cache", "a.ipynb"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            "Not changed: 1 notebook in another language (R).",
            "Nothing to do: no Python files found.",
        ]
    assert cli.main(["--check", "--no-cache", "--format", "json", "a.ipynb"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert files["left"] == [{"path": "a.ipynb", "reason": "not-python", "detail": "R"}]
    assert files["parsed"] == 0
    assert (here / "a.ipynb").read_bytes() == data


SPARK = {
    "kernelspec": {"display_name": "PySpark", "language": "", "name": "pysparkkernel"},
    "language_info": {
        "codemirror_mode": {"name": "python", "version": 2},
        "mimetype": "text/x-python",
        "name": "pyspark",
        "pygments_lexer": "python2",
    },
}


@pytest.mark.parametrize(
    "metadata",
    [
        SPARK,
        {"kernelspec": SPARK["kernelspec"]},
        {"language_info": SPARK["language_info"]},
        None,
        {},
        [],
        {"kernelspec": {}, "language_info": None},
        {"kernelspec": {"name": "my-env", "display_name": "Go team (tf)"}},
        {"kernelspec": {"name": "conda-env-r-py", "language": "python"}},
        {"kernelspec": {"name": "xpython", "display_name": "xeus"}},
        {"kernelspec": {"name": "python2", "display_name": "Python 2"}},
        {"language_info": {"name": "ipython", "version": "2.7"}},
        {"language_info": {"name": "IPython"}},
        {"language_info": {"name": "sos", "mimetype": "text/x-sos"}},
        {"language_info": {"name": "sagemath", "file_extension": ".sage"}},
        {"language_info": {"codemirror_mode": "ipython"}},
    ],
)
def test_a_kernel_need_not_be_called_python(here: Path, metadata: object) -> None:
    document = json.loads(notebook(MODEL, SHELL, TRAIN))
    document["metadata"] = metadata
    (here / "a.ipynb").write_text(json.dumps(document))
    assert cli.main(["-q", "."]) == 0
    assert "compat.v1" in (here / "a.ipynb").read_text()


@pytest.mark.parametrize(
    ("metadata", "name"),
    [
        ({"language_info": {"name": "R", "mimetype": "text/x-r-source"}}, "R"),
        ({"kernelspec": {"name": "ir", "display_name": "R"}}, "R"),
        ({"kernelspec": {"name": "julia-1.6", "language": "julia"}}, "Julia"),
        ({"kernelspec": {"name": "julia-1.6"}}, "Julia"),
        ({"language_info": {"name": "scala"}, "kernelspec": {"language": "python"}}, "Scala"),
        ({"kernelspec": {"name": "sparkkernel", "language": ""}}, "Scala"),
        ({"language_info": {"name": "C++17"}}, "C++"),
        ({"language_info": {"name": "brainy"}}, "brainy"),
    ],
)
def test_a_notebook_of_another_language_has_no_cells(
    metadata: dict[str, object], name: str
) -> None:
    document = json.loads(notebook("import tensorflow as tf\nlibrary(tensorflow)", "x <- <-"))
    document["metadata"] = metadata
    found = decode_notebook(json.dumps(document).encode(), Path("a.ipynb"), "a.ipynb")
    assert (found.cells, found.text, found.language) == ((), "", name)


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernel": "R"},
        {"vscode": {"languageId": "shellscript"}},
        {"dotnet_interactive": {"language": "csharp"}},
        {"polyglot_notebook": {"kernelName": "sql"}},
    ],
)
def test_a_cell_that_states_another_language_stays_unread(metadata: dict[str, object]) -> None:
    document = json.loads(notebook("x = 1", "ls -l | wc"))
    document["cells"][2]["metadata"] = metadata
    found = decode_notebook(json.dumps(document).encode(), Path("a.ipynb"), "a.ipynb")
    assert found.text == "x = 1"


def test_numbers_of_any_length_are_no_error(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = "1" * 6000
    data = notebook("import tensorflow as tf\ns = tf.Session()")
    (here / "a.ipynb").write_bytes(
        data.replace(b'"execution_count": 7', b'"n": ' + number.encode())
    )
    assert cli.main(["-q", "."]) == 0
    after = (here / "a.ipynb").read_text()
    assert "compat.v1" in after
    assert number in after
    # Python itself refuses to compile such a number.
    (here / "a.ipynb").write_bytes(notebook("import tensorflow as tf", f"x = {number}"))
    assert cli.main(["."]) == 2
    assert "a.ipynb:cell 3:1:1  TFM900" in capsys.readouterr().err


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
    with pytest.raises(UnreadableFile, match="do not round-trip"):
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
        ("files = !ls \\\n  -l", 2),
        ("if x:\n  !ls \\\n-l \\\n      /", 3),
        ("x = 7 % 2\ny = x != 3", 0),
    ],
)
def test_exactly_what_is_no_python_has_names(cell: str, names: int) -> None:
    found = masked(cell, 3)
    assert len(found.originals) == names
    assert found.unmasked(found.text) == cell
    assert found.text.count("\n") == cell.count("\n")
    ast.parse(found.text)


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


def test_blocks_in_several_cells_are_kept() -> None:
    cells = (
        "import tensorflow as tf\nc = tf.train.ClusterSpec({'ps': ['a:1'], 'worker': ['b:1']})",
        "with tf.device('/job:ps/task:0'):\n  w = tf.get_variable('w', [])",
        "with tf.device('/job:worker/task:0'):\n  y = w * w",
        "with tf.Session('grpc://b:1') as s:\n  s.run(y)",
    )
    file = decode_notebook(notebook(*cells), Path("a.ipynb"), "a.ipynb")
    result = migrate([file], Options())
    assert {f.severity.value for f in result.findings} == {"fixed", "kept"}
    assert "strategy" not in result.texts[Path("a.ipynb")]


def test_a_cell_with_a_line_of_megabytes_is_refused_and_an_image_is_not() -> None:
    data = notebook("x = 1\n", "values = [" + "1," * 600_000 + "]\n")
    with pytest.raises(UnreadableFile, match=r"a line of cell 3 has 1,200,011 characters"):
        decode_notebook(data, Path("a.ipynb"), "a.ipynb")
    image = data.replace(b'"outputs": []', b'"outputs": ["' + b"A" * 2_000_000 + b'"]')
    short = image.replace(b"1," * 600_000, b"1")
    assert decode_notebook(short, Path("a.ipynb"), "a.ipynb").text.startswith("x = 1")
