"""tfmigrate_runtime.arrays makes the arrays that NumPy made before 1.24."""

from __future__ import annotations

import numpy as np

from tfmigrate_runtime import arrays


def test_pairs_of_different_lengths() -> None:
    texts, labels = np.arange(12).reshape(4, 3), np.eye(2)[[0, 1, 1, 0]]
    made = arrays.array(list(zip(texts, labels, strict=True)))
    assert made.shape == (4, 2) and made.dtype == object
    chosen, kept = zip(*made[[3, 0]], strict=True)
    np.testing.assert_array_equal(chosen, texts[[3, 0]])
    np.testing.assert_array_equal(kept, labels[[3, 0]])


def test_what_has_a_shape_is_no_array_of_objects() -> None:
    made = arrays.array([([1, 2], [3, 4])])
    assert made.shape == (1, 2, 2) and made.dtype == int
    assert arrays.asarray(made) is made and arrays.array(made) is not made
