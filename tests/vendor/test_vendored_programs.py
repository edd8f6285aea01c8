"""Vendored programs, with tfmigrate blocked, train as TensorFlow 1.15.5 trained the originals."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from long_tail import one_in
from recorded_cases import load_case

from tfmigrate import cli
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
TIMEOUT_SECONDS = 300.0
# An Estimator alone, contrib.learn with tf_slim, and replicas that are towers.
CASES = ("replicate_model_fn/dense_adam", "experiment/local_run", "towers/feed_slices_clip")
# None in sys.modules is an ImportError; the recorder itself imports neither. The comment lets the
# tests start it in a process that has imported tensorflow (tests/warm_python).
HINT = "tensorflow, from tfmigrate_vendored import estimator"
START = """import runpy
import sys

sys.modules.update(tfmigrate=None, tfmigrate_runtime=None)
try:
    import tfmigrate_runtime.estimator
except ImportError:
    runpy.run_path({program!r}, run_name="__main__")  # {hint}
else:
    sys.exit("the runtime is not blocked")
"""


@pytest.mark.parametrize("name", one_in(3, CASES))
def test_vendored_program_trains_like_the_original(name: str, tmp_path: Path) -> None:
    case = load_case(FIXTURES / name)
    program = tmp_path / "project" / "train.py"
    program.parent.mkdir()
    shutil.copy(case.original, program)
    assert cli.main(["--vendor", "--quiet", str(program)]) == 0
    start = program.with_name("start.py")
    start.write_text(START.format(program=str(program), hint=HINT))
    trace = tmp_path / "vendored.npz"
    run_recorded(
        Program(start, case.arguments, replicas=case.replicas),
        trace,
        TIMEOUT_SECONDS,
        initial_values=case.trace,
    )
    verdict = climb(load_trace(case.trace), load_trace(trace), case.tolerance)
    assert verdict.failed is None, verdict.failed
    assert "same" in {rung.verdict for rung in verdict.rungs}
