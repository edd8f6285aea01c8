"""The README is enough: its steps migrate and verify a program, and a session uses no others."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.model.findings import Severity
from tfmigrate.model.targets import TARGETS

REPLICATED = "replicate_model_fn"
ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = ROOT / "scripts" / "pages" / "transcript_project"
LONGEST = 150


def steps(section: str) -> list[list[str]]:
    """Returns the commands of a section, as words."""
    text = README.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [shlex.split(line.removeprefix("$ "), comments=True) for line in block.splitlines()]


def test_its_steps_migrate_and_verify_a_program(tmp_path: Path) -> None:
    project = tmp_path / "digits"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("train_tpu.py"))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=project, capture_output=True, text=True)

    run("git", "init", "--quiet")
    run("git", "add", ".")
    identity = ("-c", "user.name=User", "-c", "user.email=user@example.org")
    printed = ""
    for words in steps("Migrate your program"):
        if words[0] == "git":
            command = ("git", *identity, *words[1:])
        else:
            assert words[0] == "tfmigrate"
            command = (sys.executable, "-m", *words)
        done = run(*command)
        assert done.returncode == ("--diff" in words), (words, done.stdout, done.stderr)
        printed = done.stdout
    assert "The programs train the same" in printed


def test_the_session_shows_no_step_that_it_does_not_name() -> None:
    page = (ROOT / "docs/tutorial/getting_started.md").read_text(encoding="utf-8")
    page = page.partition("scripts/pages/transcript.py")[2]
    shown = re.findall(r"^\$ (tfmigrate .*)$", page, re.MULTILINE)
    assert len(shown) > 5
    for command in shown:
        own = command.partition(";")[0].partition(" -- ")[0].split()
        named = [word for word in own if word.startswith("-") or word in {"verify", "explain"}]
        for word in named:
            assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", README), command


def converted_programs(target: str, code: str, *families: str) -> tuple[int, int, int]:
    """Returns how many programs are converted, without and with --unsafe, and of how many."""
    safe = unsafe = total = 0
    for case in (
        c.parent for name in families for c in (ROOT / "fixtures" / name).glob("*/case.toml")
    ):
        single = case / "original.py"
        paths = [single] if single.is_file() else sorted((case / "original").glob("*.py"))
        sources = [decode_source(read_bytes(path), path, path.name) for path in paths]
        findings = migrate(sources, Options(target=TARGETS[target], unsafe=True), [case]).findings
        made = {f.severity for f in findings if f.code == code}
        total += 1
        unsafe += bool(made)
        safe += made == {Severity.FIXED}
    return safe, unsafe, total


@pytest.mark.long  # migrates all programs: what they become is compared by others
def test_its_numbers_of_keras_programs_are_those_of_the_fixtures_and_of_the_page() -> None:
    text = " ".join(README.split())
    families = ("contrib_distribute", "experiment", REPLICATED)
    safe, unsafe, total = converted_programs("keras", "TFM801", *families)
    assert f"{safe} of our {total} Estimator programs become such models" in text
    assert f"with `--unsafe`, which leaves out summaries, {unsafe}, and" in text
    eager, _, programs = converted_programs("eager", "TFM804", "replica_device_setter", "towers")
    assert eager == programs
    assert f"`--target eager` converts our {programs} programs with device setters or" in text
    page = (ROOT / "docs/explanation/coverage.md").read_text(encoding="utf-8")
    _, _, of_keras = page.partition("<!-- Keras programs: ")
    public = re.search(r"^(\d+) programs of (\d+) repositories: \1 verified equal", of_keras, re.M)
    assert public
    assert "and {} public programs of {} repositories".format(*public.groups()) in text


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= LONGEST
