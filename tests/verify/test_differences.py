"""How two arrays differ, in words."""

from __future__ import annotations

import numpy as np

from tfmigrate_runtime.verify.rungs.differences import how_many

OLD = np.array([[1.0, 100.0], [0.0, np.nan]])


def test_elements_are_counted() -> None:
    new = OLD + np.array([[0.5, 2.0], [0.25, 0.0]])
    assert how_many(OLD, new, 0.3) == "2 of 4 elements (50%)"


def test_strings_are_counted() -> None:
    words = np.array([b"a", b"b"]), np.array([b"a", b"c"])
    assert how_many(*words, 0.1) == "1 of 2 elements (50%)"
