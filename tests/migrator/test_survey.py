"""The parts of scripts/survey: which names a text needs, tests of versions, switches, imports."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "scripts" / "survey"
PARTS = (
    "repository",
    "chains",
    "judging",
    "program_graph",
    "remains",
    "report",
    "structure",
    "stubs",
    "texts",
)
PARTS += ("versions",)


@pytest.fixture(scope="module")
def parts() -> Iterator[dict[str, ModuleType]]:
    sys.path.insert(0, str(FOLDER))
    try:
        yield {name: importlib.import_module(name) for name in PARTS}
    finally:
        sys.path.remove(str(FOLDER))
        for name in PARTS:
            sys.modules.pop(name, None)


def needed(parts: dict[str, ModuleType], source: str) -> list[str]:
    names = parts["chains"].Names(ast.parse(source))
    return sorted({need.name for need in names.needs()} - {"tensorflow"})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import numpy as tf\ntf.contrib.learn", []),
        ("import tensorflow as tf\ndef f(tf): tf.contrib", []),
        ("import tensorflow as tf\ntf.best = 0\ntf.best\ntf.bestof", ["tensorflow.bestof"]),
        (
            "import tensorflow as tf\ntf.contrib.layers.conv2d(1)",
            ["tensorflow.contrib.layers.conv2d"],
        ),
        (
            "import tensorflow as tf\nslim = tf.contrib.slim\ndef f():\n    slim.conv2d",
            ["tensorflow.contrib.slim", "tensorflow.contrib.slim.conv2d"],
        ),
        (
            "from tensorflow.python import ops\nops.x",
            ["tensorflow.python.ops", "tensorflow.python.ops.x"],
        ),
        (
            "def f():\n  global tf\n  import tensorflow as tf\ntf.contrib",
            ["tensorflow.contrib"],
        ),
        ("class A:\n    import tensorflow as tf\n    x = tf.contrib", ["tensorflow.contrib"]),
        ("import tensorflow as tf\ntry:\n    tf.contrib\nexcept AttributeError: pass", []),
        (
            "import tensorflow as tf\ntry:\n    tf.contrib\nexcept Exception: pass",
            ["tensorflow.contrib"],
        ),
        ("import tensorflow as tf\nif hasattr(tf, 'contrib'): tf.contrib", []),
        (
            "import tensorflow as tf\nif tf.VERSION < '2': tf.contrib",
            ["tensorflow.VERSION"],
        ),
        (
            "import tensorflow as tf\nif tf.__version__ > '1.8': tf.contrib",
            ["tensorflow.__version__", "tensorflow.contrib"],
        ),
        (
            "import tensorflow as tf\ndef f():\n  if tf.VERSION > '2':\n    return tf.a\n  tf.b",
            ["tensorflow.VERSION", "tensorflow.a"],
        ),
    ],
)
def test_needed_names(parts: dict[str, ModuleType], source: str, expected: list[str]) -> None:
    assert needed(parts, source) == expected


@pytest.mark.parametrize(
    ("test", "branch"),
    [
        ("LooseVersion(tf.__version__) >= LooseVersion('1.4')", "body"),
        ("LooseVersion(tf.__version__) >= LooseVersion('2.100')", "orelse"),
        ("int(tf.__version__.split('.')[0]) < 2", "orelse"),
        ("major == '2'", "body"),
        ("not tf.VERSION.startswith('1.')", "body"),
        ("later_than(tf.__version__)", None),
    ],
)
def test_tests_of_versions(parts: dict[str, ModuleType], test: str, branch: str | None) -> None:
    source = (
        "import tensorflow as tf\nmajor = tf.__version__.split('.')[0]\n"
        f"if {test}:\n    tf.body\nelse:\n    tf.orelse\n"
    )
    found = {name.rpartition(".")[2] for name in needed(parts, source)} & {"body", "orelse"}
    assert found == ({branch} if branch else set())


def test_notebook_places(parts: dict[str, ModuleType]) -> None:
    cells = (
        '{"cell_type": "markdown", "source": ["# x"]},'
        '{"cell_type": "code", "source": ["%matplotlib inline\\n", "import tensorflow as tf"]},'
        '{"cell_type": "code", "source": ["%%bash\\n", "ls"]},'
        '{"cell_type": "code", "source": ["!ls\\n", "tf.x"]}'
    )
    text = parts["texts"].text_of(f'{{"cells": [{cells}]}}'.encode(), notebook=True)
    assert text.tree is not None and parts["texts"].uses_tensorflow(text)
    assert [text.shown(line) for line in (2, 4)] == ["cell 2:2", "cell 4:2"]


SESSION = "sess = tf.Session()\n"


@pytest.mark.parametrize(
    ("source", "late", "missing"),
    [
        ("tf.disable_v2_behavior()\nfor i in x:\n    " + SESSION, 0, 0),
        ("for i in x:\n    " + SESSION, 0, 3),
        ("def f():\n    " + SESSION, 0, 0),
        ("def f():\n    " + SESSION + "f()", 0, 4),
        ("x = tf.constant(1)\ntf.disable_v2_behavior()\n" + SESSION, 2, 0),
        ("x = tf.app.flags.FLAGS\ntf.app.flags.x()\ntf.disable_v2_behavior()\n", 0, 0),
        ("with tf.Graph().as_default():\n    " + SESSION, 0, 0),
    ],
)
def test_switches(parts: dict[str, ModuleType], source: str, late: int, missing: int) -> None:
    tree = ast.parse("import tensorflow.compat.v1 as tf\n" + source)
    names = parts["chains"].Names(tree)
    assert parts["structure"].late_switch(names, tree) == late
    text = parts["texts"].Text("", [], tree)
    found = parts["judging"].without_switch({"a": text}, {"a": set()}, ["a"])
    assert ("a" in found) == bool(missing)


def test_new_imports(parts: dict[str, ModuleType]) -> None:
    structure = parts["structure"]
    before = ast.parse("import os\nimport sys\nimport json\njson.x")
    source = b"import os\nimport os\nimport sys\nimport json\nimport abc\njson.x"
    after = parts["texts"].text_of(source, notebook=False)
    assert structure.unused_imports(before, before) == []
    assert structure.unused_imports(before, after.tree) == [(5, "import abc as abc")]
    assert structure.double_imports(before, after) == [(2, "import os as os")]
    renamed = parts["texts"].text_of(b"from b import x\nfrom b import x", notebook=False)
    assert structure.double_imports(ast.parse("from a import x\nfrom a import x"), renamed) == []
    unused = ast.parse("abc = 1\njson = 2\njson.x")
    assert structure.unused_imports(unused, ast.parse("import abc")) == []


def test_a_session_that_is_fed_is_graph_mode(parts: dict[str, ModuleType]) -> None:
    methods = parts["structure"].graph_methods
    assert methods(ast.parse("s.run(y, feed_dict={x: 1})"))
    assert not methods(ast.parse("s.run(y, {x: 1})"))


def test_programs_with_keras_2(parts: dict[str, ModuleType]) -> None:
    sources = {
        "a/train.py": "import os, net\nos.environ['TF_USE_LEGACY_KERAS'] = '1'",
        "a/net.py": "from . import base",
        "a/base.py": "",
        "b/train.py": "import net",
        "b/net.py": "",
        "c.py": "from tfmigrate_runtime import estimator",
        "d.py": "from tfmigrate_runtime.doctor import main",
    }
    trees = {file: ast.parse(source) for file, source in sources.items()}
    graph = parts["program_graph"]
    found = graph.with_keras_2(trees, graph.imports_of(trees))
    assert found == {"a/train.py", "a/net.py", "a/base.py", "c.py"}


SECOND_RUN = "this file cannot be rewritten: a second run would change it again"
JUDGED = [
    ("import tensorflow as tf\ntf.x", [], ["silent"]),
    ("import tensorflow as tf\ntf.x", [["TFM1", "manual", False, 9, 0, "else", ""]], []),
    ("import tensorflow as tf  #\ntf.x", [["TFM1", "manual", False, 9, 0, "else", ""]], ["untold"]),
    ("import tensorflow as tf  #\ntf.x", [["TFM1", "manual", False, 2, 0, "else", ""]], []),
    ("import tensorflow as tf  #\ntf.x", [["TFM1", "manual", False, 9, 0, "tf.x.y.z is", ""]], []),
    ("import tensorflow as tf  #\ntf.x", [["TFM1", "fixed", True, 2, 0, "tf.x", ""]], ["silent"]),
    ("import tensorflow as tf(", [], ["destroyed"]),
    (
        "import tensorflow as tf\ntf.y",
        [["TFM900", "manual", False, 1, 0, SECOND_RUN, ""]],
        ["second_run_refused"],
    ),
]


@pytest.mark.parametrize(("result", "findings", "kinds"), JUDGED)
def test_judged(
    parts: dict[str, ModuleType], result: str, findings: list[list[object]], kinds: list[str]
) -> None:
    texts, judging = parts["texts"], parts["judging"]

    def missing(need: object) -> str:
        return "not there" if need.name.endswith(".x") else ""  # type: ignore[attr-defined]

    source = "import tensorflow as tf\ntf.x"
    old = texts.text_of(source.encode(), False)
    was = judging.original(old, texts.family_of(old), missing, lambda need: "")
    now = texts.text_of(result.encode(), False)
    found = judging.judged("a.py", was, now, result != source, findings, missing)
    assert [kind for kind, _, _ in found.problems] == kinds


def test_stubs_stand_for_anything(parts: dict[str, ModuleType]) -> None:
    finder = parts["stubs"].Finder()
    sys.meta_path.append(finder)
    try:
        other = importlib.import_module("tfmigrate_no_such_package.below")
        assert issubclass(type("A", (other.Base,), {}), other.Base)
        assert list(other.value) == [] and issubclass(other.f(1).g, object)

        @other.decorator(1)
        def f() -> int:
            return 3

        assert f() == 3
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("urllib2")
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.startswith("tfmigrate_no_such")]:
            del sys.modules[name]


def test_table(parts: dict[str, ModuleType]) -> None:
    files = [
        {"file": "a", "family": "towers", "parses": True, "missing": 0, "problems": []},
        {
            "file": "b",
            "family": "towers",
            "parses": True,
            "missing": 1,
            "problems": [["silent", "3", "tf.x: no"]],
        },
        {"file": "c", "family": "towers", "parses": False, "missing": 0, "problems": []},
    ]
    answers = [{"name": "r", "runs": [{"scope": "alone", "mode": "default", "files": files}]}]
    table = parts["report"].table(answers)
    assert "| towers | 1 of 2 (50%); 1 silent |" in table
    assert "r/b:3" in parts["report"].failures(answers)


def test_arguments_that_are_refused(parts: dict[str, ModuleType]) -> None:
    source = "import tensorflow as tf\nfrom tensorflow import b\ntf.a(1, k=2)\ntf.a(1, 2)\nb(z=1)\n"
    tree = ast.parse(f"{source}tf.a(*x)\ntf.a(**x)\n")

    def takes(chain: tuple[str, str, str]) -> dict[str, object] | None:
        if "b" in chain:
            return None
        plain = {"positional": ["k"], "named": [], "any_positional": False, "any_named": False}
        return {**plain, "positional": ["x"]} if "a" in chain else plain

    found = parts["remains"].refused_arguments(tree, parts["chains"].Names(tree), takes)
    assert [(kind, line) for kind, line, _ in found] == [("argument", 3), ("argument", 4)]


def test_names_that_a_module_lost(parts: dict[str, ModuleType]) -> None:
    before = {"a.py": ast.parse("x = 1\nimport y\n"), "b.py": ast.parse("from a import x, y, z\n")}
    after = {**before, "a.py": ast.parse("import y\n")}
    graph = {"a.py": set(), "b.py": {"a.py"}}

    found = list(parts["remains"].lost_own_names(before, after, graph))
    assert found == [("b.py", ("own_name_lost", 1, "a.py does not bind x any more"))]


def test_names_of_python_that_are_left(parts: dict[str, ModuleType]) -> None:
    before = {"a.py": "import helper, os\nos.x\nfoo\n", "helper.py": "import numpy as np\n"}
    before["helper.py"] += "np.product(xrange(3))\ntry:\n  unicode\nexcept: \n  unicode = str\n"
    after = {**before, "a.py": "import helper\nos.x\nfoo\n"}
    graph = {"a.py": {"helper.py"}, "helper.py": set()}

    found = {
        (file, kind) for file, (kind, _, _) in parts["remains"].of_python(before, after, graph)
    }
    assert found == {
        ("a.py", "undefined"),
        ("helper.py", "numpy_left"),
        ("helper.py", "python_2_left"),
    }


def test_findings_name_contrib_by_public_names_or_in_full(parts: dict[str, ModuleType]) -> None:
    tells = parts["judging"]._is_above_or_below
    name = "tensorflow.contrib.cudnn_rnn.python.ops.cudnn_rnn_ops.CUDNN_GRU"
    assert tells("tf.contrib.cudnn_rnn.ops", name)
    assert tells("tf.contrib.cudnn_rnn.python.ops.cudnn_rnn_ops", name)
    assert not tells("tf.contrib", name)


def test_names_of_the_runtime_are_looked_up_with_keras_2(parts: dict[str, ModuleType]) -> None:
    asked: list[str] = []

    class Asked:
        def __init__(self, keras: str) -> None:
            self.keras = keras

        def missing(self, chains: object) -> str:
            asked.append(self.keras)
            return ""

    interpreters = parts["repository"].Interpreters(Asked("keras"), Asked("tf_keras"), None)
    need = parts["chains"].Need
    for name in ("tfmigrate_runtime.training.batch", "tensorflow.layers"):
        interpreters.missing(need(1, ((name, "", ""),)), False)
    assert asked == ["tf_keras", "keras"]
