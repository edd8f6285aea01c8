"""What counts as a port, what frameworks define, and what the recorder alone consists of."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.diagnosis.definitions import definition
from tfmigrate_runtime.verify.running.ports import is_port

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "runtime"

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import tensorflow as tf\n", False),
        ("import keras\n", False),
        ("import numpy as np\n", False),
        ("import torch\n", True),
        ("from torch import nn\n", True),
        ("import torch\nimport tensorflow as tf\n", False),
        ("import jax.numpy as jnp\nimport optax\n", True),
        ("import os\nos.environ['KERAS_BACKEND'] = 'jax'\nimport keras\n", True),
        ("import os\nos.environ.setdefault('KERAS_BACKEND', 'torch')\nimport keras\n", True),
        ("import os\nos.environ['KERAS_BACKEND'] = 'tensorflow'\nimport keras\n", False),
        ("from tfmigrate_runtime import record\n", True),
        ("from tfmigrate_runtime import estimator\n", False),
        ("import model\n", True),  # model.py beside it is of PyTorch
        ("from package.model import net\n", True),
    ],
)
def test_what_is_a_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: bool
) -> None:
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    (tmp_path / "package").mkdir()
    for path in (tmp_path / "model.py", tmp_path / "package" / "model.py"):
        path.write_text("import torch\n")
    script = tmp_path / "train.py"
    script.write_text(text)
    assert is_port(script) is expected


@pytest.mark.parametrize(
    ("line", "code", "framework", "said"),
    [
        ("average: the update is 10 times: 1 - the decay (norm/moving_mean).", "average-decay",
         "torch 2.13", "for 0.99 of TensorFlow pass momentum=0.01"),
        ("average: the update is 10 times: 1 - the decay (norm/moving_mean).", "average-decay",
         "keras 3.15 on jax", ""),
        ("average: what is averaged is 1.07 times (norm/moving_variance).", "average-value",
         "torch 2.13", "over n - 1"),
        ("weights: epsilon is greater by 9e-08 (w).", "epsilon", "keras 3.15 on jax", "is 1e-07"),
        ("weights: epsilon is greater by about -9.7e-09 (w).", "epsilon", "torch 2.13",
         "before the bias correction"),
        ("weights: epsilon is greater by 1e-05 (w).", "epsilon", "torch 2.13", ""),
        ("slots RMSProp: their own value is added -0.9 times.", "decay-rate", "torch 2.13",
         "from ones"),
        ("slots Momentum: their own value is added -0.1 times.", "decay-rate", "torch 2.13", ""),
        ("weights: the update is 2 times: the learning rate (rnn/bias).", "learning-rate",
         "torch 2.13", "two biases"),
        ("weights: the update is 2 times: the learning rate (rnn/kernel).", "learning-rate",
         "torch 2.13", ""),
        ("weights: epsilon is greater by 9e-08 (w).", "epsilon", "", ""),
        ("weights: their own value is added -0.0005 times.", "weight-decay", "torch 2.13", "AdamW"),
    ],
)  # fmt: skip
def test_what_a_framework_defines(line: str, code: str, framework: str, said: str) -> None:
    found = definition(line, code, {"framework": framework})
    assert said in found
    assert bool(said) == bool(found)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("weights: epsilon is greater by 9e-08 (w).", "epsilon", "is 1e-07"),
        (
            "average: what is averaged is 0.9993 times: a variance (v).",
            "average-value",
            "over n - 1",
        ),
        ("slots Adam_1: another direction (table/Adam_1).", "direction", "dense gradient"),
        ("slots Adam: another direction (table/Adam).", "direction", ""),
        ("weights: another direction (w).", "direction", ""),
    ],
)
def test_a_program_of_keras_on_tensorflow_has_its_definitions(
    line: str, code: str, said: str
) -> None:
    found = definition(line, code, {"native": {}})
    assert said in found
    assert bool(said) == bool(found)
    assert definition(line, code, {}) == ""


def test_the_recorder_alone_has_all_that_it_imports() -> None:
    """And nothing else: an environment of a port installs it without TensorFlow."""
    with (RUNTIME / "tfmigrate-record" / "pyproject.toml").open("rb") as stream:
        listed = set(tomllib.load(stream)["tool"]["setuptools"]["py-modules"])
    modules = {name.removesuffix(".__init__") for name in listed}
    files = {name: RUNTIME / f"{name.replace('.', '/')}.py" for name in listed}
    assert all(path.is_file() for path in files.values())
    record = {p.stem for p in (RUNTIME / "tfmigrate_runtime" / "record").glob("*.py")}
    assert {f"tfmigrate_runtime.record.{name}" for name in record} <= listed
    for name, path in files.items():
        package = name.rpartition(".")[0]
        for imported in _imports(ast.parse(path.read_text("utf-8")), package):
            assert imported in modules, f"{name} imports {imported}"


def _imports(tree: ast.Module, package: str) -> set[str]:
    """Returns the modules of the runtime that a file imports when it is imported."""
    lazy = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or id(node) in lazy:
            continue
        base = node.module or ""
        if node.level:
            parts = package.split(".")
            parent = ".".join(parts[: len(parts) - node.level + 1])
            base = f"{parent}.{base}".rstrip(".")
        if not base.startswith("tfmigrate_runtime"):
            continue
        for alias in node.names:
            inner = RUNTIME / f"{base}.{alias.name}".replace(".", "/")
            is_module = inner.with_suffix(".py").exists() or inner.is_dir()
            found.add(f"{base}.{alias.name}" if is_module else base)
    return found
