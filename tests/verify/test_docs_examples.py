"""The examples in docs/examples: they can be read, and their commands do what they say.

Only what is outside is stood in for: the checkout, the set-up of Python, the upload, and pip, which
would fetch a released package.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from verify_support import PROGRAMS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
# Runs a module of this interpreter, as the command that pip would have installed does.
COMMAND = '#!/bin/sh\nexec {python} -m {module} {options} "$@"\n'
OUTSIDE = {"actions/checkout", "actions/setup-python", "actions/upload-artifact"}


def workflow(name: str = "github-actions.yml") -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((EXAMPLES / name).read_text())
    return found


class Runner:
    """Runs the jobs of a workflow in a folder, as GitHub's runner would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.folder.mkdir()
        self.summary = folder / "summary.md"
        self.installed = folder / "installed"
        self._bin = folder / "bin"
        self._bin.mkdir()
        self._command("pip", f'#!/bin/sh\necho "$@" >> {self.installed}\n')
        self._command("nvidia-smi", "#!/bin/sh\n")
        self._python("tfmigrate", "tfmigrate")
        plugin = "" if _has_entry_point() else "-p tfmigrate_runtime.verify.pytest_plugin"
        self._python("pytest", "pytest", f"{plugin} -p no:cacheprovider")

    def _command(self, name: str, text: str) -> None:
        (self._bin / name).write_text(text)
        (self._bin / name).chmod(0o755)

    def _python(self, name: str, module: str, options: str = "") -> None:
        text = COMMAND.format(python=sys.executable, module=module, options=options)
        self._command(name, text)

    def run(
        self, job: str, status: int = 0, file: str = "github-actions.yml"
    ) -> tuple[list[str], list[Path]]:
        """Runs a job up to a step that fails; returns what it prints and the files it uploads.

        Args:
            job: its name.
            status: what its last command must end with.
            file: of the workflow.
        """
        said, uploaded, ended = [], [], 0
        for step in workflow(file)["jobs"][job]["steps"]:
            if ended and step.get("if") != "always()":
                continue
            if "uses" in step:
                name, _, version = step["uses"].partition("@")
                assert name in OUTSIDE and re.fullmatch(r"v\d+", version)
                if name == "actions/upload-artifact":
                    uploaded.append(self.folder / step["with"]["path"])
                continue
            shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
            done = self.start([*shell, step["run"]], step.get("env", {}))
            ended = done.returncode
            assert ended in (0, status), done.stdout + done.stderr
            said.append(done.stdout)
        assert ended == status
        return said, uploaded

    def start(
        self, command: list[str], own: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command in the folder."""
        environment = self._environment(own or {})
        found = shutil.which(command[0], path=environment["PATH"])
        assert found is not None
        return subprocess.run(
            [found, *command[1:]],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def _environment(self, own: dict[str, str]) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("TFMIGRATE_REFERENCE")}
        path = f"{self._bin}{os.pathsep}{os.environ['PATH']}"
        return {**kept, "PATH": path, "GITHUB_STEP_SUMMARY": str(self.summary), **own}


def _has_entry_point() -> bool:
    from importlib.metadata import entry_points

    return any(entry.name == "pytest-tfmigrate" for entry in entry_points(group="pytest11"))


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def test_the_job_on_cpus_verifies_the_program_against_its_history(
    runner: Runner, tensorflow_installed: None
) -> None:
    script = runner.folder / "train.py"
    shutil.copy(PROGRAMS / "tiny.py", script)
    git(runner.folder, "init", "-q")
    git(runner.folder, "add", ".")
    git(runner.folder, "commit", "-qm", "Train on TensorFlow 1.x")
    git(runner.folder, "update-ref", "refs/remotes/origin/tensorflow-1", "HEAD")
    script.write_text("# Migrated.\n" + script.read_text())
    git(runner.folder, "commit", "-qam", "Train on TensorFlow 2.x")

    said, uploaded = runner.run("cpu")

    assert runner.installed.read_text() == "install tfmigrate[runtime]\n"
    told = said[-1].splitlines()
    assert told[-1] == (
        "::notice file=train.py,line=1,title=tfmigrate verify::The programs train the same."
        "%0A8 of 9 rungs compared; not compared: first batch (its graph reads no input pipeline "
        "and is fed no arrays), evaluations and predictions (none made), exports (none written)."
    )
    assert "| 4 | same loss at every step | ✅ same |" in runner.summary.read_text()
    assert [path.name for path in uploaded] == ["equivalence.html"]
    assert "The programs train the same" in uploaded[0].read_text()


@pytest.fixture
def without_a_gpu(runner: Runner) -> None:
    """A test that compares two programs, where there is no GPU."""
    if any(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("this machine has a GPU: the job would train on it")
    tests = runner.folder / "tests" / "equivalence"
    tests.mkdir(parents=True)
    (tests / "test_training.py").write_text(
        "def test_migration(equivalence):\n    equivalence('original.py', 'train.py')\n"
    )


@pytest.mark.usefixtures("without_a_gpu")
@pytest.mark.parametrize("file", ["github-actions.yml", "github-actions-gpu.yml"])
def test_the_job_on_gpus_does_not_pass_by_skipping_all_tests(runner: Runner, file: str) -> None:
    said, uploaded = runner.run("gpu", status=1, file=file)
    assert runner.installed.read_text() == "install tfmigrate[gpu] pytest\n"
    assert "1 failed" in said[-1]
    assert "--devices gpu:2: this machine has no NVIDIA GPU" in said[-1]
    assert [path.name for path in uploaded] == ["reports"]


def test_the_job_on_gpus_runs_where_it_is_asked_to() -> None:
    assert workflow()["jobs"]["gpu"]["runs-on"] == ["self-hosted", "gpu"]
    found = workflow("github-actions-gpu.yml")
    # format() replaces {0}, and takes {{ for {.
    text = re.search(r"format\('(.*?)', github.run_id\)", found["jobs"]["gpu"]["runs-on"])
    assert text is not None
    runners = json.loads(text[1].format(1234))
    assert runners["self-hosted"] == ["self-hosted", "gpu"]
    assert runners["runs-on"].startswith("runs-on=1234/")
    asked = found[True]["workflow_dispatch"]["inputs"]["provider"]  # YAML reads "on" as True
    assert asked["options"] == list(runners)
    assert "inputs.provider || 'self-hosted'" in found["jobs"]["gpu"]["runs-on"]


def test_actionlint_checks_all_workflows_in_ci() -> None:
    files = [*(ROOT / ".github/workflows").glob("*.yml"), *EXAMPLES.glob("github-actions*.yml")]
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    step = jobs["workflows"]["steps"][-1]
    assert "actionlint" in step["uses"]
    listed = step["with"]["args"].split()[1:]
    assert sorted(listed) == sorted(str(path.relative_to(ROOT)) for path in files)


@pytest.mark.usefixtures("without_a_gpu")
def test_the_container_installs_and_fails_without_a_gpu(runner: Runner) -> None:
    text = (EXAMPLES / "gpu.Dockerfile").read_text()
    lines = [line.partition(" ")[::2] for line in text.splitlines() if line and line[0] != "#"]
    instructions = dict(lines)
    assert len(instructions) == len(lines)  # none twice
    assert runner.start(["bash", "-c", instructions["RUN"]]).returncode == 0
    assert runner.installed.read_text() == "install --no-cache-dir tfmigrate[gpu] pytest\n"
    command = json.loads(instructions["ENTRYPOINT"]) + json.loads(instructions["CMD"])
    done = runner.start(command)
    assert done.returncode == 1, done.stderr
    assert "--devices gpu:2: this machine has no NVIDIA GPU" in done.stdout


def test_the_pre_commit_example_runs_a_hook_we_have(tmp_path: Path) -> None:
    example = yaml.safe_load((EXAMPLES / "pre-commit-config.yaml").read_text())
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    entries = {hook["id"]: hook["entry"].split() for hook in hooks}
    named = [hook["id"] for repo in example["repos"] for hook in repo["hooks"]]
    assert named
    original = ROOT / "fixtures/replicate_model_fn/dense_adam/original.py"
    for name in named:
        script = tmp_path / "train.py"
        shutil.copy(original, script)
        command = [sys.executable, "-m", *entries[name], str(script)]
        first = subprocess.run(command, capture_output=True, text=True, check=False)
        assert first.returncode in (0, 1), first.stderr
        assert script.read_text() == original.with_name("migrated.py").read_text()
        again = subprocess.run(command, capture_output=True, text=True, check=False)
        assert again.returncode == 0, again.stdout
