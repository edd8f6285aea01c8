"""Modules of the runtime have two names: the public one, and that of the folder they are in."""

from __future__ import annotations

import ast
import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import tfmigrate_runtime
from tfmigrate.tables.runtime_api import PACKAGES
from tfmigrate_runtime import public_names

RUNTIME = Path(tfmigrate_runtime.__file__).parent
PUBLIC = {
    name: f"{folder}.{name}" for folder, names in public_names.FOLDERS.items() for name in names
}


def imported_names(path: Path) -> set[str]:
    """Returns the full names that a file imports, "module.name" for from-imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("name, place", PUBLIC.items())
def test_both_names_are_of_one_module(name: str, place: str) -> None:
    public = importlib.import_module(f"tfmigrate_runtime.{name}")
    assert public is importlib.import_module(f"tfmigrate_runtime.{place}")
    assert public.__name__ == f"tfmigrate_runtime.{place}"
    assert public.__spec__ is not None and public.__spec__.name == public.__name__
    assert getattr(tfmigrate_runtime, name) is public
    folder = RUNTIME / place.replace(".", "/")
    for path in folder.rglob("*.py"):
        if path.name != "__init__.py":
            inner = ".".join(path.relative_to(folder).with_suffix("").parts)
            module = importlib.import_module(f"tfmigrate_runtime.{name}.{inner}")
            assert module is sys.modules[f"tfmigrate_runtime.{place}.{inner}"]


HIDDEN = """
import importlib, pkgutil, sys, types
for name in sys.argv[1:]:
    package = importlib.import_module(f"tfmigrate_runtime.{name}")
    for module in pkgutil.iter_modules(getattr(package, "__path__", ())):
        held = vars(package).get(module.name)
        importlib.import_module(f"tfmigrate_runtime.{name}.{module.name}")
        if held is not None and vars(package)[module.name] is not held:
            print(name, module.name)
"""


def test_an_import_of_a_submodule_hides_no_function_of_its_name() -> None:
    command = [sys.executable, "-c", HIDDEN, *PUBLIC]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == ""


def test_all_that_the_migrator_writes_is_public() -> None:
    written = {package.target.split(".")[1] for package in PACKAGES}
    assert written <= set(PUBLIC)


def test_type_checkers_know_the_public_names() -> None:
    for_checkers = imported_names(RUNTIME / "__init__.py")
    assert {f"tfmigrate_runtime.{place}" for place in PUBLIC.values()} <= for_checkers


def test_the_runtime_itself_uses_the_names_of_folders() -> None:
    public = tuple(f"tfmigrate_runtime.{name}" for name in PUBLIC)
    for path in RUNTIME.rglob("*.py"):
        for name in imported_names(path):
            assert name not in public, (path, name)
            assert not name.startswith(tuple(f"{each}." for each in public)), (path, name)


@pytest.mark.parametrize(
    "folder, allowed",
    [
        ("compat", {"keras_2", "supported"}),
        ("train", {"compat", "keras_2"}),
        ("contrib", {"compat", "keras_2", "train"}),
    ],
)
def test_folders_import_from_those_below(folder: str, allowed: set[str]) -> None:
    for path in (RUNTIME / folder).rglob("*.py"):
        own = {n for n in imported_names(path) if n.startswith("tfmigrate_runtime.")}
        assert {n.split(".")[1] for n in own} <= {folder, *allowed}, path


def test_importing_the_package_imports_no_tensorflow() -> None:
    code = "import sys, tfmigrate_runtime; sys.exit('tensorflow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["estimator", "coordinator", "optimizers"])
def test_keras_2_is_chosen_before_tensorflow_is_imported(name: str) -> None:
    """``from tensorflow.keras import ...`` is decided when tensorflow is imported."""
    code = (
        f"from tfmigrate_runtime import {name}\n"
        "from tensorflow.keras import layers\n"
        "assert layers.Dense.__module__.startswith('tf_keras.'), layers.Dense.__module__\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "TF_USE_LEGACY_KERAS"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_objects_pickled_under_the_public_name_are_read() -> None:
    old = b"ctfmigrate_runtime.training.hparams\nHParams\n."
    assert pickle.loads(old) is importlib.import_module("tfmigrate_runtime.training").HParams


def test_modules_that_are_missing_have_the_name_that_was_asked_for() -> None:
    with pytest.raises(ModuleNotFoundError) as error:
        importlib.import_module("tfmigrate_runtime.learn.nothing")
    assert error.value.name == "tfmigrate_runtime.learn.nothing"


def test_an_error_of_a_module_is_not_hidden(tmp_path: Path) -> None:
    """A copy of the runtime may lack a folder; a module that fails says what is missing."""
    copy = tmp_path / "tfmigrate_vendored"
    (copy / "train").mkdir(parents=True)
    names = (RUNTIME / "public_names.py").read_text("utf-8")
    (copy / "public_names.py").write_text(names)
    (copy / "__init__.py").write_text(
        "from tfmigrate_vendored.public_names import install\ninstall()\n"
    )
    (copy / "train" / "__init__.py").write_text("")
    (copy / "train" / "towers.py").write_text("import nothing_of_this_name\n")
    code = (
        "for name in ('learn', 'towers'):\n"
        "    try: __import__('tfmigrate_vendored.' + name)\n"
        "    except ModuleNotFoundError as error: print(error.name)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["tfmigrate_vendored.learn", "nothing_of_this_name"]


@pytest.mark.parametrize("name", ["legacy", "tf1_shim"])
def test_the_legacy_runtime_is_started_by_either_name(name: str) -> None:
    command = [sys.executable, "-m", f"tfmigrate_runtime.{name}", "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "tfmigrate-run" in ran.stdout
