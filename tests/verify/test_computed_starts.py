"""Initial values that both programs compute before their first step, as weight normalization."""

from __future__ import annotations

import numpy as np
import pytest

from tfmigrate_runtime.verify.rungs.initial_draws import Start, judged

COMPUTED = np.random.default_rng(3).normal(1.0, 0.4, 64).astype(np.float32)


def start(value: np.ndarray, *, drawn: bool = False) -> Start:
    return Start(value.astype(np.float32), "random", drawn, "", None, trainable=True)


def other(share: float) -> np.ndarray:
    return COMPUTED + share * np.random.default_rng(5).normal(0.0, 1.0, 64)


def test_values_that_kernels_round_differently_are_the_same() -> None:
    assert judged("g", start(COMPUTED), start(other(2e-5)), 4).is_rounding


def test_more_than_rounding_is_in_doubt() -> None:
    verdict = judged("g", start(COMPUTED), start(other(2e-3)), 4)
    assert not verdict.difference
    assert "differs by 0.0018 of its size" in verdict.doubt


def test_one_large_value_is_no_scale() -> None:
    large = np.where(np.arange(64) == 3, 200.0, COMPUTED).astype(np.float32)
    rounded = large + 2e-3 * np.random.default_rng(7).normal(0.0, np.abs(large))
    assert judged("g", start(large), start(rounded), 4).doubt


@pytest.mark.parametrize(
    "different",
    [other(0.1), COMPUTED * 1.001, COMPUTED + np.float32(1e-3), COMPUTED[::-1].copy()],
    ids=["of another batch", "scaled", "shifted", "in another order"],
)
def test_other_values_differ(different: np.ndarray) -> None:
    verdict = judged("g", start(COMPUTED), start(different), 4)
    assert "assigned or restored before the first step" in verdict.difference


def test_what_one_program_draws_is_judged_by_its_law() -> None:
    assert not judged("g", start(COMPUTED), start(other(2e-5), drawn=True), 4).is_rounding


def test_a_constant_has_no_rounding() -> None:
    constant = np.full(64, 0.1, np.float32)
    assert judged("g", start(constant), start(constant * 1.00002), 4).difference
