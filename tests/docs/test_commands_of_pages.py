"""Commands that pages show take the options shown; links of the README lead somewhere."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import pytest

from tfmigrate import cli
from tfmigrate_runtime.tf1_shim.command_line import main as tf1_shim_main

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
# "tfmigrate verify: ..." is output.
_SHOWN = re.compile(r"^ *(?:\$|- run:)? *(tfmigrate(?:-run)?) (?!\w+:)([^#|<>]*)", re.MULTILINE)
_OPTION = re.compile(r"(?<=\s)--?[a-z][a-z0-9-]*")


@cache
def help_of(program: str, command: str) -> str:
    """Returns what ``--help`` prints, in this process."""
    main = {"tfmigrate": cli.main, "tfmigrate-run": tf1_shim_main}[program]
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = ended(main, [*([command] if command else []), "--help"])
    assert code == 0, printed.getvalue()
    return printed.getvalue()


def ended(main: Callable[[list[str]], object], arguments: list[str]) -> object:
    """Returns the exit code of a command that is run in this process."""
    try:
        return main(arguments) or 0
    except SystemExit as end:
        return end.code or 0


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
def test_every_command_of_the_migrator_runs(
    command: str,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It does its work, or finds work that is left; a wrong command line would be 2."""
    monkeypatch.chdir(shutil.copytree(project, tmp_path / "project"))
    if "--baseline" in command:
        ended(cli.main, ["--check", "--write-baseline", "tfmigrate-baseline.json", "."])
    code = ended(cli.main, shlex.split(command)[1:])
    printed = capsys.readouterr()
    assert code in (0, 1), printed.err
    assert "Traceback" not in printed.err
    assert printed.out or "--quiet" in command


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
