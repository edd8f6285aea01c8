"""Files that Python reads and libcst does not: migrated, with all other lines as they were."""

from __future__ import annotations

import ast
from pathlib import Path

import libcst as cst
import pytest
from support import found, migrated, run, source
from test_programs_of_several_files import MODEL, TRAIN

from tfmigrate import cli
from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.resolve.module import Module
from tfmigrate.rewrite import transformer
from tfmigrate.rewrite.libcst_text import parsed
from tfmigrate.rewrite.locate import Locator

HEAD = "import tensorflow as tf\ns = tf.Session()\n"
TAILS = [
    "try:\n  pass\nexcept ValueError :\n  pass\n",
    "try: pass\nexcept (ValueError, KeyError)\t: pass\nexcept OSError as e : pass\n",
    "(x): int\n",
    "def f():\n  ( x[0] ): int = 3  # kept\n  ((y)): 'a' = 3\n",
    "\fx = 1\n",
    "if s:\n  \f  x = 1\n",
    "if s:\n\tif s:\n        \tx = 1  # 16 columns\n        \t# a comment\n\telse:\n\t\tx = 2\n",
    "class A:\n        def f(self):\n        \treturn '''\n\t two\n        '''\n",
]


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_layout_that_libcst_does_not_keep_stays(tail: str, newline: str) -> None:
    before = (HEAD + tail).replace("\n", newline)
    ast.parse(before)
    assert found(before, "TFM900") == []
    after = migrated(before)
    assert after.endswith(tail.replace("\n", newline))
    assert after.startswith("import tensorflow.compat.v1 as tf" + newline)


@pytest.mark.parametrize("tail", ["\n \n\n\n  \t\n", "\n\n\t\t", " \n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_blank_lines_at_the_end_stay(tail: str, newline: str) -> None:
    before = f"{HEAD}if s:\n\tx = 1\n{tail}".replace("\n", newline)
    result = migrate([source(Path("a.py"), before)], Options())
    assert [f.code for f in result.findings] == ["TFM701"]
    assert result.texts[Path("a.py")].endswith(f"x = 1\n{tail}".replace("\n", newline))


def test_new_lines_are_indented_as_their_block() -> None:
    before = (
        "import tensorflow as tf\nif tf:\n\tif tf:\n"
        "        \ta = tf.contrib.layers.xavier_initializer()\n        \tb = tf.Session()\n"
    )
    after = migrated(before)
    assert "contrib" not in after
    assert all(line.startswith("        \t") for line in after.splitlines()[-2:])


def test_an_edit_within_a_masked_target_is_refused_in_one_line() -> None:
    text = "import tensorflow as tf\n(tf.contrib.layers.x_y_z): int = tf.Session()\n"
    assert all(f.code != "TFM909" for f in run(text).findings)


def test_the_file_that_cannot_be_rewritten_is_named_and_others_are_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = transformer.rewrite

    def failing(module: transformer.Module, edits: object) -> str:
        if module.source.display == "b.py":
            raise KeyError("a bug")
        return real(module, edits)  # type: ignore[arg-type]

    monkeypatch.setattr(transformer, "rewrite", failing)
    files = [source(tmp_path / name, HEAD) for name in ("a.py", "b.py")]
    result = migrate(files, Options())
    assert [path.name for path in result.texts] == ["a.py"]
    (error,) = [f for f in result.findings if f.code == "TFM909"]
    assert (error.path, error.severity.value) == ("b.py", "error")
    assert "internal error: KeyError: 'a bug'; this file is not changed" in error.message
    assert "a bug" in result.tracebacks[0]


def test_a_failing_rule_blames_the_file_that_it_was_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tfmigrate.rules import tfm701_import_tensorflow as rule

    def failing(program: object, module: transformer.Module) -> list[str]:
        if module.source.path.name == "train.py":
            raise KeyError("a bug")
        return []

    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "train.py").write_text(TRAIN.format(imports="import model"))
    monkeypatch.setattr(rule, "_groups", failing)
    assert cli.main(["--check", "."]) == 2
    output = capsys.readouterr()
    assert "train.py:1:1  TFM909" in output.err
    assert "resolve TFM909 at train.py first" in output.out


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("x = ((f, 1), ((g), 2))\n", ["((f, 1), ((g), 2))", "(f, 1)", "((g), 2)"]),
        ("x = ((((1, 2)), 3),)\n", ["((((1, 2)), 3),)", "((1, 2), 3)", "(1, 2)"]),
        ("for (a, b) in ((c, d), e): pass\n", ["(a, b)", "((c, d), e)", "(c, d)"]),
        ("x = (a for a in ((b), c))\n", ["((b), c)"]),
    ],
)
def test_tuples_are_found_with_their_own_parentheses(text: str, nodes: list[str]) -> None:
    module = Module(source(Path("/nowhere/a.py"), text))
    locator = Locator(module, parsed(text)[1])
    found = [locator.find(node) for node in module.all(ast.Tuple)]
    wanted = [ast.dump(ast.parse(node)) for node in nodes]
    codes = [cst.Module([]).code_for_node(node) for node in found]
    given = [ast.dump(ast.parse(code)) for code in codes]
    assert sorted(given) == sorted(wanted)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.contrib import slim;  # a\n",
            "from tfmigrate_runtime import slim;  # a\n",
        ),
        (
            "import tensorflow.contrib.rnn as r ;\nr.AttentionCellWrapper\n",
            "from tfmigrate_runtime import rnn as r ;\nr.AttentionCellWrapper\n",
        ),
        (
            "from tensorflow.python.framework import ops; "
            "from tensorflow.python.util import memory;  # a\n",
            "from tensorflow.python.framework import ops;  # a\n",
        ),
        (
            "from tensorflow.python.util import memory;x = 1 ; y = 2;\n",
            "as tf\nx = 1 ; y = 2;\n",
        ),
    ],
)
def test_semicolons_stay(before: str, after: str) -> None:
    head = "import tensorflow.compat.v1 as tf\n"
    assert migrated(head + before).endswith(after)
