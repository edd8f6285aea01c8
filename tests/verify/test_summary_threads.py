"""The thread in which a Supervisor computes summaries takes no batches from training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_summaries_are_computed_at_the_end(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    program = Program(PROGRAMS / "supervised_summaries.py", [str(logs)])
    run_recorded(program, tmp_path / "trace.npz", TIMEOUT)
    trace = load_trace(tmp_path / "trace.npz")
    weight, mean, losses = 0.0, 0.0, []
    for number in range(1, 6):
        losses.append((weight - number) ** 2)
        weight -= 0.2 * (weight - number)
        mean += 0.1 * (number - mean)
    # float32 holds seven digits.
    assert np.allclose(trace.loss, losses, rtol=1e-6)
    assert np.isclose(trace.variables["mean"][-1], mean, rtol=1e-6)
    assert "mean" not in trace.ends.get(5, {})  # as after the last step
    (events,) = logs.glob("events*")
    assert b"loss" in events.read_bytes()
