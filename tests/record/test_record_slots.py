"""The momentum of Keras' SGD, read as that of TensorFlow 1.x."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from tfmigrate_runtime.verify.recorder.record_slots import Momentum

RATES = [0.0, 0.1, 0.1, 0.0, 0.05]


def test_a_rate_of_zero_loses_the_gradients_of_its_step() -> None:
    """A warm-up starts there: the momentum was no number, and an infinite difference."""
    reading = Momentum.__new__(Momentum)
    reading.decay, reading.optimizer = 0.9, object()
    reading._read = lambda values: values["momentum"]  # type: ignore[method-assign]
    velocity = expected = np.zeros(2, np.float32)
    reading.initial({"momentum": velocity})
    for step, rate in enumerate(RATES):
        gradient = np.array([step + 1.0, -2.0], np.float32)
        velocity = np.float32(0.9) * velocity - np.float32(rate) * gradient
        expected = np.float32(0.9) * expected + (gradient if rate else 0)
        values = reading.after({"momentum": velocity}, {id(reading.optimizer): rate})
        assert_allclose(values, expected, rtol=1e-5)  # a division of float32 numbers
