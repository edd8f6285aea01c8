"""The pytest plugin, used as in somebody else's project."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.pytest_plugin import Equivalence

pytest_plugins = ["pytester"]
CASE = Path(__file__).parents[2] / "fixtures" / "towers" / "feed_slices_clip"
DOCUMENTATION = Path(__file__).parents[2] / "docs/reference/verify.md"


def documented() -> str:
    """Returns the example of the documentation."""
    section = DOCUMENTATION.read_text("utf-8").split("## In pytest")[1].split("\n## ")[0]
    return section.split("```python\n")[1].split("```")[0]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with both programs and a test."""
    monkeypatch.delenv("TFMIGRATE_REFERENCE_PYTHON", raising=False)
    for source, target in (("original.py", "original.py"), ("migrated.py", "train.py")):
        text = (CASE / source).read_text().replace("logdir", "model_dir")
        (pytester.path / target).write_text(text)
    pytester.makepyfile(test_training=documented())
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    # Where the distribution is installed its entry point loads the plugin.
    plugin = [] if _is_installed() else ["-p", "tfmigrate_runtime.verify.pytest_plugin"]
    return project.runpytest_inprocess("-p", "no:cacheprovider", *plugin, *options)


def _is_installed() -> bool:
    from importlib.metadata import entry_points

    return any(entry.name == "pytest-tfmigrate" for entry in entry_points(group="pytest11"))


def test_a_golden_trace_is_stored_and_used(project: pytest.Pytester, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    first = run(project, "--equivalence-update", f"--equivalence-report={pages}")
    first.assert_outcomes(passed=1)
    first.stdout.fnmatch_lines(
        [
            "*stored traces of originals*",
            "equivalence/test_training-test_migration.npz (* KiB, TensorFlow 2.*, legacy runtime)",
        ]
    )
    stored = project.path / "equivalence" / "test_training-test_migration.npz"
    assert stored.is_file()
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]
    assert (
        "The programs train the same" in (pages / "test_training-test_migration.html").read_text()
    )
    right = (project.path / "train.py").read_text()
    wrong = right.replace("learning_rate = 0.05", "learning_rate = 1")
    (project.path / "train.py").write_text(wrong)
    second = run(project)
    second.assert_outcomes(failed=1)
    assert "stored traces" not in second.stdout.str()
    second.stdout.fnmatch_lines(
        ["*Variables first differ at step 1*", "*5  same variables and slots*DIFFERENT*"]
    )
    # The trace of an original that was edited since is not used.
    (project.path / "original.py").write_text("raise SystemExit(1)\n")
    third = run(project)
    third.assert_outcomes(failed=1)
    third.stdout.fnmatch_lines(["equivalence: *.npz is out of date: original.py has changed *"])


def test_what_is_not_decided_is_skipped(
    equivalence: Equivalence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is neither shown to train the same nor to differ: the summary names it."""
    made_reports = pytest.importorskip("made_reports")
    monkeypatch.setattr("tfmigrate_runtime.verify.pipeline.verify", lambda _: made_reports.free())
    with pytest.raises(
        pytest.skip.Exception, match="equivalence: Not decided: no difference was found, which"
    ):
        equivalence("original.py", "migrated.py")


def test_a_test_on_gpus_is_skipped_where_there_are_none(project: pytest.Pytester) -> None:
    if any(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("this machine has a GPU")
    result = run(project, "--equivalence-devices", "gpu:2", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*--devices gpu:2: this machine has no NVIDIA GPU*"])


def test_what_cannot_be_run_fails_in_one_line(project: pytest.Pytester) -> None:
    result = run(project, "--equivalence-reference-python", f"{os.sep}nowhere{os.sep}python")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["equivalence: the original failed: cannot run /nowhere/python: *"])


def test_help_tells_of_the_options(project: pytest.Pytester) -> None:
    text = run(project, "--help").stdout.str()
    for option in ("devices", "require-gpu", "reference-python", "update", "report"):
        assert f"--equivalence-{option}" in text
    assert "equivalence" in run(project, "--fixtures").stdout.str()


def test_tests_that_compare_programs_are_marked(project: pytest.Pytester) -> None:
    project.makepyfile(test_other="def test_other():\n    pass\n")
    left = run(project, "--collect-only", "-q", "--strict-markers", "-m", "not equivalence")
    left.stdout.fnmatch_lines(["test_other.py::test_other"])
    assert "test_migration" not in left.stdout.str()
    chosen = run(project, "--collect-only", "-q", "-m", "equivalence")
    chosen.stdout.fnmatch_lines(["test_training.py::test_migration"])
    assert "test_other" not in chosen.stdout.str()


MARKED = """
import pytest

pytestmark = pytest.mark.equivalence(devices="gpu:2", replicas=3)

def test_of_the_module(equivalence):
    equivalence("original.py", "train.py")

@pytest.mark.equivalence(devices="gpu:4")
def test_of_its_own(equivalence):
    equivalence("original.py", "train.py")

@pytest.mark.equivalence(devices="gpu:4")
def test_of_its_call(equivalence):
    equivalence("original.py", "train.py", devices="gpu:5")

@pytest.mark.equivalence(device="gpu")
def test_of_no_option(equivalence):
    equivalence("original.py")

@pytest.mark.equivalence("original.py")
def test_of_a_program(equivalence):
    equivalence("original.py")
"""


def test_markers_have_the_options_of_comparisons(project: pytest.Pytester) -> None:
    if any(Path("/dev").glob("nvidia[0-9]*")):
        pytest.skip("this machine has a GPU: the programs would train on it")
    project.makepyfile(test_training=MARKED)
    result = run(project, "-rs")
    result.assert_outcomes(skipped=3, failed=2)
    shown = result.stdout.str()
    for devices in ("gpu:2", "gpu:4", "gpu:5"):
        assert f"--devices {devices}: this machine has no NVIDIA GPU" in shown
    assert "TypeError: equivalence: unknown option: device\n" in shown
    assert "TypeError: pytest.mark.equivalence takes keyword options only" in shown


NAMED = """
import pytest

class TestOne:
    def test_it(self, equivalence):
        print("number:", equivalence._number())

class TestOther:
    @pytest.mark.parametrize("size", [1, 2])
    def test_it(self, equivalence, size):
        print("number:", equivalence._number())
        print("number:", equivalence._number())
"""


def test_no_two_comparisons_share_a_trace(project: pytest.Pytester) -> None:
    project.makepyfile(test_training=NAMED, test_other=NAMED)
    shown = run(project, "-s").stdout.str()
    numbers = re.findall(r"number: (\S+)", shown)
    assert len(numbers) == 10 and len(set(numbers)) == 10
    assert {"test_training-TestOne-test_it", "test_other-TestOther-test_it-1-2"} <= set(numbers)
