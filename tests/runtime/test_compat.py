"""Private names of TensorFlow are in compat/ only, which refuses a TensorFlow it does not know."""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tfmigrate_runtime
from tfmigrate.tables.runtime_modules import DISTRIBUTIONS
from tfmigrate_runtime import PUBLIC, supported
from tfmigrate_runtime.compat import patches, queues

ROOT = Path(__file__).parents[2]
RUNTIME = Path(tfmigrate_runtime.__file__).parent
# The recorder runs in interpreters that have no runtime, on TensorFlow 1.12 and newer.
ELSEWHERE = (RUNTIME / "compat", RUNTIME / "verify" / "recorder")
PRIVATE = re.compile(r"(tensorflow|tensorflow_estimator)\.(python|core|compiler)\b|tf_keras\.src\b")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yields the modules that a file imports, by name and by importlib, and where."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.lineno, str(node.module)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            yield node.lineno, ast.unparse(node.args[0]).lstrip("f").strip("'")


def test_private_names_are_imported_in_compat_only() -> None:
    found = [
        f"{path.relative_to(RUNTIME)}:{line}: {name}"
        for path in sorted(RUNTIME.rglob("*.py"))
        if not any(folder in path.parents for folder in ELSEWHERE)
        for line, name in imports(path)
        if PRIVATE.match(name)
    ]
    assert found == []


def test_the_search_finds_private_names() -> None:
    assert any(PRIVATE.match(name) for _, name in imports(RUNTIME / "compat" / "sessions.py"))


def private_attributes(tree: ast.AST) -> Iterator[str]:
    """Yields names with an underscore that a file looks up in objects, and in itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "setattr"):
            yield str(getattr(node.args[1], "value", ""))


def defined(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if ast.unparse(node.value) in ("self", "this"):
                yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name


def test_private_attributes_are_in_the_table() -> None:
    names = ("train", "contrib", *PUBLIC)
    files = [path for name in names for path in (RUNTIME / name).rglob("*.py")]
    files += [path for path in RUNTIME.glob("*.py") if path.stem in names]
    trees = [ast.parse(path.read_text("utf-8")) for path in files]
    known = {name for names_of in script().classes().values() for name in names_of} | set(
        queues.__all__
    )
    known |= {"_exit", "_asdict", "_make", "_replace"}  # of os, and of named tuples
    known |= {"_inner_flatten"}  # of tf_slim
    known |= {name for tree in trees for name in defined(tree)}
    used = {name for tree in trees for name in private_attributes(tree)}
    private = {name for name in used if re.match("_[^_]", name)}
    assert "_extend_graph" in known and "_set_device" in private
    assert private - known == set()


@pytest.mark.parametrize("version", ["2.16.0", "2.16.2", "2.21.0", "2.21.1-rc0"])
def test_versions_that_are_supported(version: str) -> None:
    supported.check(version)


@pytest.mark.parametrize(
    "version, advice",
    [
        ("1.15.5", "Upgrade TensorFlow: pip install 'tensorflow>=2.16,<2.22'"),
        ("2.15.1", "Upgrade TensorFlow: pip install 'tensorflow>=2.16,<2.22'"),
        ("2.22.0", "Upgrade tfmigrate-runtime, or install an older TensorFlow: pip ins"),
        ("3.0.0-dev20270101", "Upgrade tfmigrate-runtime, or install an older TensorFlow: "),
        ("unknown", "Upgrade TensorFlow: "),
    ],
)
def test_versions_that_are_not(version: str, advice: str) -> None:
    expected = f"tfmigrate_runtime supports TensorFlow 2.16 to 2.21, not {version}. {advice}"
    with pytest.raises(supported.UnsupportedTensorFlowError, match=re.escape(expected)):
        supported.check(version)


def test_a_copy_names_itself() -> None:
    spec = importlib.util.spec_from_file_location(
        "tfmigrate_vendored.supported", RUNTIME / "supported.py"
    )
    assert spec is not None and spec.loader is not None
    copy: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    expected = "tfmigrate_vendored supports .* Run a newer `tfmigrate --vendor`, or install"
    with pytest.raises(copy.UnsupportedTensorFlowError, match=expected):
        copy.check("2.22.0")


def test_every_public_name_refuses_another_tensorflow() -> None:
    names = [name for name in PUBLIC if name != "arrays"]  # which needs no TensorFlow
    code = (
        "import importlib, tensorflow\n"
        "tensorflow.__version__ = '2.22.0'\n"
        f"for name in {names}:\n"
        "    try: importlib.import_module('tfmigrate_runtime.' + name)\n"
        "    except Exception as error: print(type(error).__name__)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    )
    assert ran.stdout.split() == ["UnsupportedTensorFlowError"] * len(names)


def test_tfmigrate_run_refuses_another_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('ran')\n")
    code = (
        "import os\n"
        "os.environ['TF_USE_LEGACY_KERAS'] = '1'\n"
        "import sys, tensorflow\n"
        "tensorflow.__version__ = '2.22.0'\n"
        "from tfmigrate_runtime.tf1_shim.command_line import main\n"
        "sys.exit(main(['program.py']))\n"
    )
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 2
    assert "tfmigrate-run: tfmigrate_runtime supports TensorFlow 2.16 to 2.21" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_requirements_are_of_the_same_versions() -> None:
    oldest, newest = supported.OLDEST, supported.NEWEST
    wanted = f">={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}"
    assert DISTRIBUTIONS["tensorflow"] == f"tensorflow{wanted}"
    assert f'"tensorflow{wanted}"' in (ROOT / "runtime" / "pyproject.toml").read_text("utf-8")


def script() -> Any:
    path = ROOT / "scripts" / "tables" / "check_private_names.py"
    spec = importlib.util.spec_from_file_location("check_private_names", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_script_finds_what_this_tensorflow_lacks(capfd: pytest.CaptureFixture[str]) -> None:
    checks = script()
    names = checks.names()
    session = ("tensorflow.python.client.session", "BaseSession")
    assert names[session] == {"_call_tf_sessionrun", "_do_call", "_extend_graph"}
    assert checks.check(sys.executable, names)
    moved = {("tensorflow.python.framework.ops", "BaseSession"): {"_extend_graph"}}
    assert not checks.check(sys.executable, moved)
    line = "| tensorflow.python.framework.ops.BaseSession | tensorflow.python.client.session |"
    assert line in capfd.readouterr().out


class Base:
    def act(self) -> list[str]:
        return ["own"]


def adding(word: str) -> Any:
    def wrapping(act: Any) -> Any:
        @functools.wraps(act)
        def more(self: Any) -> list[str]:
            return [*act(self), word]

        return more

    return wrapping


def ours(act: Any, self: Any) -> list[str]:
    return [*act(self), "ours"]


def test_a_method_is_wrapped_once_whoever_wraps_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Base, "act", adding("before")(Base.act))
    theirs = vars(Base)["act"]
    patches.wrap_once(Base, "act", ours)
    patches.wrap_once(Base, "act", ours)
    assert Base().act() == ["own", "before", "ours"]
    Base.act = adding("after")(Base.act)  # type: ignore[method-assign]
    patches.wrap_once(Base, "act", ours)
    assert Base().act() == ["own", "before", "ours", "after"]
    Base.act = theirs  # type: ignore[method-assign]
    patches.wrap_once(Base, "act", ours)
    assert Base().act() == ["own", "before", "ours"]
