"""Migrated loops of TensorFlow 2.0 train on Keras 3 as they did on Keras 2.

``history.json`` is of the original on tf-keras, two CPU replicas
(scripts/record/record_keras_loops.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fixture_cases import FIXTURES

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes

CASES = sorted(path.parent for path in FIXTURES.glob("keras_loops/*/original.py"))
# float32, 24 steps of Adam on two replicas.
TOLERANCE = 1e-5


def test_original_becomes_migrated() -> None:
    assert CASES
    for case in CASES:
        original = case / "original.py"
        result = migrate([decode_source(read_bytes(original), original, "original.py")], Options())
        assert [f for f in result.findings if not f.applied] == []
        assert result.texts[original] == (case / "migrated.py").read_text()
        again = migrate(
            [decode_source(read_bytes(case / "migrated.py"), case / "migrated.py", "migrated.py")],
            Options(),
        )
        assert again.texts == {}
        assert again.findings == []


@pytest.mark.parametrize("loop", CASES, ids=lambda path: path.name)
def test_migrated_trains_like_the_original(loop: Path, tmp_path: Path) -> None:
    history = tmp_path / "history.json"
    command = [sys.executable, str(loop / "migrated.py"), "--cpus=2", f"--history={history}"]
    kept = {k: v for k, v in os.environ.items() if k != "TF_USE_LEGACY_KERAS"}
    environment = {**kept, "TF_ENABLE_ONEDNN_OPTS": "0"}
    subprocess.run(command, check=True, env=environment, timeout=180)
    expected, got = (json.loads(p.read_text()) for p in (loop / "history.json", history))
    assert len(expected["loss"]) == len(got["loss"]) == 24
    np.testing.assert_allclose(got["loss"], expected["loss"], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(got["epochs"], expected["epochs"], rtol=0, atol=TOLERANCE)
    for old, new in zip(expected["weights"], got["weights"], strict=True):
        np.testing.assert_allclose(new, old, rtol=0, atol=TOLERANCE)
    assert np.mean(got["loss"][-8:]) < 0.9 * np.mean(got["loss"][:8])
