"""Workers that start before their chief has initialized what they read."""

from __future__ import annotations

import subprocess
import sys

import pytest
from verify_support import PROGRAMS

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_a_worker_waits_for_what_its_chief_initializes() -> None:
    """slim.learning.train(sync_optimizer=) lets it fail; a scheduler would start it again."""
    ended = subprocess.run(
        [sys.executable, str(PROGRAMS / "early_worker.py")], capture_output=True, text=True
    )
    assert ended.stdout == "READ 3.0\n", ended.stderr[-2000:]
