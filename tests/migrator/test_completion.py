from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from test_cli import usage_error

from tfmigrate import cli
from tfmigrate.commands.arguments import COMMANDS
from tfmigrate.commands.completion import SHELLS
from tfmigrate.commands.migrate_options import parser
from tfmigrate.rulekit.registry import rules

_DRIVER = """
source "$1"; shift
COMP_WORDS=(tfmigrate "$@"); COMP_CWORD=$#
_tfmigrate
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Path]:
    """The script of every shell."""
    paths = {}
    for shell in SHELLS:
        assert cli.main(["completion", shell]) == 0
        paths[shell] = tmp_path / f"completion.{shell}"
        paths[shell].write_text(capsys.readouterr().out, encoding="utf-8")
    return paths


@pytest.fixture
def complete(scripts: dict[str, Path], tmp_path: Path):  # type: ignore[no-untyped-def]
    """Returns what bash offers for the last of some words."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    folder = tmp_path / "project"
    (folder / "sub folder").mkdir(parents=True)
    (folder / "run.py").touch()

    def words(*given: str) -> set[str]:
        command = ["bash", "-c", _DRIVER, "bash", str(scripts["bash"]), *given]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert result.stderr == ""
        return set(result.stdout.splitlines()) - {""}

    return words


def test_bash_completes_commands_files_options_and_values(complete) -> None:  # type: ignore[no-untyped-def]
    codes = {rule.code for rule in rules()}
    assert complete("") == {*COMMANDS, "run.py", "sub folder"}
    assert complete("ru") == {"rules", "run.py"}
    assert complete("--check", "ru") == {"run.py"}
    assert complete("--form") == {"--format"}
    assert complete("--format", "") == {"text", "json", "sarif", "github"}
    assert complete(".", "--target", "2.2") == {"2.20", "2.21"}
    assert complete("--select", "TFM20") == {code for code in codes if code.startswith("TFM20")}
    assert complete("--report", "su") == {"sub folder"}
    assert complete("explain", "TFM60") == {"TFM601", "TFM602"}
    assert complete("rules", "--f") == {"--format"}
    assert complete("completion", "") == set(SHELLS)
    assert complete("verify", "r") == {"run.py"}
    assert complete("--exclude", "r") == {"run.py"}
    assert complete("--select", "TFM90") == {"TFM906", "TFM907", "TFM908"}
    assert complete("--jobs", "r") == set()


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_names_every_option_and_command(scripts: dict[str, Path], shell: str) -> None:
    text = scripts[shell].read_text()
    names = {name for action in parser()._actions for name in action.option_strings}
    for name in names:
        spelled = name
        if shell == "fish":
            spelled = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
        assert spelled in text
    assert all(command in text for command in COMMANDS)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_is_of_its_shells_language(scripts: dict[str, Path], shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(scripts[shell])], check=True)


def test_another_shell_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert "invalid choice: 'csh'" in usage_error(["completion", "csh"], capsys)
