"""The two-sample tests of initializers: no false alarm, and every pair of laws is told apart."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from tfmigrate_runtime.verify.recorder.draws import initial_values
from tfmigrate_runtime.verify.rungs.initial_laws import (
    Sample,
    other_law,
    recorded_sample,
    sample_of,
)

Draw = Callable[[Any, tuple[int, ...]], Any]


def truncated(rng: Any, shape: tuple[int, ...]) -> Any:
    values = rng.normal(size=shape)
    while (abs(values) > 2).any():
        values = np.where(abs(values) > 2, rng.normal(size=shape), values)
    return values / 0.87962566


# All of mean 0 and variance 1, but the last three.
LAWS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "truncated normal": truncated,
    "uniform": lambda rng, shape: rng.uniform(-(3**0.5), 3**0.5, shape),
    "signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "wider": lambda rng, shape: 1.05 * rng.normal(size=shape),
    "shifted": lambda rng, shape: 0.1 + rng.normal(size=shape),
    "padded": lambda rng, shape: rng.normal(size=shape) * (np.arange(shape[1]) > 3),
}


def drawn(law: Draw, seed: int, draws: int, size: int, independent: bool = True) -> Sample:
    """Returns what the recorder keeps of so many draws of a variable."""
    rng = np.random.default_rng(seed)
    entry = initial_values.Wanted.__new__(initial_values.Wanted)
    entry.name, entry.about = "v", {"kind": "random", "drawn": True}
    entry.draws = list(law(rng, (draws, size)).astype(np.float32))
    initial_values.count_draws(entry, independent)
    arrays = initial_values.arrays_of(entry)
    return recorded_sample(arrays["law/v"], entry.about, arrays.get("fixed/v"))


@pytest.mark.parametrize("size", [(4096, 1), (4096, 6), (64, 1024)])
def test_draws_of_one_law_do_not_differ(size: tuple[int, int]) -> None:
    for law in LAWS.values():
        samples = [drawn(law, seed, *size) for seed in range(5)]
        found = [other_law(*pair, 1) for pair in permutations(samples, 2)]
        assert found == [""] * 20


def test_laws_of_one_variance_are_told_apart() -> None:
    samples = {name: drawn(law, 1, 64, 1024) for name, law in LAWS.items()}
    others = {name: drawn(law, 2, 64, 1024) for name, law in LAWS.items()}
    for one, two in permutations(LAWS, 2):
        assert other_law(samples[one], others[two], 300), (one, two)


def test_one_draw_of_many_numbers_is_a_sample_too() -> None:
    """All that old traces have."""
    rng = np.random.default_rng(3)
    old = sample_of(rng.normal(size=(100, 200)))
    assert other_law(old, drawn(LAWS["normal"], 1, 64, 1024), 10) == ""
    assert other_law(old, drawn(LAWS["uniform"], 1, 64, 1024), 10)


def test_numbers_that_depend_on_each_other_count_once() -> None:
    """As where one random number is the value of a whole variable."""

    def broadcast(rng: Any, shape: tuple[int, ...]) -> Any:
        return np.broadcast_to(rng.normal(size=(shape[0], 1)), shape)

    for known in (True, False):
        pairs = [
            (
                drawn(broadcast, seed, 16, 4096, independent=not known),
                drawn(broadcast, 100 + seed, 16, 4096, independent=not known),
            )
            for seed in range(20)
        ]
        assert [other_law(*pair, 1) for pair in pairs] == [""] * 20
        assert all(sample.numbers <= 64 for pair in pairs for sample in pair)


def test_constants_among_random_numbers_are_compared() -> None:
    def with_ones(rng: Any, shape: tuple[int, ...]) -> Any:
        return np.where(np.arange(shape[1]) > 3, rng.normal(size=shape), 1.0)

    one, two = drawn(LAWS["padded"], 1, 4096, 16), drawn(with_ones, 2, 4096, 16)
    assert other_law(one, two, 1) == "the constant elements differ"
    only = drawn(LAWS["normal"], 2, 4096, 16)
    assert other_law(one, only, 1) == "some elements are constant in one program only"


def test_what_is_kept_is_small_and_has_the_ends() -> None:
    sample = drawn(LAWS["normal"], 1, 64, 1024)
    assert len(sample.values) < 2500
    assert sample.positions[0] == 0 and sample.positions[-1] == sample.count - 1
    assert sample.shape == "normal"
    assert drawn(LAWS["uniform"], 1, 64, 1024).shape == "uniform"
    assert drawn(LAWS["truncated normal"], 1, 64, 1024).shape == "truncated normal"
