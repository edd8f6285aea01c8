from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tfmigrate

PACKAGE = Path(tfmigrate.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
HEAVY = ("tensorflow", "tf_keras", "numpy", "tfmigrate_runtime")


def python(
    program: str, *options: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }
    return subprocess.run(
        [sys.executable, *options, "-c", program],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


def loaded_by(program: str) -> set[str]:
    result = python(f"{program}\nimport sys\nprint(*sorted(sys.modules))")
    assert result.returncode == 0, result.stderr
    return {name.partition(".")[0] for name in result.stdout.split()}


def test_the_command_line_is_there_without_the_libraries_it_may_need() -> None:
    loaded = loaded_by("import tfmigrate.cli")
    assert loaded.isdisjoint({*HEAVY, "libcst", "rich", "pathspec", "ast", "difflib"})


def test_a_run_into_a_pipe_loads_neither_tensorflow_nor_rich(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import tensorflow as tf\n\nx = tf.constant(1)\n")
    program = f"from tfmigrate.cli import main\nassert main(['-q', {str(tmp_path)!r}]) == 0"
    assert loaded_by(program).isdisjoint({*HEAVY, "libcst", "rich"})


def test_all_but_target_keras_works_without_its_package(tmp_path: Path) -> None:
    original = Path(__file__).parents[2] / "fixtures/replicate_model_fn/dense_adam/original.py"
    (tmp_path / "a.py").write_text(original.read_text("utf-8"), "utf-8")
    program = (
        "import sys\nfrom tfmigrate.cli import main\nfrom tfmigrate.scan import plugins\n"
        "sys.modules['tfmigrate_keras'] = None\nplugins._entry_points = dict\n"
        "assert main(['--no-cache', 'a.py']) == 0\n"
        "main(['--no-cache', '--target', 'keras', 'a.py'])\n"
    )
    done = python(program, folder=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "--target keras: tfmigrate_keras is not installed; reinstall" in done.stderr
    assert "MirroredStrategy" in (tmp_path / "a.py").read_text("utf-8")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_imports_the_package_of_target_keras(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not [name for name in names if name.partition(".")[0] == "tfmigrate_keras"]


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_module_imports_where_there_is_no_tensorflow() -> None:
    names = [_name(path) for path in MODULES]
    assert len(names) > 10
    block = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in HEAVY)
    result = python(block + "".join(f"import {name}\n" for name in names))
    assert (result.returncode, result.stderr) == (0, "")


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields every import, importlib's with a fixed name included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from ((node.lineno, ast.literal_eval(a)) for a in node.args[:1] if _fixed(a))


def _fixed(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Constant) and isinstance(argument.value, str)


def test_the_wall_two_commands_reach_over_to_the_runtime() -> None:
    crossings = [
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in MODULES
        for _, name in _imports(ast.parse(path.read_bytes()))
        if name.partition(".")[0] in HEAVY
    ]
    assert crossings == [
        (f"commands/{command}.py", f"tfmigrate_runtime.{command}.cli")
        for command in ("checkpoint", "verify")
    ]


def test_python_m_tfmigrate_is_the_command_line() -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }
    command = [sys.executable, "-m", "tfmigrate", "--version"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, f"tfmigrate {tfmigrate.__version__}\n")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_the_command_line_alone(option: str) -> None:
    """What makes help come at once; how long it takes is a matter of the machine."""
    code = f"""
import sys
before = set(sys.modules)
from tfmigrate.cli import main
try:
    main([{option!r}])
except SystemExit:
    pass
loaded = {{name for name in set(sys.modules) - before if not name.startswith("_")}}
print(sorted(n for n in loaded if n.partition(".")[0] not in sys.stdlib_module_names))
"""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    loaded = ast.literal_eval(result.stdout.splitlines()[-1])
    assert set(loaded) == {
        "tfmigrate",
        "tfmigrate.cli",
        "tfmigrate.commands",
        "tfmigrate.commands.arguments",
        "tfmigrate.commands.migrate",
        "tfmigrate.commands.migrate_options",
        "tfmigrate.commands.speed_options",
        "tfmigrate.model",
        "tfmigrate.model.targets",
        "tfmigrate.model.tensorflow_versions",
    }
