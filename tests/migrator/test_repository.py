"""What is in the repository: text that people read, and recorded traces; no caches, no binaries."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest
import yaml

from tfmigrate import __version__
from tfmigrate.commands.arguments import COMMANDS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
# Kinds of files that people write, and recorded traces of programs.
KINDS = {
    *(".py", ".md", ".toml", ".yaml", ".yml", ".json", ".txt", ".html", ".svg", ".typed", ".npz"),
    *(".png", ".cff", ".Dockerfile", ".sh", ".sbatch"),
}
NAMES = {"LICENSE", "MANIFEST.in", "Makefile", ".gitignore", "run"}  # the last is .ci/run
CACHES = {
    *("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", "fontconfig"),
    *(".tfmigrate_cache", ".cache", "build", "dist"),
}
LARGEST = 2_000_000  # bytes


def tracked() -> list[PurePosixPath]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("this is not a clone")
    return [PurePosixPath(name) for name in done.stdout.split("\0") if name]


def test_every_file_is_of_a_kind_that_belongs_here() -> None:
    files = tracked()
    assert len(files) > 100
    others = [f for f in files if f.suffix not in KINDS and f.name not in NAMES]
    assert [str(file) for file in others] == []


def test_no_folder_is_a_cache() -> None:
    assert [str(file) for file in tracked() if CACHES.intersection(file.parts)] == []


def test_text_is_text_and_nothing_is_large() -> None:
    for file in tracked():
        path = ROOT / file
        if not path.is_file():  # a file that is just being removed
            continue
        assert path.stat().st_size < LARGEST, file
        if file.suffix not in (".npz", ".png"):
            assert b"\0" not in path.read_bytes() or "fixtures" in file.parts, file


def test_what_is_no_source_is_ignored() -> None:
    made = [
        "a.pyc",
        "fontconfig/x.cache-7",
        "x.sqlite",
        ".mypy_cache/3.10/cache.db",
        "build/docs/a",
    ]
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", *made], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode == 128:
        pytest.skip("this is not a clone")
    assert done.stdout.split() == made


def test_the_workflow_of_ci_runs_make_test_on_what_the_package_supports() -> None:
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    matrix = jobs["tensorflow"]["strategy"]["matrix"]
    setup = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(f"Python :: {version}" in setup for version in matrix["python"])
    assert any("make test " in step.get("run", "") for step in jobs["tensorflow"]["steps"])


def test_every_command_of_the_workflow_is_a_target_of_the_makefile() -> None:
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"].values()
    commands = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    commands = [command for command in commands if not command.startswith("sudo ")]  # the runner's
    targets = set(re.findall("^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert len(commands) >= 2
    for command in commands:
        program, target, *_ = command.split()
        assert (program, target in targets) == ("make", True), command


def test_phony_targets_are_all_of_them() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    phony = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)[0].split()
    assert sorted(phony) == sorted(re.findall("^([a-z-]+):", text, re.MULTILINE))


def test_every_place_that_names_the_version_names_the_same() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    runtime = tomllib.loads((ROOT / "runtime/pyproject.toml").read_text("utf-8"))["project"]
    versions = {citation["version"], project["version"], runtime["version"]}
    assert versions == {__version__}
    assert f"tfmigrate-runtime=={__version__}" in project["dependencies"]
    extras = project["optional-dependencies"]["runtime"]
    assert extras == [f"tfmigrate-runtime[verify]=={__version__}"]


def test_the_security_policy_names_every_command() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    silent = {"explain", "rules", "completion"}  # they print texts of tfmigrate itself
    for command in set(COMMANDS) - silent:
        assert f"`tfmigrate {command}" in text, command


def test_forms_of_issues_are_complete() -> None:
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.stem != "config":
            assert {"name", "description", "body"} <= form.keys()
            assert all({"type", "id", "attributes"} <= field.keys() for field in form["body"])
