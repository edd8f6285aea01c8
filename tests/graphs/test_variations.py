"""Small variations of session programs, made eager: they show what they show on TensorFlow 1.15."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from converted import eager
from variations import VARIATIONS, shown

RECORDED = json.loads((Path(__file__).parent / "recorded.json").read_text())


@pytest.mark.parametrize("name", VARIATIONS)
def test_same_numbers(name: str) -> None:
    program = eager(VARIATIONS[name])
    assert "Session(" not in program
    tf.reset_default_graph()
    try:
        numbers = shown(program, name)
    finally:
        tf.enable_control_flow_v2()  # some switch it off, for the whole process
    assert tf.executing_eagerly()
    # Six digits are recorded; 2e-5 is what sums in another order have been seen to change.
    np.testing.assert_allclose(numbers, RECORDED[name], rtol=5e-5, atol=1e-6)
