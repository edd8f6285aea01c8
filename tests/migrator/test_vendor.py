"""``--vendor``: which modules are copied, where to, and what stays as it is. No TensorFlow."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tfmigrate import cli
from tfmigrate.engine import vendor
from tfmigrate.tables.runtime_api import PACKAGES
from tfmigrate.tables.runtime_modules import DISTRIBUTIONS, RUNTIME, VENDORED, imports_of, needs

ROOT = Path(__file__).parents[2]
ORIGINAL = (ROOT / "fixtures/replicate_model_fn/dense_adam/original.py").read_text()
NEEDS_LEARN = """import tensorflow as tf
from tensorflow.contrib import learn

spec = learn.ModeKeys.TRAIN
"""


def vendored(*arguments: object) -> int:
    return cli.main(["--vendor", "--quiet", *map(str, arguments)])


def copied(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}


@pytest.mark.parametrize("package", sorted({package.target for package in PACKAGES}))
def test_all_that_a_copied_module_imports_is_copied(package: str) -> None:
    found = needs([package]).modules
    # One is a function in a module.
    names = (package, package.rpartition(".")[0])
    paths = [name.removeprefix(RUNTIME) for name in names if name != RUNTIME]
    assert any(name.endswith(path) for name in found for path in paths)
    for path in found.values():
        for name in imports_of(path):
            if name.startswith(f"{RUNTIME}."):
                assert name in found or name.rpartition(".")[0] in found, (path, name)


def test_a_program_gets_what_it_needs_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(ORIGINAL)
    assert vendored(tmp_path) == 0
    text = (tmp_path / "train.py").read_text()
    assert f"from {VENDORED} import estimator\n" in text
    assert RUNTIME not in text
    files = copied(tmp_path / VENDORED)
    estimator = "estimator"
    assert {"__init__.py", f"{estimator}/__init__.py", f"{estimator}/run_config.py"} <= files
    assert not [name for name in files if name.startswith(("verify/", "tf1_shim/", "contrib/"))]
    for name in files:
        lines = (tmp_path / VENDORED / name).read_text().splitlines()
        assert f"Copied from {RUNTIME}/{name}" in lines[0]
        assert "Apache License 2.0" in lines[1]
        assert RUNTIME not in "\n".join(lines[1:])


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(ORIGINAL)
    assert vendored(tmp_path) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert vendored("--check", tmp_path) == 0
    assert vendored(tmp_path) == 0
    assert cli.main(["--quiet", str(tmp_path)]) == 0
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_program_migrated_before_is_vendored_later(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(ORIGINAL)
    assert cli.main(["--quiet", str(tmp_path)]) == 0
    assert RUNTIME in (tmp_path / "train.py").read_text()
    assert vendored(tmp_path) == 0
    assert RUNTIME not in (tmp_path / "train.py").read_text()
    assert (tmp_path / VENDORED / "estimator").is_dir()


def test_a_dry_run_writes_nothing_and_says_that_there_is_something_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(ORIGINAL)
    assert cli.main(["--vendor", "--check", str(tmp_path)]) == 1
    assert "would be copied; requires tensorflow" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.py"]
    assert (tmp_path / "train.py").read_text() == ORIGINAL


def test_a_package_has_its_copy_where_its_imports_are_found(tmp_path: Path) -> None:
    inner = tmp_path / "project" / "model" / "heads"
    inner.mkdir(parents=True)
    (tmp_path / "project" / "model" / "__init__.py").write_text("")
    (inner / "__init__.py").write_text("")
    (inner / "training.py").write_text(ORIGINAL)
    assert vendored(inner / "training.py") == 0
    copies = [path.relative_to(tmp_path) for path in tmp_path.rglob(VENDORED)]
    assert copies == [Path("project") / VENDORED]


def test_a_copy_serves_what_lies_below_it(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "train.py").write_text(ORIGINAL)
    (tmp_path / "tools" / "keys.py").write_text(NEEDS_LEARN)
    assert vendored(tmp_path) == 0
    assert "learn/__init__.py" in copied(tmp_path / VENDORED)
    assert "learn/__init__.py" in copied(tmp_path / "tools" / VENDORED)


def test_what_is_no_longer_needed_goes(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(ORIGINAL)
    (tmp_path / "keys.py").write_text(NEEDS_LEARN)
    assert vendored(tmp_path) == 0
    assert (tmp_path / VENDORED / "learn").is_dir()
    (tmp_path / "keys.py").unlink()
    assert vendored(tmp_path) == 0
    assert not (tmp_path / VENDORED / "learn").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [VENDORED, "train.py"]


def test_a_folder_of_that_name_which_is_no_copy_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / VENDORED / "mine.py"
    own.parent.mkdir()
    own.write_text("x = 1\n")
    (tmp_path / "train.py").write_text(ORIGINAL)
    assert vendored(tmp_path) == 2
    assert "was not created by tfmigrate" in capsys.readouterr().err
    assert copied(own.parent) == {"mine.py"}
    # The program does not import what is not there.
    assert f"from {RUNTIME} import estimator" in (tmp_path / "train.py").read_text()


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (OSError(28, "No space left on device"), 2, "No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=["full", "interrupted"],
)
def test_a_copy_that_cannot_be_put_in_place_leaves_the_old_one(
    error: BaseException,
    code: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "train.py").write_text(ORIGINAL)
    assert vendored(tmp_path) == 0
    before = copied(tmp_path / VENDORED)
    (tmp_path / "keys.py").write_text(NEEDS_LEARN)
    rename = Path.rename

    def fail_for_the_new_one(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    assert vendored(tmp_path) == code
    assert told in capsys.readouterr().err
    assert copied(tmp_path / VENDORED) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys.py", VENDORED, "train.py"]


def test_a_notebook_is_vendored(tmp_path: Path) -> None:
    cells = ["import tensorflow as tf", "%time x = 1", "model = tf.estimator.Estimator(model_fn)"]
    code = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": [c]}
        for c in cells
    ]
    notebook = {"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
    assert vendored(tmp_path) == 0
    assert f"from {VENDORED} import estimator" in (tmp_path / "train.ipynb").read_text()
    assert (tmp_path / VENDORED / "estimator").is_dir()


def test_only_imports_are_renamed() -> None:
    text = (
        f"# {RUNTIME} in a comment\r\n"
        f"from {RUNTIME} import (\r\n    estimator)\r\n"
        f"import {RUNTIME}.learn, os\r\n"
        f"import other.{RUNTIME}\r\n"
        f"print('{RUNTIME}')\r\n"
        f"x = {RUNTIME}.learn.Experiment\r\n"
    )
    expected = text.replace(f"from {RUNTIME}", f"from {VENDORED}")
    expected = expected.replace(f"import {RUNTIME}", f"import {VENDORED}")
    expected = expected.replace(f"x = {RUNTIME}", f"x = {VENDORED}")
    assert vendor.renamed(text, ast.parse(text)) == expected


def test_the_standard_input_has_no_place_for_a_copy(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_code:
        cli.main(["--vendor", "-"])
    assert exit_code.value.code == 2
    assert "give the path of the file" in capsys.readouterr().err


def test_the_licence_and_the_versions_are_those_of_the_project() -> None:
    for own in ("migrator/tfmigrate/data/LICENSE", "runtime/LICENSE"):
        assert (ROOT / own).read_bytes() == (ROOT / "LICENSE").read_bytes()
    project = (ROOT / "runtime" / "pyproject.toml").read_text()
    for distribution in set(DISTRIBUTIONS.values()) - {"scipy"}:
        assert f'"{distribution}",' in project
