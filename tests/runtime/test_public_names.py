"""Modules for programs are where programs import them; up to 0.2 they were one folder below."""

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
from tfmigrate_runtime import PUBLIC

RUNTIME = Path(tfmigrate_runtime.__file__).parent
OTHERS = {"checkpoint", "compat", "contrib", "doctor", "keras_2", "legacy", "moved", "record"}
OTHERS |= {"supported", "tf1_shim", "train", "verify"}
TRAIN = ("between_graph", "coordinator", "distribute", "estimator", "graphs", "towers")


def imported_names(path: Path) -> set[str]:
    """Returns the full names that a file imports, "module.name" for from-imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_all_modules_are_where_programs_import_them() -> None:
    """Where type checkers and editors look, too: they run no import hooks."""
    modules = {path.stem for path in RUNTIME.iterdir() if path.stem[0] not in "_."}
    assert modules - {"py"} == {*PUBLIC, *OTHERS}


OLD_PLACES = """
import importlib, pathlib, pkgutil, sys
import tfmigrate_runtime
for name in tfmigrate_runtime.PUBLIC:
    module = importlib.import_module(f"tfmigrate_runtime.{name}")
    old = f"tfmigrate_runtime.{'train' if name in sys.argv else 'contrib'}.{name}"
    assert importlib.import_module(old) is module, name
    assert module.__name__ == module.__spec__.name == f"tfmigrate_runtime.{name}"
    for inner in pkgutil.iter_modules(getattr(module, "__path__", ())):
        held = vars(module).get(inner.name)
        again = importlib.import_module(f"{old}.{inner.name}")
        assert again is importlib.import_module(f"{module.__name__}.{inner.name}"), again
        assert held is None or held is vars(module)[inner.name], again
"""


def test_the_old_places_have_the_same_modules_and_hide_no_functions() -> None:
    subprocess.run([sys.executable, "-c", OLD_PLACES, *TRAIN], check=True)


def test_all_that_the_migrator_writes_is_public() -> None:
    assert {package.target.split(".")[1] for package in PACKAGES} <= {*PUBLIC}


LAYERS = [("compat", {"keras_2", "supported"})]
LAYERS += [(name, {"compat", "keras_2", "moved", "train", *TRAIN}) for name in ("train", *TRAIN)]
LAYERS += [
    (name, {"compat", "contrib", "keras_2", "moved", "train", *PUBLIC})
    for name in ("contrib", *PUBLIC)
    if name not in TRAIN
]


@pytest.mark.parametrize(("name", "allowed"), LAYERS)
def test_modules_import_from_those_below(name: str, allowed: set[str]) -> None:
    files = [RUNTIME / f"{name}.py", *(RUNTIME / name).rglob("*.py")]
    for path in files:
        own = imported_names(path) if path.is_file() else set()
        own = {each.split(".")[1] for each in own if each.startswith("tfmigrate_runtime.")}
        assert own <= {name, *allowed}, path


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


@pytest.mark.parametrize("module", ["training.hparams", "contrib.training.hparams"])
def test_objects_pickled_by_earlier_versions_are_read(module: str) -> None:
    """In a new process: pickle imports the module by the name that it had."""
    old = b"ctfmigrate_runtime.%s\nHParams\n." % module.encode()
    code = f"import pickle; print(pickle.loads({old!r}).__module__)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["tfmigrate_runtime.training.hparams"]
    assert pickle.loads(old) is importlib.import_module("tfmigrate_runtime.training").HParams


@pytest.mark.parametrize("name", ["learn.nothing", "contrib.learn.nothing", "train.nothing"])
def test_modules_that_are_missing_have_the_name_that_was_asked_for(name: str) -> None:
    with pytest.raises(ModuleNotFoundError) as error:
        importlib.import_module(f"tfmigrate_runtime.{name}")
    assert error.value.name == f"tfmigrate_runtime.{name}"


@pytest.mark.parametrize("name", ["legacy", "tf1_shim"])
def test_the_legacy_runtime_is_started_by_either_name(name: str) -> None:
    command = [sys.executable, "-m", f"tfmigrate_runtime.{name}", "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "tfmigrate-run" in ran.stdout
