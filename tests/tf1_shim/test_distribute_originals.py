"""Originals under strategies of tf.contrib.distribute train as on TensorFlow 1.15.

The original of fixtures/keras_loops is a program of TensorFlow 2.0 (eager from the start), which
tests/equivalence compares with what it computed there: the legacy runtime gives TensorFlow 1.x.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from long_tail import one_in
from originals import assert_trains_as_on_tensorflow_1, programs_of


@pytest.mark.parametrize(
    "folder", one_in(4, programs_of("contrib_distribute")), ids=lambda path: path.name
)
def test_original_trains_as_on_tensorflow_1(folder: Path, tmp_path: Path) -> None:
    assert_trains_as_on_tensorflow_1(folder, tmp_path)
