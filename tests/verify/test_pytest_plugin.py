"""The pytest plugin, used as in somebody else's project."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
CASE = Path(__file__).parents[2] / "fixtures" / "towers" / "feed_slices_clip"
TEST = """
def test_migration(equivalence):
    report = equivalence("original.py", "train.py", args=["--logdir", "{out}"], replicas=2)
    assert report.verdict.same
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with both programs and a test."""
    monkeypatch.delenv("TFMIGRATE_REFERENCE_PYTHON", raising=False)
    shutil.copy(CASE / "original.py", pytester.path)
    shutil.copy(CASE / "migrated.py", pytester.path / "train.py")
    pytester.makepyfile(test_training=TEST)
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    # Where the distribution is installed its entry point loads the plugin.
    plugin = [] if _is_installed() else ["-p", "tfmigrate_runtime.verify.pytest_plugin"]
    return project.runpytest_subprocess("-p", "no:cacheprovider", *plugin, *options)


def _is_installed() -> bool:
    from importlib.metadata import entry_points

    return any(entry.name == "tfmigrate" for entry in entry_points(group="pytest11"))


def test_a_golden_trace_is_stored_and_used(project: pytest.Pytester, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    first = run(project, "--equivalence-update", f"--equivalence-report={pages}")
    first.assert_outcomes(passed=1)
    stored = project.path / "equivalence" / "test_migration.npz"
    assert stored.is_file()
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]
    assert "They train the same." in (pages / "test_migration.html").read_text()
    # Now the original is not run: one that fails at once makes no difference but a warning.
    (project.path / "original.py").write_text("raise SystemExit(1)\n")
    wrong = (CASE / "migrated.py").read_text().replace("learning_rate = 0.05", "learning_rate = 1")
    (project.path / "train.py").write_text(wrong)
    second = run(project)
    second.assert_outcomes(failed=1, warnings=1)
    second.stdout.fnmatch_lines(
        ["*4  same loss at every step*DIFFERENT*", "*The loss first differs at step 2*"]
    )
    assert "has changed since" in second.stdout.str()


def test_a_test_on_gpus_is_skipped_where_there_are_none(project: pytest.Pytester) -> None:
    if any(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("this machine has a GPU")
    result = run(project, "--equivalence-devices", "gpu:2", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*--devices gpu:2: this machine has no NVIDIA GPU*"])


def test_what_cannot_be_run_fails_in_one_line(project: pytest.Pytester) -> None:
    result = run(project, "--equivalence-reference-python", f"{os.sep}nowhere{os.sep}python")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["equivalence: cannot run /nowhere/python: *"])


def test_help_tells_of_the_options(project: pytest.Pytester) -> None:
    text = run(project, "--help").stdout.str()
    for option in ("devices", "reference-python", "update", "report"):
        assert f"--equivalence-{option}" in text
    assert "equivalence" in run(project, "--fixtures").stdout.str()
