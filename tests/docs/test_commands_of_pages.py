"""Commands that pages show take the options shown; links of the README lead somewhere."""

from __future__ import annotations

import re
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
