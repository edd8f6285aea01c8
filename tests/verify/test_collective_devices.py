"""Strategies that ask the cluster for the number of their GPUs get CPU devices, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_support import PROGRAMS, record

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_replicas_of_a_collective_strategy(tmp_path: Path) -> None:
    target, folder = tmp_path / "trace.npz", str(tmp_path / "model")
    trace = record(PROGRAMS / "collective.py", target, folder, replicas=2)
    assert len(trace.step) == 4
    assert [session["replicas"] for session in trace.meta["sessions"]] == [2]
