"""The examples in docs/examples: they can be read, and their commands are ones we have."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tfmigrate_runtime.verify.options import parse

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"


def workflow() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())
    return found


def commands(job: str) -> list[list[str]]:
    steps = workflow()["jobs"][job]["steps"]
    return [shlex.split(step["run"]) for step in steps if "run" in step]


def test_the_workflow_verifies_with_options_we_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    install, verify = commands("cpu")
    assert install == ["pip", "install", "tfmigrate[runtime]"]
    assert verify[:2] == ["tfmigrate", "verify"]
    options = parse(verify[2:])
    assert options.git == "$ORIGINAL"
    assert options.format == "github"
    assert options.report == [Path("equivalence.html")]
    assert options.arguments == ["--model_dir", "{out}"]
    uploaded = workflow()["jobs"]["cpu"]["steps"][-1]["with"]["path"]
    assert uploaded == str(options.report[0])


def test_the_workflow_for_gpus_gives_pytest_options_it_has(pytester: pytest.Pytester) -> None:
    _install, run = commands("gpu")
    assert run[0] == "pytest"
    plugin = ["-p", "tfmigrate_runtime.verify.pytest_plugin"]
    if pytester.runpytest_subprocess("--help").stdout.str().count("--equivalence-devices"):
        plugin = []  # the installed distribution's entry point loads it
    pytester.mkdir("tests").joinpath("equivalence").mkdir()
    result = pytester.runpytest_subprocess(*plugin, *run[1:])
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED, result.stderr.str()


def test_the_pre_commit_example_names_a_hook_we_have() -> None:
    example = yaml.safe_load((EXAMPLES / "pre-commit-config.yaml").read_text())
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    named = {hook["id"] for repo in example["repos"] for hook in repo["hooks"]}
    assert named and named <= hooks
