"""The hooks of .pre-commit-hooks.yaml, installed and run by pre-commit in a git repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import BY_HAND, ORIGINAL, UNRELATED, put
from test_notebooks import notebook

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGED = (
    ".pre-commit-hooks.yaml",
    "LICENSE",
    "README.md",
    "migrator",
    "pyproject.toml",
    "runtime",
    "scripts/release",
    "setup.py",
)
CONFIG = """\
repos:
  - repo: {hooks}
    rev: {commit}
    hooks:
      - id: {hook}
"""

fcntl = pytest.importorskip("fcntl", reason="locks of files are POSIX")
pytest.importorskip("pre_commit", reason="pre-commit is not installed")
if shutil.which("git") is None:
    pytest.skip("git is not installed", allow_module_level=True)
pytestmark = pytest.mark.long  # pip installs the hook into an environment of its own


def run(*command: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: text for key, text in os.environ.items() if not key.startswith("GIT_")}
    clean.pop("PYTHONPATH", None)  # the hook's own environment has to have all it needs
    return subprocess.run(
        command,
        cwd=folder,
        env={**clean, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=600,
    )


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    result = run("git", *who, "-c", "commit.gpgsign=false", *arguments, folder=folder)
    assert result.returncode == 0, result.stdout
    return result.stdout.strip()


def commit_all(folder: Path) -> str:
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--no-verify", "--allow-empty", "-m", "Start")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all processes that run these tests: the hooks are installed once for them."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pre-commit"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def hooks(shared: Path) -> Path:
    """A git repository of the working tree's package: what a user's configuration would name."""
    folder = shared / "hooks"
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            make_hooks(folder)
    return folder


def make_hooks(folder: Path) -> None:
    folder.mkdir()
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "*_cache")
    for name in PACKAGED:
        path = REPOSITORY / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=ignored)
        else:
            shutil.copy(path, folder / name)
    commit_all(folder)


@pytest.fixture(scope="module")
def cache(shared: Path, hooks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pre-commit's folder with the hooks installed, which pre-commit itself locks."""
    cache = shared / "cache"
    user = tmp_path_factory.mktemp("user")
    write_config(user, hooks, "tfmigrate")
    commit_all(user)
    result = pre_commit("install-hooks", folder=user, cache=cache)
    if result.returncode and "No matching distribution" in (cache / "pre-commit.log").read_text():
        pytest.skip("the hook's dependencies cannot be had: no package index within reach")
    assert result.returncode == 0, result.stdout
    return cache


def write_config(user: Path, hooks: Path, hook: str) -> None:
    commit = git(hooks, "rev-parse", "HEAD")
    text = CONFIG.format(hooks=hooks.as_posix(), commit=commit, hook=hook)
    (user / ".pre-commit-config.yaml").write_text(text)


def pre_commit(*arguments: str, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return run(*command, folder=folder, PRE_COMMIT_HOME=str(cache))


@pytest.fixture
def user(hooks: Path, tmp_path: Path) -> Path:
    """A user's repository with the rewriting hook configured and nothing staged."""
    write_config(tmp_path, hooks, "tfmigrate")
    commit_all(tmp_path)
    return tmp_path


def hooked(user: Path, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    git(user, "add", "-A")
    return pre_commit("run", *arguments, folder=user, cache=cache)


def test_the_hook_installs_without_tensorflow(cache: Path) -> None:
    installed = {path.name for path in cache.glob("*/py_env-*/lib/python*/site-packages/*")}
    assert "libcst" in installed
    assert not {"tensorflow", "numpy", "keras"} & installed


def test_without_files_the_hook_is_skipped(user: Path, cache: Path) -> None:
    put(user / "notes.txt", "no Python\n")
    result = hooked(user, cache)
    assert result.returncode == 0, result.stdout
    assert "(no files to check)Skipped" in result.stdout


def test_a_file_and_a_notebook_are_migrated_and_the_second_attempt_passes(
    user: Path, cache: Path
) -> None:
    put(user / "train.py")
    (user / "train.ipynb").write_bytes(notebook(ORIGINAL))
    result = hooked(user, cache)
    assert result.returncode == 1
    assert "files were modified by this hook" in result.stdout
    migrated = (user / "train.py").read_text()
    assert migrated != ORIGINAL
    assert b"replicate_model_fn" not in (user / "train.ipynb").read_bytes()
    result = hooked(user, cache)
    assert result.returncode == 0, result.stdout
    assert (user / "train.py").read_text() == migrated


def test_a_commit_runs_the_installed_hook(user: Path, cache: Path) -> None:
    assert pre_commit("install", folder=user, cache=cache).returncode == 0
    put(user / "train.py")
    git(user, "add", "-A")
    who = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    attempt = ("git", *who, "-c", "commit.gpgsign=false", "commit", "-qm", "Train")
    environment = {"PRE_COMMIT_HOME": str(cache)}
    assert run(*attempt, folder=user, **environment).returncode == 1
    git(user, "add", "-A")
    assert run(*attempt, folder=user, **environment).returncode == 0
    assert git(user, "status", "--porcelain") == ""


def test_many_files_go_through_one_process_and_only_those_concerned_change(
    user: Path, cache: Path
) -> None:
    """A wrapper and its optimizer in two files are one change: one process has to see both."""
    head, _, tail = ORIGINAL.partition("\n\ndef main")
    put(user / "model.py", head + "\n")
    put(
        user / "main.py", "import tensorflow as tf\nfrom model import model_fn\n\n\ndef main" + tail
    )
    for number in range(400):
        put(user / "lib" / f"module_{number:03}.py", UNRELATED)
    result = hooked(user, cache)
    assert result.returncode == 1
    assert set(git(user, "diff", "--name-only").split()) == {"model.py", "main.py"}
    assert "contrib" not in (user / "model.py").read_text() + (user / "main.py").read_text()
    assert len(re.findall("files? migrated", result.stdout)) == 1  # one summary
    assert hooked(user, cache).returncode == 0


def test_one_broken_file_is_told_and_the_others_are_migrated(user: Path, cache: Path) -> None:
    put(user / "train.py")
    broken = put(user / "broken.py", "import tensorflow as tf\ndef (:\n")
    result = hooked(user, cache)
    assert result.returncode == 1
    assert "exit code: 2" in result.stdout
    assert "broken.py:2:" in result.stdout
    assert "Traceback" not in result.stdout
    assert (user / "broken.py").read_bytes() == broken
    assert (user / "train.py").read_text() != ORIGINAL


def test_what_needs_a_human_fails_the_hook_each_time(user: Path, cache: Path) -> None:
    put(user / "train.py", BY_HAND)
    for _ in range(2):
        result = hooked(user, cache)
        assert result.returncode == 1
        assert "train.py:" in result.stdout


def test_the_checking_hook_writes_nothing(user: Path, hooks: Path, cache: Path) -> None:
    write_config(user, hooks, "tfmigrate-check")
    put(user / "train.py")
    result = hooked(user, cache)
    assert result.returncode == 1
    assert "exit code: 1" in result.stdout
    assert "files were modified" not in result.stdout
    assert (user / "train.py").read_text() == ORIGINAL
