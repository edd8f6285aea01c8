"""Slots of Keras, read as those of TensorFlow 1.x."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tfmigrate_runtime.verify.recorder.pairing.stored_differently import Momentum, in_order_of

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


@pytest.mark.parametrize(
    ("original", "made", "expected"),
    [
        (["w/Adam", "w/Adam_1"], ["m", "v"], ["m", "v"]),
        (["w/Adam", "w/Adam_1"], ["v", "m"], ["v", "m"]),  # nothing shows which is which
        (["w/adam_m", "w/adam_v"], ["v", "m"], ["m", "v"]),
        (["w/sum", "w/of_sum"], ["sum", "of_sum"], ["sum", "of_sum"]),
        (["w/Momentum"], ["", "average"], ["", "average"]),
        (["w/Adagrad"], [], []),
    ],
)
def test_names_that_end_alike_belong_together(
    original: list[str], made: list[str], expected: list[str]
) -> None:
    ordered = in_order_of([{"name": name} for name in original], [(name, []) for name in made])
    assert [slot[0] for slot in ordered if slot is not None] == expected
