"""Commands that pages show take the options shown; links of the README lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
MODULES = {"tfmigrate": "tfmigrate", "tfmigrate-run": "tfmigrate_runtime.tf1_shim"}
# "tfmigrate verify: ..." is output.
_SHOWN = re.compile(r"^ *(?:\$|- run:)? *(tfmigrate(?:-run)?) (?!\w+:)([^#|<>]*)", re.MULTILINE)
_OPTION = re.compile(r"(?<=\s)--?[a-z][a-z0-9-]*")


@cache
def help_of(program: str, command: str) -> str:
    arguments = [*([command] if command else []), "--help"]
    done = subprocess.run(
        [sys.executable, "-m", MODULES[program], *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown_commands(text: str) -> list[tuple[str, str, list[str]]]:
    """Returns program, command and options of each command line in fenced or indented code."""
    found = []
    blocks = re.findall(r"^```(?:console|yaml)\n(.*?)^```|^((?: {4}.*\n)+)", text, re.M | re.S)
    for block in ("".join(block).replace("\\\n", " ") for block in blocks):
        for program, rest in _SHOWN.findall(block):
            # What stands behind is the program's.
            end = " -- " if program == "tfmigrate" else ".py"
            own = rest.split("\n")[0].split(end)[0]
            first = own.split()[0] if own.split() else ""
            commands = re.findall(r"^  tfmigrate (\w+) ", help_of("tfmigrate", ""), re.M)
            command = first if program == "tfmigrate" and first in commands else ""
            found.append((program, command, _OPTION.findall(f" {own}")))
    return found


def test_every_option_of_a_shown_command_exists() -> None:
    count = 0
    for page in PAGES:
        for program, command, options in shown_commands(page.read_text(encoding="utf-8")):
            known = set(re.findall(r"--?[a-z][a-z0-9-]*", help_of(program, command)))
            unknown = set(options) - known
            assert not unknown, (page.name, program, command, unknown)
            count += 1
    assert count > 30  # they were found


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_links_lead_to_files_that_are_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", text):
        assert (ROOT / target).exists(), target


# Its package is made by the page that shows it; tests/migrator/test_plugins.py makes it too.
_OF_OTHER_PACKAGES = {"tfmigrate explain ACM001"}
# They train programs, or import TensorFlow: test_readme.py and tests/verify run such ones.
_NEED_TENSORFLOW = ("tfmigrate verify", "tfmigrate doctor", "tfmigrate checkpoint")


def shown_lines(program: str) -> set[str]:
    """Returns the lines of all pages that begin with a program, as a reader copies them."""
    found = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(rf"^ *\$ ({program} .*)$", text, re.MULTILINE):
            found.add(" ".join(re.split(r" #|[;>|]| &&", line)[0].split()))
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with what the commands name."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "scripts/pages/transcript_project", folder, dirs_exist_ok=True)
    for name in ("src", "notebooks"):
        shutil.copytree(ROOT / "scripts/pages/transcript_project", folder / name)
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    cell["source"] = ["import tensorflow as tf\n", "x = tf.placeholder(tf.float32)\n"]
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "notebooks" / "train.ipynb").write_text(json.dumps(book), encoding="utf-8")
    return folder


COMMANDS = sorted(
    line
    for line in shown_lines("tfmigrate")
    if not line.startswith(_NEED_TENSORFLOW) and line not in _OF_OTHER_PACKAGES
)


def test_commands_were_found() -> None:
    assert len(COMMANDS) > 10
    assert "tfmigrate --diff ." in COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_migrator_runs(command: str, project: Path, tmp_path: Path) -> None:
    """It does its work, or finds work that is left; a wrong command line would be 2."""
    folder = shutil.copytree(project, tmp_path / "project")
    if "--baseline" in command:
        arguments = ["--check", "--write-baseline", "tfmigrate-baseline.json", "."]
        subprocess.run([sys.executable, "-m", "tfmigrate", *arguments], cwd=folder, check=False)
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout or "--quiet" in command


def test_scripts_and_targets_of_commands_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    makes = [line.split()[1:] for line in shown_lines("make")]
    assert makes
    assert {word for words in makes for word in words} <= targets
    scripts = {
        word
        for line in shown_lines(r"(?:\S*/)?python3?(?:\.\d+)?")
        for word in line.split()
        if word.startswith(("scripts/", "benchmarks/"))
    }
    assert len(scripts) > 5
    for script in scripts:
        assert (ROOT / script).exists(), script
