"""Every program with an Experiment trains under the legacy runtime as on TensorFlow 1.15."""

from __future__ import annotations

from pathlib import Path

import pytest
from long_tail import one_in
from originals import assert_trains_as_on_tensorflow_1, programs_of


@pytest.mark.parametrize(
    "program", one_in(4, programs_of("experiment")), ids=lambda path: path.name
)
def test_original_trains_as_on_tensorflow_1(program: Path, tmp_path: Path) -> None:
    assert_trains_as_on_tensorflow_1(program, tmp_path)
