"""Every program with an Experiment trains under the legacy runtime as on TensorFlow 1.15."""

from __future__ import annotations

from pathlib import Path

import pytest
from originals import assert_trains_as_on_tensorflow_1, programs_of


@pytest.mark.parametrize("program", programs_of("experiment"), ids=lambda path: path.name)
def test_original_trains_as_on_tensorflow_1(program: Path, tmp_path: Path) -> None:
    assert_trains_as_on_tensorflow_1(program, tmp_path)
