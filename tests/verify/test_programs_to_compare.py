"""Which two programs are compared."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.running import programs
from tfmigrate_runtime.verify.running.programs import SourceError

TF1 = "import tensorflow as tf\nprint(tf.get_variable('a', []))\nif __name__ == '__main__': pass\n"


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with a package, data, an environment and a hidden folder."""
    root = tmp_path / "project"
    for name, text in {
        "package/__init__.py": "",
        "package/model.py": "import tensorflow as tf\nX = tf.get_variable\n",
        "package/task.py": TF1,
        "data/vocabulary.txt": "a\nb\n",
        ".hidden/file.py": TF1,
        "environment/pyvenv.cfg": "",
        "environment/file.py": TF1,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_program_belongs_to_the_folder_above_its_package(tree: Path) -> None:
    assert programs.root_of(tree / "package" / "task.py") == tree
    assert programs.start_of(tree / "package") == tree / "package" / "task.py"


def test_the_name_of_a_module_is_its_place_below_the_folder(tree: Path) -> None:
    script = tree / "package" / "task.py"
    assert programs.module_name(script, None) == "package.task"
    assert programs.module_name(script, tree / "package") == "task"
    with pytest.raises(SourceError, match=r"is not in .*environment: pass the folder for -m"):
        programs.module_name(script, tree / "environment")
    with pytest.raises(SourceError, match=r"^\.hidden\.file is not a module name"):
        programs.module_name(tree / ".hidden" / "file.py", tree)


def test_which_script_starts_has_to_be_clear(tree: Path) -> None:
    with pytest.raises(
        SourceError, match="has several scripts with __main__: name the file to run\n"
    ):
        programs.start_of(tree)
    with pytest.raises(SourceError, match="has no script with __main__"):
        programs.start_of(tree / "data")
    with pytest.raises(SourceError, match=r"absent\.py: no such file"):
        programs.start_of(tree / "absent.py")


def test_a_copy_is_migrated(tree: Path, tmp_path: Path) -> None:
    said: list[str] = []
    shown: list[str] = []
    script = tree / "package" / "task.py"
    before = script.read_bytes()
    pair = programs.migrate_into(script, None, tmp_path / "new", False, said.append, shown.append)
    assert pair.original == script
    assert script.read_bytes() == before
    assert "import tensorflow.compat.v1 as tf" in pair.migrated.read_text()
    new = tmp_path / "new" / "project"
    assert pair.migrated == new / "package" / "task.py"
    assert "compat.v1" in (new / "package" / "model.py").read_text()
    assert (new / "data" / "vocabulary.txt").is_symlink()
    assert not (new / ".hidden").exists() and not (new / "environment").exists()
    assert said == [f"migrating a copy of {tree}"]
    assert any(line.startswith("package/task.py:1:") for line in shown), shown
    assert pair.warnings == ()


def test_what_is_left_for_a_human_is_a_warning(tree: Path, tmp_path: Path) -> None:
    script = tree / "package" / "task.py"
    script.write_text(TF1 + "tf.contrib.tpu.keras_to_tpu_model()\n")
    shown: list[str] = []
    pair = programs.migrate_into(script, None, tmp_path / "new", False, print, shown.append)
    assert len(pair.warnings) == 1
    assert any("TFM702" in line for line in shown)


def test_a_file_that_cannot_be_parsed_is_a_warning(tree: Path, tmp_path: Path) -> None:
    (tree / "package" / "for_python2.py").write_text("import tensorflow as tf\n(\n")
    script = tree / "package" / "task.py"
    pair = programs.migrate_into(script, None, tmp_path / "new", False, print, print)
    assert pair.warnings == ("tfmigrate could not read package/for_python2.py: left unchanged",)
    assert "import tensorflow.compat.v1 as tf" in pair.migrated.read_text()
    script.write_text(TF1 + "(\n")
    with pytest.raises(SourceError, match="exit code 2; nothing was verified"):
        programs.migrate_into(script, None, tmp_path / "newer", False, print, print)


def test_nothing_to_migrate(tmp_path: Path) -> None:
    script = tmp_path / "project" / "script.py"
    script.parent.mkdir()
    script.write_text("print('hello')\n")
    with pytest.raises(SourceError, match="made no changes in"):
        programs.migrate_into(script, None, tmp_path / "new", False, print, print)
    with pytest.raises(SourceError, match="is not in"):
        programs.migrate_into(script, tmp_path / "other", tmp_path / "new", False, print, print)


def test_the_original_from_history(tree: Path, tmp_path: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "add", "package", "data")
    git(tree, "commit", "-qm", "before")
    script = tree / "package" / "task.py"
    script.write_text("import tensorflow.compat.v1 as tf\n")
    git(tree, "commit", "-qam", "after")
    said: list[str] = []
    pair = programs.at_revision(script, None, "HEAD~1", tmp_path / "old", said.append)
    assert pair.original.read_text() == TF1
    assert pair.migrated == script
    assert (tmp_path / "old" / "data" / "vocabulary.txt").is_file()
    commit = pair.names[0].rpartition(" ")[2]
    assert pair.names == (f"package/task.py at {commit}", str(script))
    assert said == [f"taking package/task.py from {commit}"]
    with pytest.raises(SourceError, match="git: no revision nowhere"):
        programs.at_revision(script, None, "nowhere", tmp_path / "b", print)
    with pytest.raises(SourceError, match=r"package/new.py is not in HEAD"):
        programs.at_revision(tree / "package/new.py", None, "HEAD", tmp_path / "c", print)


def test_no_repository(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(TF1)
    with pytest.raises(SourceError, match=r"git: .*not a git repository"):
        programs.at_revision(script, None, "HEAD", tmp_path / "old", print)
